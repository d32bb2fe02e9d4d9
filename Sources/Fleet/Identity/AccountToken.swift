/// The JWT of an account as a hub has it: whom it lets sign kiosks, and what it gives these.
package struct AccountToken: Sendable {
    package let publicKey: NKey
    /// The operator's key that has signed it.
    package let issuer: NKey
    /// In seconds since 1970.
    package let issuedAt: Int64
    private let signingKeys: [AccountTemplates.SigningKey]

    /// In bytes: what a message to nats-server may have unless its `max_payload` says otherwise. Each revocation takes
    /// about 80.
    package static let maximumLength = 1 << 20

    /// Reads one. Throws `invalid-key` where the text is none, or was changed.
    package init(_ text: some StringProtocol) throws(FleetError) {
        let claims = try NATSToken.read(text, as: AccountTemplates.self, limit: Self.maximumLength)
        (publicKey, issuer) = (try NKey(claims.sub, of: .account), try NKey(claims.iss, of: .operator))
        (issuedAt, signingKeys) = (claims.iat, claims.nats.signing_keys ?? [])
    }

    /// Whether those whom this key has signed may do all that is meant.
    func gives(_ rights: KioskRights, toSignedBy key: NKey) -> Bool {
        guard let template = signingKeys.first(where: { $0.key == key.text })?.template else { return false }
        return Self.allows(rights.publish, template.pub) && Self.allows(rights.subscribe, template.sub)
    }

    /// Without a list everything is allowed.
    private static func allows(_ subjects: [String], _ permissions: TokenPermissions.Subjects?) -> Bool {
        guard let allowed = permissions?.allow else { return true }
        return Set(subjects).isSubset(of: allowed)
    }
}

/// What is read of an account's JWT. Operators may have written it with NATS's own `nsc`, which says more, and leaves
/// other things out, than `AccountClaims` does.
private struct AccountTemplates: TokenClaims {
    static let type = AccountClaims.type
    static let issuer = AccountClaims.issuer
    var jti: String
    var iss: String
    var sub: String
    var iat: Int64
    var nats: Content

    struct Content: TokenContent {
        var type: String
        var version: Int
        var signing_keys: [SigningKey]?
    }

    /// An object with a template, or the key alone.
    struct SigningKey: Codable {
        var key: String
        var template: Template?

        struct Template: Codable {
            var pub: TokenPermissions.Subjects?
            var sub: TokenPermissions.Subjects?
        }

        init(from decoder: any Decoder) throws {
            if let key = try? decoder.singleValueContainer().decode(String.self) {
                self.key = key
            } else {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                key = try container.decode(String.self, forKey: .key)
                template = try container.decodeIfPresent(Template.self, forKey: .template)
            }
        }
    }
}
