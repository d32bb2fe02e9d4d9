/// A file of a user's JWT and the seed of its key, as NATS's clients read it (nats-io/jwt, `creds_utils.go`).
package enum CredentialsFile {
    /// In bytes; more than a JWT and a seed can have.
    package static let maximumLength = NATSToken.maximumLength + 4096

    private static let tokenBegin = "-----BEGIN NATS USER JWT-----"
    private static let tokenEnd = "------END NATS USER JWT------"
    private static let seedBegin = "-----BEGIN USER NKEY SEED-----"
    private static let seedEnd = "------END USER NKEY SEED------"

    /// What the file holds. Only its owner may read it.
    package static func text(_ token: UserToken, _ key: NKeyPair) throws(FleetError) -> String {
        """
        \(tokenBegin)
        \(token.text)
        \(tokenEnd)

        Who has the seed below can log in as this user. Keep it secret.
        \(seedBegin)
        \(try key.seedText())
        \(seedEnd)

        """
    }

    /// The JWT of such a file, or a JWT alone. Throws `invalid-key` where there is none.
    package static func token(in content: [UInt8]) throws(FleetError) -> UserToken {
        let lines = try lines(of: content)
        return try UserToken(word(after: tokenBegin, in: lines) ?? word(in: lines.first))
    }

    /// The key whose seed such a file holds. Throws `invalid-key` where there is none. No message shows any of it.
    package static func key(in content: [UInt8]) throws(FleetError) -> NKeyPair {
        try NKeyPair(seedText: word(after: seedBegin, in: lines(of: content)) ?? "", of: .user)
    }

    private static func lines(of content: [UInt8]) throws(FleetError) -> [Substring] {
        guard content.count <= maximumLength else {
            throw FleetError(.invalidKey, "what should be a NATS JWT or a file of credentials is too long to be one")
        }
        return String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline).map {
            $0.drop(while: \.isWhitespace)
        }
    }

    /// The first word of the line behind one that begins so; nil where none does.
    private static func word(after begin: String, in lines: [Substring]) -> Substring? {
        lines.firstIndex { $0.hasPrefix(begin) }.map { word(in: lines[($0 + 1)...].first) }
    }

    private static func word(in line: Substring?) -> Substring { (line ?? "").prefix { !$0.isWhitespace } }
}
