import KioskDigests
package import KioskPrintModel

/// The user that a simulated printer requires, and how the user must authenticate.
package struct PrinterLogin: Sendable {
    package enum Scheme: String, CaseIterable, Sendable {
        /// RFC 7617.
        case basic
        /// RFC 7616 with SHA-256, and with MD5 for clients without it.
        case digest
        /// RFC 7616 with MD5 only, like older printers.
        case digestMD5 = "digest-md5"
    }

    package var scheme: Scheme
    package var user: String
    package var password: Secret
    package var realm = "Simulated printer"
    /// How long a Digest nonce is valid.
    package var nonceLifetime: Duration = .seconds(300)

    package init(_ scheme: Scheme, user: String, password: Secret) {
        self.scheme = scheme
        self.user = user
        self.password = password
    }

    /// The keyword in `uri-authentication-supported` (RFC 8011 §5.4.2).
    var keyword: String { scheme == .basic ? "basic" : "digest" }
}

/// Verifies the login of requests (Basic: RFC 7617, Digest: RFC 7616). No I/O.
struct LoginVerifier {
    enum Outcome: Equatable {
        case accepted(user: String)
        /// Status 401 with one WWW-Authenticate field per challenge.
        case refused(challenges: [String])
    }

    private let login: PrinterLogin
    private var nonces: NonceTable

    init(_ login: PrinterLogin) {
        self.login = login
        nonces = NonceTable(lifetime: login.nonceLifetime)
    }

    private var algorithms: [MessageDigest.Algorithm] {
        switch login.scheme {
        case .basic: []
        case .digest: [.sha256, .md5]
        case .digestMD5: [.md5]
        }
    }

    /// Verifies the Authorization fields of a request.
    mutating func verify(
        _ fields: [String], method: String, uri: String, at now: Duration
    ) throws(DigestError) -> Outcome {
        guard fields.count == 1, let authorization = Authorization(fields[0]) else {
            return refuse(isStale: false, at: now)
        }
        if login.scheme == .basic {
            let isCorrect = authorization.scheme == "basic" && authorization.userAndPassword == userAndPassword
            return isCorrect ? .accepted(user: login.user) : refuse(isStale: false, at: now)
        }
        guard let response = DigestResponse(authorization), algorithms.contains(response.algorithm),
            try response.isCorrect(for: login, method: method, uri: uri)
        else { return refuse(isStale: false, at: now) }
        // Only a client that knows the password is told that its nonce is stale (RFC 7616 §3.3).
        guard nonces.use(response.nonce, count: response.nonceCount, at: now) else {
            return refuse(isStale: true, at: now)
        }
        return .accepted(user: login.user)
    }

    private var userAndPassword: [UInt8] { Array("\(login.user):\(login.password.reveal())".utf8) }

    private mutating func refuse(isStale: Bool, at now: Duration) -> Outcome {
        guard login.scheme != .basic else {
            return .refused(challenges: ["Basic realm=\"\(login.realm)\", charset=\"UTF-8\""])
        }
        let nonce = nonces.issue(at: now)
        return .refused(
            challenges: algorithms.map {
                "Digest realm=\"\(login.realm)\", qop=\"auth\", algorithm=\($0.fieldName), nonce=\"\(nonce)\""
                    + ", charset=UTF-8\(isStale ? ", stale=true" : "")"
            })
    }
}

/// A Digest client's response (RFC 7616 §3.4). Only qop=auth is supported, since the challenge requests it.
private struct DigestResponse {
    let algorithm: MessageDigest.Algorithm
    let nonce: String
    let nonceCount: UInt32
    private let parameters: [String: String]

    init?(_ authorization: Authorization) {
        let parameters = authorization.parameters
        guard authorization.scheme == "digest", parameters["qop"] == "auth", let nonce = parameters["nonce"],
            let digits = parameters["nc"], digits.utf8.count == 8, let count = UInt32(digits, radix: 16),
            parameters["cnonce"]?.isEmpty == false
        else { return nil }
        switch parameters["algorithm"]?.lowercased() {
        case nil, "md5": algorithm = .md5
        case "sha-256": algorithm = .sha256
        default: return nil
        }
        self.nonce = nonce
        nonceCount = count
        self.parameters = parameters
    }

    private var user: String? {
        if let user = parameters["username"] { return user }
        // RFC 8187: the charset, a language and the percent-encoded text.
        guard let text = parameters["username*"], text.lowercased().hasPrefix("utf-8''") else { return nil }
        return PercentEncoding.decode(text.dropFirst("utf-8''".count))
    }

    func isCorrect(for login: PrinterLogin, method: String, uri: String) throws(DigestError) -> Bool {
        guard user == login.user, parameters["realm"] == login.realm, parameters["uri"] == uri,
            let count = parameters["nc"], let clientNonce = parameters["cnonce"]
        else { return false }
        let key = try digest("\(login.user):\(login.realm):\(login.password.reveal())")
        let request = try digest("\(method):\(uri)")
        let expected = try digest("\(key):\(nonce):\(count):\(clientNonce):auth:\(request)")
        return parameters["response"]?.lowercased() == expected
    }

    private func digest(_ text: String) throws(DigestError) -> String {
        try MessageDigest.hexadecimal(algorithm, of: Array(text.utf8))
    }
}

extension MessageDigest.Algorithm {
    /// The name in the header field (RFC 7616 §6.1).
    fileprivate var fieldName: String { self == .md5 ? "MD5" : "SHA-256" }
}

/// The nonces that the printer has issued, and the counts with which each was used (RFC 7616 §3.4). No I/O.
struct NonceTable {
    /// The maximum number of nonces. The oldest are removed first; `stale` tells their users to take a new one.
    private static let limit = 1000

    private struct Entry {
        let issuedAt: Duration
        var highestCount: UInt32 = 0
        /// A bit for each of the 64 counts up to the highest: requests on two connections may overtake each other.
        var seenCounts: UInt64 = 0
    }

    private let lifetime: Duration
    private var entries: [String: Entry] = [:]
    private var order: [String] = []

    init(lifetime: Duration) { self.lifetime = lifetime }

    mutating func issue(at now: Duration) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let nonce = String(decoding: (0..<32).map { _ in digits[Int.random(in: 0..<16)] }, as: UTF8.self)
        entries[nonce] = Entry(issuedAt: now)
        order.append(nonce)
        if order.count > Self.limit { entries[order.removeFirst()] = nil }
        return nonce
    }

    /// Returns whether a nonce is valid for this count. Each count is valid once.
    mutating func use(_ nonce: String, count: UInt32, at now: Duration) -> Bool {
        guard var entry = entries[nonce], now - entry.issuedAt < lifetime, count > 0 else { return false }
        if count > entry.highestCount {
            let step = count - entry.highestCount
            entry.seenCounts = step < 64 ? entry.seenCounts << UInt64(step) | 1 : 1
            entry.highestCount = count
        } else {
            let age = entry.highestCount - count
            guard age < 64, entry.seenCounts & 1 << UInt64(age) == 0 else { return false }
            entry.seenCounts |= 1 << UInt64(age)
        }
        entries[nonce] = entry
        return true
    }
}
