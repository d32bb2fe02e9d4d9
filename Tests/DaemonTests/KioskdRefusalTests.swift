import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Bad input: each kind gets a clear problem, nothing is stored, and the daemon lives on.
@Suite struct KioskdRefusalTests {
    struct Bad: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var query: String
        var arguments: [String] = []
        var text = "TEA"
        var status: Int
        var code: Problem.Code
    }

    static let bad: [Bad] = [
        Bad(testDescription: "an unknown role", query: "role=bar", status: 404, code: .unknownRole),
        Bad(testDescription: "an unknown printer", query: "printer=till-9", status: 404, code: .unknownPrinter),
        Bad(testDescription: "no destination", query: "", status: 400, code: .invalidParameter),
        Bad(
            testDescription: "role and printer", query: "role=receipt&printer=till-1", status: 400,
            code: .invalidParameter),
        Bad(
            testDescription: "a role that is not a name", query: "role=Not%20a%20name", status: 400,
            code: .invalidParameter),
        Bad(testDescription: "a role without printers", query: "role=nobody", status: 409, code: .roleWithoutPrinters),
        Bad(testDescription: "an empty document", query: "role=receipt", text: "", status: 400, code: .emptyDocument),
        Bad(
            testDescription: "no media type", query: "role=receipt", arguments: ["-H", "Content-Type: rubbish"],
            status: 400,
            code: .invalidParameter),
        Bad(
            testDescription: "a control character in the name", query: "role=receipt&name=a%0Ab", status: 400,
            code: .invalidParameter),
        Bad(
            testDescription: "a terminal escape in the user", query: "role=receipt&user=%1B%5B2J", status: 400,
            code: .invalidParameter),
        Bad(
            testDescription: "a name without end", query: "role=receipt&name=\(String(repeating: "n", count: 300))",
            status: 400, code: .invalidParameter),
        Bad(testDescription: "no UTF-8", query: "role=receipt&name=%FF", status: 400, code: .invalidParameter),
        Bad(testDescription: "no copies", query: "role=receipt&copies=0", status: 400, code: .invalidTicket),
        Bad(
            testDescription: "a parameter that nobody knows", query: "role=receipt&copys=2", status: 400,
            code: .invalidParameter),
        Bad(
            testDescription: "a parameter twice", query: "role=receipt&role=receipt", status: 400,
            code: .invalidParameter),
        Bad(testDescription: "an endless wait", query: "role=receipt&wait=99999", status: 400, code: .invalidParameter),
        Bad(
            testDescription: "JSON that is none", query: "wait=1", arguments: ["-H", "Content-Type: application/json"],
            status: 400, code: .invalidJSON),
        Bad(
            testDescription: "an unknown key in JSON", query: "", arguments: ["-H", "Content-Type: application/json"],
            text: #"{"rolle":"receipt","document":{"text":"x"}}"#, status: 400, code: .invalidJSON),
        Bad(
            testDescription: "JSON with a bad role", query: "", arguments: ["-H", "Content-Type: application/json"],
            text: #"{"role":"Über","document":{"text":"x"}}"#, status: 400, code: .invalidJSON),
        Bad(
            testDescription: "a document above the bound", query: "role=receipt",
            text: String(repeating: "x", count: 70_000),
            status: 413, code: .documentTooLarge),
        Bad(
            testDescription: "a chunked document above the bound", query: "role=receipt",
            arguments: ["-H", "Transfer-Encoding: chunked"], text: String(repeating: "x", count: 70_000), status: 413,
            code: .documentTooLarge),
        Bad(
            testDescription: "an idempotency key with a space", query: "role=receipt",
            arguments: ["-H", "Idempotency-Key: a b"],
            status: 400, code: .invalidParameter),
    ]

    @Test func `each bad submission gets its problem and stores nothing`() async throws {
        let daemon = try await KioskdFixture(
            printers: ["ipp://localhost:\(try freePort())/ipp/print"], more: "  nobody:\n    printers: []\n",
            arguments: ["--max-document-size", "65536"])
        for bad in Self.bad {
            let types =
                bad.arguments.contains { $0.hasPrefix("Content-Type") } ? [] : ["-H", "Content-Type: text/plain"]
            let file = try daemon.folder.write(bad.text, to: "bad")
            let response = try await daemon.curl(
                "/v1/jobs?\(bad.query)", ["--data-binary", "@\(file)"] + types + bad.arguments)
            let problem = try response.json(Problem.self)
            #expect(response.status == bad.status, "\(bad.testDescription): \(response.text)")
            #expect(problem.status == bad.status, "\(bad.testDescription)")
            #expect(problem.code == bad.code, "\(bad.testDescription): \(response.text)")
            #expect(problem.detail?.isEmpty == false, "\(bad.testDescription)")
            #expect(problem.detail?.hasControlCharacters == false, "\(bad.testDescription)")
            #expect(response.headers["content-type"] == "application/problem+json", "\(bad.testDescription)")
        }
        #expect(try await daemon.client().jobs().jobs.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.folder.appending("documents")).isEmpty)
        #expect(try daemon.process.isRunning)
        #expect(!daemon.log.contains("\u{1B}"))
    }

    @Test(
        arguments: [
            ("GET", "/v1/nothing", 404, Problem.Code.notFound, nil),
            ("GET", "/nowhere", 404, .notFound, nil),
            ("PATCH", "/v1/jobs", 405, .methodNotAllowed, "GET, HEAD, POST"),
            ("POST", "/v1/health", 405, .methodNotAllowed, "GET, HEAD"),
            ("GET", "/v1/jobs/1", 404, .unknownJob, nil),
            ("GET", "/v1/jobs/none", 404, .unknownJob, nil),
            ("GET", "/v1/jobs/99999999999999999999999", 404, .unknownJob, nil),
            ("DELETE", "/v1/jobs/7", 404, .unknownJob, nil),
            ("GET", "/v1/jobs?state=asleep", 400, .invalidParameter, nil),
            ("GET", "/v1/jobs?limit=0", 400, .invalidParameter, nil),
            ("GET", "/v1/health?verbose=1", 400, .invalidParameter, nil),
            ("GET", "/v1/health?role=receipt&printer=till-1", 400, .invalidParameter, nil),
            ("GET", "/v1/printers/till-9", 404, .unknownPrinter, nil),
            ("GET", "/v1/printers?role=bar", 404, .unknownRole, nil),
            ("GET", "/v1/printers?job-type=poster", 400, .invalidParameter, nil),
            ("POST", "/v1/printers/till-9/contact", 404, .unknownPrinter, nil),
            ("DELETE", "/v1/printers/till-1", 409, .printerInUse, nil),
            ("DELETE", "/v1/printers/till-9", 404, .unknownPrinter, nil),
            ("GET", "/v1/roles/bar", 404, .unknownRole, nil),
            ("DELETE", "/v1/roles/bar", 404, .unknownRole, nil),
        ] as [(String, String, Int, Problem.Code, String?)])
    func `each bad question gets its problem`(
        method: String, path: String, status: Int, code: Problem.Code, allow: String?
    ) async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let response = try await daemon.curl(path, ["-X", method])
        #expect(response.status == status, "\(response.text)")
        #expect(try response.json(Problem.self).code == code)
        #expect(response.headers["allow"] == allow)
    }

    @Test(arguments: [
        ("/v1/printers/till-2", #"{"url":"ipp://u:secret@host/ipp/print"}"#, 400, Problem.Code.invalidJSON),
        ("/v1/printers/till-2", #"{"url":"gopher://host/"}"#, 400, .invalidJSON),
        ("/v1/printers/till-2", #"{"uri":"ipp://host/"}"#, 400, .invalidJSON),
        ("/v1/printers/till-2", "", 400, .invalidJSON),
        ("/v1/printers/Till", #"{"url":"ipp://host/"}"#, 404, .unknownPrinter),
        ("/v1/roles/bar", #"{"printers":["till-9"]}"#, 422, .registryRefused),
        ("/v1/roles/bar", #"{"printers":["till-1"],"job-type":"poster"}"#, 400, .invalidJSON),
        ("/v1/roles/bar", #"{"printers":["till-1"],"defaults":{"copies":0}}"#, 422, .registryRefused),
    ])
    func `each bad change of the registry gets its problem, and changes nothing`(
        path: String, body: String, status: Int, code: Problem.Code
    ) async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let before = try readFile(daemon.registryPath)
        let response = try await daemon.curlJSON("PUT", path, body)
        #expect(response.status == status, "\(response.text)")
        #expect(try response.json(Problem.self).code == code)
        #expect(!response.text.contains("secret"))
        #expect(try readFile(daemon.registryPath) == before)
    }

    @Test func `a printer that does not do the job type or the format is refused as soon as that is known`()
        async throws
    {
        let laser = try await SimulatedPrinter.start(.init(.laser))
        let daemon = try await KioskdFixture(printers: [laser.uri], more: "  page:\n    printers: [till-1]\n")
        _ = try await daemon.curl("/v1/printers/till-1/contact", ["-X", "POST"])
        let type = try await daemon.submit("TEA", "role=receipt")
        #expect(type.status == 422, "\(type.text)")
        #expect(try type.json(Problem.self).code == .jobTypeNotSupported)
        let format = try await daemon.submit("x", "role=page&document-format=image%2Fx-unheard-of")
        #expect(format.status == 415, "\(format.text)")
        #expect(try format.json(Problem.self).code == .formatNotSupported)
    }
}
