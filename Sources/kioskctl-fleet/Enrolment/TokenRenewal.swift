import KioskFleet

/// Which kiosks' tokens are signed anew, and for how long. Times are in seconds since 1970.
struct TokenRenewal {
    /// What time it is.
    var time: Int64
    /// Tokens that end before this are due.
    var dueBefore: Int64
    /// When the new ones end.
    var end: Int64
    /// Only those of this site; nil: all.
    var site: SiteName?
    /// Only this one of its kiosks; nil: all.
    var node: NodeName?

    /// A kiosk that was admitted, and what becomes of its token.
    struct Kiosk {
        let publicKey: String
        let site: String
        let node: String?
        fileprivate(set) var state: State
        /// Why it is skipped; nil where it is not.
        let reason: Reason?
        /// When its token ends: the new one, where one was signed.
        private(set) var expiresAt: Int64?
        /// What the hub has to get.
        private(set) var token: UserToken?

        enum State: String, Encodable {
            /// Would be signed anew.
            case due
            /// Was signed anew, and the hub does not have it.
            case unsent
            /// The hub has the new one.
            case renewed
            case skipped
        }

        enum Reason: String, Encodable {
            case revoked
            /// It cannot log in to fetch another one.
            case expired
            case notDue = "not-due"
            /// A kiosk would not take it.
            case notLater = "not-later"
        }

        fileprivate init(_ kiosk: AuthorityRecord.Kiosk, site: String, _ reason: Reason?) {
            (publicKey, self.site, node, expiresAt) = (kiosk.publicKey, site, kiosk.node, kiosk.expiresAt)
            (state, self.reason) = (reason == nil ? .due : .skipped, reason)
        }

        mutating func signed(_ token: UserToken) {
            (self.token, expiresAt, state) = (token, token.expiresAt, .unsent)
        }

        /// The hub has stored it.
        mutating func sent() { state = .renewed }
    }

    /// The kiosks that are meant, in the order of their names.
    func look(at kiosks: [AuthorityRecord.Kiosk]) -> [Kiosk] {
        kiosks.compactMap { kiosk in
            // Without a site: a key of an office that was revoked.
            guard let name = kiosk.site, site.map({ $0.text == name }) ?? true,
                node.map({ $0.text == kiosk.node }) ?? true
            else { return nil }
            return Kiosk(kiosk, site: name, reason(toSkip: kiosk))
        }.sorted { ($0.site, $0.node ?? "", $0.publicKey) < ($1.site, $1.node ?? "", $1.publicKey) }
    }

    private func reason(toSkip kiosk: AuthorityRecord.Kiosk) -> Kiosk.Reason? {
        switch kiosk.state(at: time) {
        case .revoked: return .revoked
        case .expired: return .expired
        case .admitted: break
        }
        // The last one did not reach the hub.
        if kiosk.isRenewalUnsent == true { return nil }
        guard let expiresAt = kiosk.expiresAt, expiresAt < dueBefore else { return .notDue }
        return expiresAt < end ? nil : .notLater
    }
}
