import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskTestSupport

/// What curl got.
struct CurlResponse: Sendable {
    var status: Int
    /// By lower-case name, of the final response.
    var headers: [String: String]
    var body: [UInt8]
    /// What curl itself ended with; 0 is success.
    var exit: ChildProcess.End

    var text: String { String(decoding: body, as: UTF8.self) }

    func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try APIJSON.decode(type, from: body)
        } catch {
            throw TestSupportError("\(type) expected, got \(status): \(text)")
        }
    }
}

extension KioskdFixture {
    /// Asks with curl, as a till's script would. `arguments` are curl's own.
    func curl(
        _ path: String, _ arguments: [String] = [], deadline: Duration = .seconds(600)
    ) async throws -> CurlResponse {
        let responses = try TemporaryFolder("curl")
        let result = try await ChildProcess.run(
            try InstalledProgram.path("curl", package: "curl"),
            [
                "-sS", "--unix-socket", socket, "-D", responses.appending("head"), "-o", responses.appending("body"),
                "-w", "%{http_code}",
            ] + arguments + ["http://localhost\(path)"],
            deadline: deadline)
        let head = String(decoding: (try? responses.read("head")) ?? [], as: UTF8.self)
        let last = head.components(separatedBy: "\r\n\r\n").last { !$0.isEmpty } ?? ""
        var headers: [String: String] = [:]
        for line in last.components(separatedBy: "\r\n").dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        return CurlResponse(
            status: Int(result.standardOutput) ?? 0, headers: headers, body: (try? responses.read("body")) ?? [],
            exit: result.end)
    }

    func curlJSON(_ method: String, _ path: String, _ body: String) async throws -> CurlResponse {
        try await curl(path, ["-X", method, "-H", "Content-Type: application/json", "--data-binary", body])
    }

    /// Submits a text with curl.
    func submit(
        _ text: String, _ query: String = "role=receipt", _ arguments: [String] = []
    ) async throws -> CurlResponse {
        let file = try TemporaryFolder("document")
        try file.write(text, to: "text")
        return try await curl(
            "/v1/jobs?\(query)",
            ["-H", "Content-Type: text/plain", "--data-binary", "@\(file.appending("text"))"] + arguments)
    }
}
