import Digests
import Foundation
import IPPCodec
import PrintModel
import TestSupport

@testable import IPP

/// What a scripted printer knows of logins, apart from the code under test but for its parser and hashes.
enum LoginServer {
    static let basic = #"Basic realm="Office", charset="UTF-8""#

    static func digest(_ algorithm: String, nonce: String, isStale: Bool = false) -> String {
        #"Digest realm="Office", qop="auth", nonce="\#(nonce)", algorithm=\#(algorithm), opaque="o p""#
            + (isStale ? ", stale=true" : "")
    }

    /// The parameters of a request's Digest login where it is the right one for this user.
    static func check(
        _ request: ScriptedConnection.Request, user: String = "till", password: String = "geheim"
    ) throws -> [String: String]? {
        guard let field = request.field("authorization"),
            let answer = AuthenticationChallenge.parse([field]).first?.parameters, answer["username"] == user,
            answer["uri"] == "/ipp/print", answer["opaque"] == "o p"
        else { return nil }
        let algorithm: MessageDigest.Algorithm = answer["algorithm"] == "SHA-256" ? .sha256 : .md5
        func hash(_ text: String) throws -> String { try MessageDigest.hexadecimal(algorithm, of: Array(text.utf8)) }
        func value(_ name: String) -> String { answer[name] ?? "" }
        let key = try hash("\(user):Office:\(password)")
        let middle = "\(value("nonce")):\(value("nc")):\(value("cnonce")):auth"
        let response = try hash("\(key):\(middle):\(hash("POST:/ipp/print"))")
        return answer["response"] == response ? answer : nil
    }
}

extension ScriptedConnection.Request {
    /// A header field's value.
    func field(_ name: String) -> String? {
        for line in head.components(separatedBy: "\r\n") where line.lowercased().hasPrefix("\(name):") {
            return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        }
        return nil
    }
}

extension ScriptedConnection {
    /// An answer 401 with a body that has to be drained.
    func demand(_ challenges: String..., fields: String = "") throws {
        let lines = challenges.map { "WWW-Authenticate: \($0)\r\n" }.joined()
        try send(
            "HTTP/1.1 401 Unauthorized\r\n\(lines)\(fields)Content-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>"
        )
    }

    /// Takes whatever was asked.
    func answer(_ request: Request, fields: String = "") throws {
        let group = request.message.operation == .getPrinterAttributes ? Self.printer() : Self.job(7, state: 9)
        try reply(Self.ok(group), fields: fields)
    }
}

/// Credentials that a test changes.
final class ScriptedCredentials: CredentialSource {
    private let answers: Recorder<String>
    private let find: @Sendable (Int) throws -> Credentials

    /// `find` gets the count of questions before.
    init(_ find: @escaping @Sendable (Int) throws -> Credentials) {
        answers = Recorder()
        self.find = find
    }

    convenience init(user: String, _ password: String) {
        self.init { _ in Credentials(user: user, password: Secret(password)) }
    }

    /// The names that were asked for.
    var asked: [String] { answers.all }

    func credentials(named name: String) async throws -> Credentials {
        let count = answers.all.count
        answers.add(name)
        return try find(count)
    }
}
