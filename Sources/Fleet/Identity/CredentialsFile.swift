/// A file of a user's JWT and the seed of its key, as NATS's clients read it (nats-io/jwt, `creds_utils.go`).
package enum CredentialsFile {
    /// In bytes; more than a JWT and a seed can have.
    package static let maximumLength = NATSToken.maximumLength + 4096

    private static let tokenBegin = "-----BEGIN NATS USER JWT-----"
    private static let tokenEnd = "------END NATS USER JWT------"

    /// What the file holds. Only its owner may read it.
    package static func text(_ token: UserToken, _ key: NKeyPair) throws(FleetError) -> String {
        """
        \(tokenBegin)
        \(token.text)
        \(tokenEnd)

        Who has the seed below can log in as this user. Keep it secret.
        -----BEGIN USER NKEY SEED-----
        \(try key.seedText())
        ------END USER NKEY SEED------

        """
    }

    /// The JWT of such a file, or a JWT alone. Throws `invalid-key` where there is none.
    package static func token(in content: [UInt8]) throws(FleetError) -> UserToken {
        guard content.count <= maximumLength else {
            throw FleetError(.invalidKey, "what should be a NATS JWT or a file of credentials is too long to be one")
        }
        let text = String(decoding: content, as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        let first = lines.firstIndex { $0.hasPrefix(tokenBegin) }.map { lines[($0 + 1)...] } ?? lines[...]
        return try UserToken((first.first ?? "").prefix { !$0.isWhitespace })
    }
}
