/// One authentication challenge of a server (RFC 9110 §11.3).
struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme in the server's spelling.
    var scheme: String
    /// What some schemes have in place of parameters.
    var token68: String?
    /// By lower-cased name, without quotes and escapes.
    var parameters: [String: String] = [:]
    /// False where the text breaks the grammar or a limit, so that this may be only a part of the challenge.
    var isWhole = true

    func isScheme(_ name: String) -> Bool { scheme.lowercased() == name }

    /// Parses the challenges of all WWW-Authenticate fields of a response, in order.
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

/// Parses one WWW-Authenticate field (RFC 9110 §11.6.1), in which commas separate challenges as well as a challenge's
/// parameters. It stops at the first grammar error.
private struct ChallengeParser {
    static let maximumChallenges = 16
    private static let maximumFieldLength = 16 * 1024
    private static let maximumTextLength = 4096
    private static let maximumParameters = 32

    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) {
        let bytes = Array(field.utf8)
        self.bytes = bytes.count <= Self.maximumFieldLength ? bytes : []
    }

    mutating func next() -> AuthenticationChallenge? {
        skipCommas()
        guard let scheme = text(where: Self.isTokenCharacter) else { return nil }
        var challenge = AuthenticationChallenge(scheme: scheme)
        if skipSpace() {
            challenge.token68 = token68()
            if challenge.token68 == nil { readParameters(of: &challenge) }
        }
        if !isAtSeparator { challenge.isWhole = false }
        if !challenge.isWhole { position = bytes.count }
        return challenge
    }

    private mutating func readParameters(of challenge: inout AuthenticationChallenge) {
        while true {
            let start = position
            skipCommas()
            guard let name = text(where: Self.isTokenCharacter)?.lowercased(), skipEquals() else {
                // A name without `=` is the next challenge's scheme.
                position = start
                return
            }
            guard let value = quotedString() ?? text(where: Self.isValueCharacter),
                challenge.parameters.count < Self.maximumParameters, challenge.parameters[name] == nil
            else {
                challenge.isWhole = false
                return
            }
            challenge.parameters[name] = value
            skipSpace()
            guard isAtSeparator else { return }
        }
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }
    private var isAtSeparator: Bool { current == nil || current == UInt8(ascii: ",") }

    private mutating func skipCommas() {
        while let byte = current, byte == UInt8(ascii: ",") || Self.isSpace(byte) { position += 1 }
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while let byte = current, Self.isSpace(byte) { position += 1 }
        return position > start
    }

    private mutating func skipEquals() -> Bool {
        skipSpace()
        guard current == UInt8(ascii: "=") else { return false }
        position += 1
        skipSpace()
        return true
    }

    /// Nil where no character matches, or more than the limit do.
    private mutating func text(where isPart: (UInt8) -> Bool) -> String? {
        let start = position
        while let byte = current, isPart(byte) { position += 1 }
        guard position > start, position - start <= Self.maximumTextLength else { return nil }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Nil where a parameter follows instead: a token68 extends to a comma or the end.
    private mutating func token68() -> String? {
        let start = position
        let body = text { Self.isAlphanumeric($0) || "-._~+/".utf8.contains($0) }
        while current == UInt8(ascii: "=") { position += 1 }
        let end = position
        skipSpace()
        guard body != nil, isAtSeparator else {
            position = start
            return nil
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func quotedString() -> String? {
        guard current == UInt8(ascii: "\"") else { return nil }
        position += 1
        var content: [UInt8] = []
        while let byte = current, content.count <= Self.maximumTextLength {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = current, Self.isQuotable(escaped) else { return nil }
                content.append(escaped)
                position += 1
            case _ where Self.isQuotable(byte): content.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    private static func isQuotable(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7F }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// A tchar (RFC 9110 §5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// Wider than a token: some servers send Base64 nonces without the quotes that they need.
    private static func isValueCharacter(_ byte: UInt8) -> Bool {
        0x21...0x7E ~= byte && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"")
    }
}
