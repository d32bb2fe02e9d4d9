import KioskDigests
import KioskPrintModel

/// A Digest challenge that can be answered (RFC 7616 §3.3; without qop also RFC 2069's form).
struct DigestChallenge: Hashable, Sendable {
    let realm: String
    var nonce: String
    let opaque: String?
    let algorithm: MessageDigest.Algorithm
    /// The algorithm in the server's spelling; nil where it named none.
    let algorithmName: String?
    /// Whether the key belongs to a session (`-sess`).
    let isSession: Bool
    /// Whether `qop=auth` is offered; without any qop, requests are not counted.
    let hasQOP: Bool
    /// Whether the password was right and the nonce too old.
    var isStale: Bool
    /// Whether the user name is sent as a digest.
    let hashesUser: Bool

    /// Nil for another scheme, and for what is not supported: other algorithms, `auth-int`.
    init?(_ challenge: AuthenticationChallenge) {
        guard challenge.isScheme("digest"), challenge.isWhole, let realm = challenge.parameters["realm"],
            let nonce = challenge.parameters["nonce"]
        else { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge.parameters["opaque"]
        algorithmName = challenge.parameters["algorithm"]
        switch algorithmName?.lowercased() {
        case nil, "md5": (algorithm, isSession) = (.md5, false)
        case "md5-sess": (algorithm, isSession) = (.md5, true)
        case "sha-256": (algorithm, isSession) = (.sha256, false)
        case "sha-256-sess": (algorithm, isSession) = (.sha256, true)
        default: return nil
        }
        let options = challenge.parameters["qop"]?.split { $0 == "," || $0 == " " || $0 == "\t" }.map {
            $0.lowercased()
        }
        hasQOP = options?.contains("auth") ?? false
        // §3.4.2: a session's key needs a cnonce, which only goes with qop.
        guard options == nil || hasQOP, hasQOP || !isSession else { return nil }
        isStale = challenge.parameters["stale"]?.lowercased() == "true"
        hashesUser = challenge.parameters["userhash"]?.lowercased() == "true"
    }
}

/// A login by one Digest challenge (RFC 7616 §3.4); counts the requests that it authenticates.
struct DigestLogin: Sendable {
    private(set) var challenge: DigestChallenge
    let login: UserLogin
    /// H(A1) in hexadecimal, worth as much as the password.
    private let key: Secret
    private let userHash: String?
    private let clientNonce: String
    private var count: UInt32 = 0

    init(
        _ challenge: DigestChallenge, _ login: UserLogin, clientNonce: String = Self.randomNonce()
    ) throws(DigestError) {
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

    /// Takes the server's next nonce (§3.5); a session keeps its key.
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

    /// Whether this login goes on counting for the challenge, which is the one that it answers already.
    func answers(_ challenge: DigestChallenge, _ login: UserLogin) -> Bool {
        var current = self.challenge
        current.isStale = challenge.isStale
        return current == challenge && self.login == login
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
