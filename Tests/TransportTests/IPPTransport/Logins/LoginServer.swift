import KioskDigests
import KioskPrintModel
import KioskTestSupport

@testable import KioskIPP

/// The server side of logins for scripted printers. It shares only the parser and the hashes with the code under test.
enum LoginServer {
    static let basic = #"Basic realm="Office", charset="UTF-8""#

    static func digest(_ algorithm: String, nonce: String, isStale: Bool = false) -> String {
        #"Digest realm="Office", qop="auth", nonce="\#(nonce)", algorithm=\#(algorithm), opaque="o p""#
            + (isStale ? ", stale=true" : "")
    }

    /// The parameters of a request's Digest login, where it is the right one for this user.
    static func check(
        _ request: ScriptedConnection.Request, user: String = "till", password: String = "geheim"
    ) throws -> [String: String]? {
        guard let field = request.field("authorization"),
            let login = AuthenticationChallenge.parse([field]).first?.parameters, login["username"] == user,
            login["uri"] == "/ipp/print", login["opaque"] == "o p"
        else { return nil }
        let algorithm: MessageDigest.Algorithm = login["algorithm"] == "SHA-256" ? .sha256 : .md5
        func hash(_ text: String) throws -> String { try MessageDigest.hexadecimal(algorithm, of: Array(text.utf8)) }
        func value(_ name: String) -> String { login[name] ?? "" }
        let key = try hash("\(user):Office:\(password)")
        let middle = "\(value("nonce")):\(value("nc")):\(value("cnonce")):auth"
        let response = try hash("\(key):\(middle):\(hash("POST:/ipp/print"))")
        return login["response"] == response ? login : nil
    }
}

/// Credentials that a test changes from one read to the next.
final class ScriptedCredentials: CredentialSource {
    private let names: Recorder<String>
    private let find: @Sendable (Int) throws -> Credentials

    /// `find` gets the count of earlier reads.
    init(_ find: @escaping @Sendable (Int) throws -> Credentials) {
        names = Recorder()
        self.find = find
    }

    convenience init(user: String, _ password: String) {
        self.init { _ in Credentials(user: user, password: Secret(password)) }
    }

    /// The names that were asked for.
    var asked: [String] { names.all }

    func credentials(named name: String) async throws -> Credentials {
        let count = names.all.count
        names.add(name)
        return try find(count)
    }
}
