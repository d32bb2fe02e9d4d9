import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// HTTP on the socket: bodies that are cut off, too long or announced, and connections that are reused or bad.
@Suite struct KioskdConnectionTests {
    private static let head = "POST /v1/jobs?role=receipt HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"

    private func daemon(_ arguments: [String] = []) async throws -> KioskdFixture {
        try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"], arguments: arguments)
    }

    private func storedNothing(_ daemon: KioskdFixture) async throws -> Bool {
        let files = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.appending("documents"))
        return try await daemon.client().jobs().jobs.isEmpty && files.isEmpty
    }

    @Test(arguments: ["Content-Length: 300000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n20000\r\n"])
    func `a body that is cut off stores nothing`(framing: String) async throws {
        let daemon = try await daemon()
        do {
            let connection = try RawConnection(daemon.socket)
            try await connection.send(Self.head + framing + String(repeating: "x", count: 131_072))
        }
        try await eventually("nothing to be left") { try await storedNothing(daemon) }
        #expect(try daemon.process.isRunning)
    }

    @Test(arguments: ["Content-Length: 300000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n20000\r\n"])
    func `a client that stops sending amid the body is told so`(framing: String) async throws {
        let daemon = try await daemon()
        let connection = try RawConnection(daemon.socket)
        try await connection.send(Self.head + framing + "TEA")
        connection.finishSending()
        let response = try await connection.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 400"))
        #expect(response.contains("body-cut-off"))
        #expect(try await storedNothing(daemon))
    }

    @Test func `a body that is announced as too long is refused before it is sent`() async throws {
        let daemon = try await daemon()
        let connection = try RawConnection(daemon.socket)
        try await connection.send(Self.head + "Content-Length: 2147483648\r\nExpect: 100-continue\r\n\r\n")
        let response = try await connection.read(until: "document-too-large")
        #expect(response.hasPrefix("HTTP/1.1 413"))
        #expect(response.lowercased().contains("connection: close"))
    }

    @Test func `2 GB that come all the same get their response, and little of them is read`() async throws {
        let daemon = try await daemon(["--max-document-size", "1M"])
        let file = daemon.folder.appending("huge")
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        try FileHandle(forWritingTo: URL(fileURLWithPath: file)).truncate(atOffset: 2 << 30)
        for framing in ["Expect:", "Transfer-Encoding: chunked"] {
            let response = try await daemon.curl(
                "/v1/jobs?role=receipt", ["-H", "Content-Type: text/plain", "-H", framing, "-T", file, "-X", "POST"])
            #expect(response.status == 413, "\(framing): \(response.text) \(response.exit)")
            #expect(try response.json(Problem.self).code == .documentTooLarge)
        }
        #expect(try await storedNothing(daemon))
    }

    @Test func `a client that asks before sending is told to go on, and to stop`() async throws {
        let daemon = try await daemon()
        let connection = try RawConnection(daemon.socket)
        try await connection.send(Self.head + "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        try await connection.read(until: "HTTP/1.1 100 Continue\r\n\r\n")
        try await connection.send("TEA")
        let accepted = try await connection.read(until: "\r\n\r\n")
        #expect(accepted.hasPrefix("HTTP/1.1 202"))
        let unknown = Self.head.replacingOccurrences(of: "role=receipt", with: "role=bar")
        let other = try RawConnection(daemon.socket)
        try await other.send(unknown + "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(try await other.read(until: "unknown-role").hasPrefix("HTTP/1.1 404"))
    }

    @Test func `requests that come at once on one connection are answered in order`() async throws {
        let daemon = try await daemon()
        let connection = try RawConnection(daemon.socket)
        let get = "GET /v1/roles/receipt HTTP/1.1\r\nHost: x\r\n\r\n"
        try await connection.send(
            get + "GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n"
                + get.replacingOccurrences(of: "x\r\n", with: "x\r\nConnection: close\r\n"))
        let responses = try await connection.readToEnd().components(separatedBy: "HTTP/1.1 ").dropFirst().map {
            $0.prefix(3)
        }
        #expect(responses == ["200", "404", "200"])
    }

    private static let malformed: [(request: String, code: Problem.Code)] = [
        ("rubbish\r\n\r\n", .malformedRequest), ("\u{16}\u{3}\u{1}\u{0}\r\n\r\n", .malformedRequest),
        ("GET /v1/hea", .malformedRequest),
        ("GET /v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", .malformedRequest),
        (
            "POST /v1/jobs?role=receipt HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nTEA",
            .malformedRequest
        ),
        (
            "POST /v1/jobs?role=receipt HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\nTEA",
            .malformedRequest
        ),
        ("G@T /v1/health HTTP/1.1\r\nHost: x\r\n\r\n", .malformedRequest),
        ("GET /v1/health HTTP/1.1\r\n: x\r\n\r\n", .malformedRequest),
        ("GET /v1/health HTTP/9.9\r\nHost: x\r\n\r\n", .httpVersionNotSupported),
        (
            "GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Long: \(String(repeating: "x", count: 40_000))\r\n\r\n",
            .headerTooLarge
        ),
        (
            "GET /v1/health HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X-Many: 1\r\n", count: 200) + "\r\n",
            .headerTooLarge
        ),
        (
            "POST /v1/jobs?role=receipt HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            .bodyCutOff
        ),
        (head + "Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nTEA\r\n0\r\n\r\n", .transferCodingNotSupported),
        (
            head + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nTEA\r\n0\r\n\r\n",
            .transferCodingNotSupported
        ),
    ]

    @Test(arguments: malformed.indices)
    func `a request that is not HTTP is refused in words, and the daemon lives on`(index: Int) async throws {
        let (request, code) = Self.malformed[index]
        let daemon = try await daemon()
        let connection = try RawConnection(daemon.socket)
        try? await connection.send(request)
        connection.finishSending()
        let responses = try await connection.readToEnd().components(separatedBy: "HTTP/1.1 ").dropFirst()
        let response = try #require(responses.first)
        #expect(responses.count == 1, "\(responses)")
        #expect(response.hasPrefix("\(code.status) "), "\(response)")
        #expect(response.lowercased().contains("content-type: application/problem+json\r\n"), "\(response)")
        let body = try #require(response.components(separatedBy: "\r\n\r\n").last)
        let problem = try APIJSON.decode(Problem.self, from: Array(body.utf8))
        #expect(problem.code == code)
        #expect(problem.detail?.isEmpty == false)
        #expect(try await daemon.curl("/v1/health").status == 200)
        #expect(try await storedNothing(daemon))
    }

    @Test func `rubbish behind a request is answered behind its response`() async throws {
        let daemon = try await daemon()
        let connection = try RawConnection(daemon.socket)
        try await connection.send("GET /v1/roles/receipt HTTP/1.1\r\nHost: x\r\n\r\nrubbish\r\n\r\n")
        let responses = try await connection.readToEnd().components(separatedBy: "HTTP/1.1 ").dropFirst()
        #expect(responses.map { $0.prefix(3) } == ["200", "400"])
        #expect(responses.last?.contains("malformed-request") == true)
    }

    @Test func `HEAD gives the head alone`() async throws {
        let daemon = try await daemon()
        let connection = try RawConnection(daemon.socket)
        try await connection.send("HEAD /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let response = try await connection.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 200"))
        #expect(response.hasSuffix("\r\n\r\n"))
    }

    @Test func `a refused HEAD has no body that the next response could be taken for`() async throws {
        let daemon = try await daemon()
        let connection = try RawConnection(daemon.socket)
        try await connection.send(
            "HEAD /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\nHEAD /v1/jobs/99 HTTP/1.1\r\nHost: x\r\n\r\n"
                + "HEAD /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let responses = try await connection.readToEnd().components(separatedBy: "\r\n\r\n")
        #expect(responses.map { $0.prefix(12) } == ["HTTP/1.1 404", "HTTP/1.1 404", "HTTP/1.1 200", ""])
    }

    @Test func `an expectation that cannot be met is a problem with words`() async throws {
        let daemon = try await daemon()
        let response = try await daemon.curl("/v1/health", ["-H", "Expect: miracles"])
        #expect(response.status == 417)
        #expect(try response.json(Problem.self).code == .expectationFailed)
    }

    @Test func `a client that hangs up while it waits leaves nothing running for it`() async throws {
        let daemon = try await daemon()
        let job = try await daemon.client().submit(text: "TEA")
        let connection = try RawConnection(daemon.socket)
        try await connection.send("GET /v1/jobs/\(job.id)?wait=600 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        connection.finishSending()
        // Half-closed: the response comes at once instead of after ten minutes.
        #expect(try await connection.readToEnd().contains("\"job-state\":\"pending\""))
    }

    @Test(arguments: [
        "", "GET /v1/hea", "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n", head + "Content-Length: 300000\r\n\r\nTEA",
    ])
    func `a connection on which nothing moves is closed`(sent: String) async throws {
        let daemon = try await daemon(["--idle-timeout", "1"])
        let connection = try RawConnection(daemon.socket)
        try await connection.send(sent)
        _ = try await connection.readToEnd()
        // On a loaded machine a second may pass before the next question is sent, too.
        try await eventually("nothing to be left") {
            (try? await storedNothing(daemon)) == true
        }
    }

    @Test func `a job that is waited for is not an idle connection`() async throws {
        let daemon = try await daemon(["--idle-timeout", "1"])
        let response = try await daemon.submit("TEA", "role=receipt&wait=3", ["--retry", "3", "--retry-all-errors"])
        #expect(response.status == 202)
        #expect(try response.json(Job.self).state == .pending)
    }
}
