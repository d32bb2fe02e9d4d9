import Digests
import PrintModel

/// Answers to one Digest challenge (RFC 7616 §3.4), each with a count of its own.
struct DigestLogin: Sendable {
    private(set) var challenge: DigestChallenge
    let login: UserLogin
    /// H(A1), in hexadecimal: as good as the password.
    private let key: Secret
    private let userHash: String?
    private let clientNonce: String
    private var count: UInt32 = 0

    init(_ challenge: DigestChallenge, _ login: UserLogin, clientNonce: String = Self.randomNonce()) throws(DigestError)
    {
        self.challenge = challenge
        self.login = login
        self.clientNonce = clientNonce
        let algorithm = challenge.algorithm
        let key = try Self.hash(algorithm, "\(login.user):\(challenge.realm):\(login.password.reveal())")
        self.key = Secret(
            challenge.isSession ? try Self.hash(algorithm, "\(key):\(challenge.nonce):\(clientNonce)") : key
        )
        userHash = challenge.hashesUser ? try Self.hash(algorithm, "\(login.user):\(challenge.realm)") : nil
    }

    /// 128 bits, so that a server cannot choose what is hashed (§5.8).
    static func randomNonce() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The server's next nonce (§3.5); a session keeps its key.
    mutating func renew(nonce: String) {
        guard nonce != challenge.nonce else { return }
        challenge.nonce = nonce
        count = 0
    }

    /// The Authorization field's value for the next request.
    mutating func field(method: String, uri: String) throws(DigestError) -> Secret {
        count &+= 1
        let nonceCount = String(count, radix: 16)
        let paddedCount = String(repeating: "0", count: 8 - nonceCount.count) + nonceCount
        let request = try Self.hash(challenge.algorithm, "\(method):\(uri)")
        let middle = challenge.hasQOP ? "\(challenge.nonce):\(paddedCount):\(clientNonce):auth" : challenge.nonce
        let response = try Self.hash(challenge.algorithm, "\(key.reveal()):\(middle):\(request)")

        var field =
            "Digest \(userParameter), realm=\(Self.quoted(challenge.realm)), nonce=\(Self.quoted(challenge.nonce))"
        field += ", uri=\(Self.quoted(uri)), response=\"\(response)\""
        if let name = challenge.algorithmName { field += ", algorithm=\(name)" }
        if challenge.hasQOP { field += ", qop=auth, nc=\(paddedCount), cnonce=\"\(clientNonce)\"" }
        if let opaque = challenge.opaque { field += ", opaque=\(Self.quoted(opaque))" }
        if userHash != nil { field += ", userhash=true" }
        return Secret(field)
    }

    private var userParameter: String {
        if let userHash { return "username=\"\(userHash)\"" }
        guard login.user.utf8.contains(where: { $0 > 0x7E }) else { return "username=\(Self.quoted(login.user))" }
        return "username*=UTF-8''\(PercentEncoding.encode(login.user, keeping: PercentEncoding.isUnreserved))"
    }

    private static func hash(_ algorithm: MessageDigest.Algorithm, _ text: String) throws(DigestError) -> String {
        try MessageDigest.hexadecimal(algorithm, of: Array(text.utf8))
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text.unicodeScalars {
            if character == "\"" || character == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result + "\""
    }
}
