import Foundation
import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Testing

@Suite struct KioskctlRegistryTests {
    @Test func `adding a printer saves it, appends it to the role and contacts it`() async throws {
        let status = try Samples.json(Samples.status("till-2"))
        let role = try Samples.json(Role(name: Samples.role("receipt"), printers: [Samples.printer("till-1")]))
        let server = try ScriptedServer { peer in
            while true {
                let request = try peer.readRequest()
                switch (request.method, request.path) {
                case ("GET", "/v1/printers/till-2"):
                    try peer.respondProblem("404 No", Samples.json(Problem(.unknownPrinter, detail: "no till-2")))
                case (_, "/v1/roles/receipt"): try peer.respond(json: role)
                default: try peer.respond(json: status)
                }
            }
        }
        let result = try await KioskctlProgram.run(
            ["printers", "add", "till-2", "ipp://192.0.2.10", "--role", "receipt", "--location", "Hall"], server)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput.hasPrefix("till-2\n  url "))
        #expect(
            server.received.map { "\($0.method) \($0.path) \(String(decoding: $0.body, as: UTF8.self))" } == [
                "GET /v1/printers/till-2 ",
                #"PUT /v1/printers/till-2 {"location":"Hall","url":"ipp://192.0.2.10/ipp/print"}"#,
                "GET /v1/roles/receipt ",
                #"PUT /v1/roles/receipt {"job-type":"receipt","printers":["till-1","till-2"],"unconfirmed":"reprint"}"#,
                "POST /v1/printers/till-2/contact ",
            ])
    }

    @Test func `adding a printer does not overwrite one`() async throws {
        let server = try KioskctlProgram.server([Samples.json(Samples.status("till-1"))])
        let result = try await KioskctlProgram.run(["printers", "add", "till-1", "ipp://192.0.2.11"], server)
        #expect(result.end == .exited(1))
        #expect(result.standardError.contains("till-1 is saved already, for ipp://192.0.2.10/ipp/print"))
        #expect(server.received.map(\.method) == ["GET"])
    }

    @Test func `watches events as JSON lines until Ctrl-C`() async throws {
        let event = EngineEvent(
            id: 3, time: Timestamp(millisecondsSince1970: 0), kind: .jobCreated, job: try Samples.job())
        let text = String(decoding: try event.serverSentEvent().encoded, as: UTF8.self)
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + text)
            _ = peer.waitForEnd()
        }
        let child = try ChildProcess(BuiltProducts.path("kioskctl"), ["watch", "--json", "--socket", server.path])
        try await child.waitForOutput("\n")
        #expect(try APIJSON.decode(EngineEvent.self, from: Array(child.standardOutput.utf8)) == event)
        child.signal(SIGINT)
        #expect(try await child.wait() == .exited(130))
    }

    /// What bash offers behind `kioskctl printers show `.
    private func completions(_ server: ScriptedServer?) async throws -> [Substring] {
        let program = try BuiltProducts.path("kioskctl")
        let script = """
            source <("$0" --generate-completion-script bash)
            COMP_WORDS=("$0" printers show ''); COMP_CWORD=3; COMP_LINE="$0 printers show "; COMP_POINT=${#COMP_LINE}
            _kioskctl "$0" '' show
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await ChildProcess.run(
            InstalledProgram.path("bash", package: "bash"), ["-c", script, program],
            environment: ["KIOSKD_SOCKET": server?.path ?? "/nonexistent/kioskd.sock"])
        return result.standardOutput.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    }

    @Test func `bash completes printers by asking the daemon, and nothing without it`() async throws {
        let list = try Samples.json(PrinterList(printers: [Samples.status("till-1"), Samples.status("till-2")]))
        #expect(
            try await completions(KioskctlProgram.server([list])).map { $0.trimmingCharacters(in: .whitespaces) } == [
                "till-1", "till-2",
            ])
        #expect(try await completions(nil).isEmpty)
    }
}
