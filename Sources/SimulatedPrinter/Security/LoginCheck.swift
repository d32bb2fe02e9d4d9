import Digests
import PrintModel

/// Looks whether requests prove who sends them (RFC 7617, RFC 7616). No I/O.
struct LoginCheck {
    enum Verdict: Equatable {
        case accepted(user: String)
        /// 401, with a WWW-Authenticate field each.
        case refused(challenges: [String])
    }

    let login: PrinterLogin
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

    mutating func judge(
        _ fields: [String], method: String, uri: String, at now: Duration
    ) throws(DigestError) -> Verdict {
        guard fields.count == 1, let authorization = Authorization(fields[0]) else {
            return refuse(isStale: false, at: now)
        }
        if login.scheme == .basic {
            let isRight = authorization.scheme == "basic" && authorization.userAndPassword == userAndPassword
            return isRight ? .accepted(user: login.user) : refuse(isStale: false, at: now)
        }
        guard let proof = DigestProof(authorization), algorithms.contains(proof.algorithm),
            try proof.isRight(for: login, method: method, uri: uri)
        else { return refuse(isStale: false, at: now) }
        // §3.3: stale is only for those who know the password.
        guard nonces.use(proof.nonce, count: proof.nonceCount, at: now) else { return refuse(isStale: true, at: now) }
        return .accepted(user: login.user)
    }

    private var userAndPassword: [UInt8] { Array("\(login.user):\(login.password.reveal())".utf8) }

    private mutating func refuse(isStale: Bool, at now: Duration) -> Verdict {
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

/// What a Digest client says of itself (RFC 7616 §3.4), as far as it is of the form that we ask for.
private struct DigestProof {
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
        // RFC 8187: the charset, a language, and the text percent-encoded.
        guard let text = parameters["username*"], text.lowercased().hasPrefix("utf-8''") else { return nil }
        return PercentEncoding.decode(text.dropFirst("utf-8''".count))
    }

    func isRight(for login: PrinterLogin, method: String, uri: String) throws(DigestError) -> Bool {
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
    /// RFC 7616 §6.1.
    fileprivate var fieldName: String { self == .md5 ? "MD5" : "SHA-256" }
}
