/// One way to log in that a server offers (RFC 9110 §11.3).
struct AuthenticationChallenge: Hashable, Sendable {
    /// As it was spelled.
    var scheme: String
    /// What some schemes have in place of parameters.
    var token68: String?
    /// By lower-cased name, without quotes and escapes.
    var parameters: [String: String] = [:]
    /// False where its text breaks the grammar or a bound, so that what stands here may be a part only.
    var isWhole = true

    func isScheme(_ name: String) -> Bool { scheme.lowercased() == name }
}

extension AuthenticationChallenge {
    /// The challenges of all WWW-Authenticate fields of a response, in order.
    static func parse(_ fields: some Sequence<String>) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for field in fields {
            var parser = ChallengeParser(field)
            while challenges.count < ChallengeParser.maximumChallenges, let challenge = parser.next() {
                challenges.append(challenge)
            }
        }
        return challenges
    }
}
