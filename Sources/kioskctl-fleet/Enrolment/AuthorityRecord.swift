import FoundationEssentials
import KioskFleet

/// What an authority has decided: who was admitted, and who is in no more. Times are in seconds since 1970.
struct AuthorityRecord: Codable {
    /// What people see of the fleet in its tokens.
    var name: String
    /// Where the hub's servers keep accounts.
    var serverFolder: String
    var createdAt: Int64
    /// Grows with each token of the account: servers keep the newest.
    var accountIssuedAt: Int64
    private(set) var kiosks: [Kiosk] = []

    struct Kiosk: Codable {
        var publicKey: String
        /// Nil for a key that was revoked without having been admitted here, such as an office's.
        var site: String?
        var node: String?
        var admittedAt: Int64?
        var expiresAt: Int64?
        var revokedAt: Int64?
        /// Whether a token was signed anew that the hub may not have.
        var isRenewalUnsent: Bool?

        /// `revoked`, `expired` or `admitted`.
        func state(at time: Int64) -> State {
            if revokedAt != nil { return .revoked }
            return expiresAt.map { $0 <= time } ?? false ? .expired : .admitted
        }

        enum State: String, Codable {
            case admitted, expired, revoked
        }
    }

    init(name: String, serverFolder: String, createdAt: Int64, accountIssuedAt: Int64) {
        (self.name, self.serverFolder) = (name, serverFolder)
        (self.createdAt, self.accountIssuedAt) = (createdAt, accountIssuedAt)
    }

    /// Reads what was stored.
    init(_ bytes: [UInt8], at path: String) throws {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            throw FleetError(.malformed, "\(path) is none that this version knows; restore it from a backup")
        }
    }

    mutating func admit(_ key: NKey, to site: SiteName, node: NodeName?, at time: Int64, until end: Int64) throws {
        let index = kiosks.firstIndex { $0.publicKey == key.text }
        if let known = index.map({ kiosks[$0] }) {
            guard known.revokedAt == nil else {
                throw FleetError(
                    .conflict,
                    "this key was revoked, and stays so; make a new one at the kiosk, with another file of --keys")
            }
            guard known.site == site.text else {
                throw FleetError(
                    .conflict,
                    "this key is one of the site \(known.site ?? "?"); make a new one at the kiosk, with another file of --keys, and revoke this one"
                )
            }
        }
        let kiosk = Kiosk(
            publicKey: key.text, site: site.text, node: node?.text ?? index.flatMap { kiosks[$0].node },
            admittedAt: max(time, index.flatMap { kiosks[$0].admittedAt } ?? 0), expiresAt: end)
        if let index { kiosks[index] = kiosk } else { kiosks.append(kiosk) }
    }

    /// Notes that the tokens of these keys are about to be signed anew.
    mutating func renew(_ keys: Set<String>, at time: Int64, until end: Int64) {
        for index in kiosks.indices where keys.contains(kiosks[index].publicKey) {
            kiosks[index].admittedAt = max(time, kiosks[index].admittedAt ?? 0)
            // Of a time before, when the hub may have got it all the same.
            kiosks[index].expiresAt = max(end, kiosks[index].expiresAt ?? 0)
            kiosks[index].isRenewalUnsent = true
        }
    }

    /// Notes that the hub has the tokens of these keys, which end then.
    mutating func noteSent(_ ends: [String: Int64]) {
        for index in kiosks.indices {
            // Another one may have been signed meanwhile.
            guard let end = ends[kiosks[index].publicKey], kiosks[index].expiresAt == end else { continue }
            kiosks[index].isRenewalUnsent = nil
        }
    }

    /// A key stays revoked from the first time on.
    mutating func revoke(_ key: NKey, at time: Int64) {
        if let index = kiosks.firstIndex(where: { $0.publicKey == key.text }) {
            // Of a clock that was set back too: what was signed until then is over.
            kiosks[index].revokedAt = kiosks[index].revokedAt ?? max(time, kiosks[index].admittedAt ?? 0)
        } else {
            kiosks.append(Kiosk(publicKey: key.text, revokedAt: time))
        }
    }

    /// What the account's token has to say. A token that has ended needs no revocation, so that the account's does not
    /// grow for ever.
    func revocations(at time: Int64) throws -> [NKey: Int64] {
        var revocations: [NKey: Int64] = [:]
        for kiosk in kiosks where kiosk.expiresAt.map({ $0 > time }) ?? true {
            if let revokedAt = kiosk.revokedAt { revocations[try NKey(kiosk.publicKey, of: .user)] = revokedAt }
        }
        return revocations
    }
}
