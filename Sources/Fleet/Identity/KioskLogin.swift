/// What a kiosk logs in with at its hub, as its file of credentials holds it: its token, and the key that this is for.
package struct KioskLogin: Sendable {
    package let token: UserToken
    private let key: NKeyPair

    /// Of a token that comes from the hub, in bytes; the office's have about 500.
    package static let maximumTokenLength = 4096

    package init(_ token: UserToken, _ key: NKeyPair) { (self.token, self.key) = (token, key) }

    /// Reads a file of credentials. Throws `invalid-key` where it is none. No message shows any of its seed.
    package init(_ content: [UInt8]) throws(FleetError) {
        self.init(try CredentialsFile.token(in: content), try CredentialsFile.key(in: content))
    }

    /// The content of its file. Only its owner may read it.
    package func text() throws(FleetError) -> String { try CredentialsFile.text(token, key) }

    /// The same login with the token that the hub has for the kiosk; nil where it has that already.
    ///
    /// Whoever may write at the hub could have put anything there: only a token that is signed by who has signed the
    /// present one, for the same key and the same site, and that ends later, is taken. Throws `invalid-key` for any
    /// other; the message completes "the hub's token …".
    package func renewed(with offer: [UInt8]) throws(FleetError) -> KioskLogin? {
        guard offer.count <= Self.maximumTokenLength else {
            throw Self.refusal("has \(offer.count) bytes, and at most \(Self.maximumTokenLength) are taken")
        }
        let text = String(decoding: offer, as: UTF8.self)
        guard text != token.text else { return nil }
        let new: UserToken
        do throws(FleetError) {
            new = try UserToken(text)
        } catch {
            guard error.code == .invalidKey else { throw error }
            throw Self.refusal("is none, or was changed after it was signed")
        }
        guard new.issuer == token.issuer, new.account == token.account else {
            throw Self.refusal("was signed by another authority than this kiosk's")
        }
        guard new.publicKey == key.publicKey else { throw Self.refusal("is for another key than this kiosk's") }
        guard new.name == token.name else { throw Self.refusal("is for another site than this kiosk's") }
        guard Self.isLater(new.expiresAt, than: token.expiresAt) else {
            throw Self.refusal("ends no later than the one that this kiosk has")
        }
        return KioskLogin(new, key)
    }

    /// Of two ends; nil is none.
    private static func isLater(_ new: Int64?, than old: Int64?) -> Bool {
        guard let old else { return false }
        return new.map { $0 > old } ?? true
    }

    private static func refusal(_ why: String) -> FleetError { FleetError(.invalidKey, why) }
}
