/// The JWT of a user: whose key may log in, as whom, and until when.
package struct UserToken: Hashable, Sendable {
    /// As it goes to the hub.
    package let text: String
    package let publicKey: NKey
    /// A kiosk's is its site.
    package let name: String
    /// Who has signed it: the account itself, or a signing key of it.
    package let issuer: NKey
    /// The account whose signing key the issuer is, as the token has it; nil where that is the issuer.
    package let account: String?
    /// In seconds since 1970.
    package let issuedAt: Int64
    /// In seconds since 1970; nil: it does not end.
    package let expiresAt: Int64?

    /// Reads one. Throws `invalid-key` where the text is none, or was changed. Whether the hub knows its issuer is the
    /// hub's to say.
    package init(_ text: some StringProtocol) throws(FleetError) {
        let claims = try NATSToken.read(text, as: UserClaims.self)
        publicKey = try NKey(claims.sub, of: .user)
        (issuer, account) = (try NKey(claims.iss, of: .account), claims.nats.issuer_account)
        (self.text, name, issuedAt, expiresAt) = (String(text), claims.name, claims.iat, claims.exp)
    }

    package func isExpired(at time: Int64) -> Bool { expiresAt.map { $0 <= time } ?? false }
}
