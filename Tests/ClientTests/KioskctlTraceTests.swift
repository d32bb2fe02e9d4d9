import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// `kioskctl printers trace`, and the client's call behind it.
@Suite(.timeLimit(.minutes(10))) struct KioskctlTraceTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ bytes: [UInt8]) -> String {
        "\(String(bytes.count, radix: 16))\r\n\(String(decoding: bytes, as: UTF8.self))\r\n"
    }

    private func events() throws -> [TraceEvent] {
        let printer = try Samples.printer("till-1")
        let time = try #require(Timestamp("2026-11-21T12:03:07.412Z"))
        return [
            TraceEvent(.trace, at: time, of: printer, source: "ipp", message: "→ Print-Job #17\u{1B}[2J"),
            TraceEvent(.dropped, at: time, of: printer, count: 3),
            TraceEvent(.end, at: time, of: printer, message: "the time of the trace is over"),
        ]
    }

    /// A daemon that sends these events and ends the response, or breaks off.
    private func server(_ events: [TraceEvent], breaksOff: Bool = false) throws -> ScriptedServer {
        let text = try events.map { Self.chunk(try $0.serverSentEvent().encoded) }.joined()
        return try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write(Self.head + Self.chunk(ServerSentEvent.keepAlive) + text)
            if breaksOff { return }
            try peer.write("0\r\n\r\n")
            _ = peer.waitForEnd()
        }
    }

    @Test(arguments: APIClientKind.allCases)
    func `the client returns each event, and ends with the stream`(_ kind: APIClientKind) async throws {
        let events = try events()
        let server = try server(events)
        let received = try await kind.client(server).readTrace(try Samples.printer("till-1"), for: .seconds(90))
        #expect(received == events)
        #expect(server.received.map(\.path) == ["/v1/printers/till-1/trace?for=90"])
        #expect(server.received.first?.headers["accept"] == "text/event-stream")
    }

    @Test func `shows a line for each event, in UTC and safe for a terminal`() async throws {
        let server = try server(events())
        let result = try await KioskctlProgram.run(["printers", "trace", "till-1"], server)
        #expect(result.end == .exited(0))
        #expect(
            result.standardOutput == """
                12:03:07.412 ipp  → Print-Job #17\\u{1b}[2J
                12:03:07.412 3 lines are missing: they were not read in time
                12:03:07.412 end: the time of the trace is over

                """)
        #expect(server.received.map(\.path) == ["/v1/printers/till-1/trace?for=600"])
    }

    @Test func `writes a JSON object for each event`() async throws {
        let events = try events()
        let server = try server(events)
        let result = try await KioskctlProgram.run(["printers", "trace", "till-1", "--for", "2h", "--json"], server)
        #expect(result.end == .exited(0))
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.count == events.count)
        let written = try lines.map { try APIJSON.decode(TraceEvent.self, from: Array($0.utf8)) }
        #expect(written.map(\.kind) == events.map(\.kind))
        #expect(written.dropFirst().map(\.message) == events.dropFirst().map(\.message))
        #expect(server.received.map(\.path) == ["/v1/printers/till-1/trace?for=7200"])
    }

    @Test(arguments: [false, true])
    func `a daemon that stops in the middle of a trace is told, and is no success`(_ breaksOff: Bool) async throws {
        let server = try server(Array(events().prefix(1)), breaksOff: breaksOff)
        let result = try await KioskctlProgram.run(["printers", "trace", "till-1"], server)
        #expect(result.end == .exited(69))
        #expect(result.standardOutput.hasPrefix("12:03:07.412 ipp"))
        #expect(
            result.standardError
                == "kioskctl: kioskd stopped, and the trace with it; start kioskd, then trace again\n")
    }

    @Test(arguments: ["0s", "25h", "soon"]) func `a time that is not valid is refused`(_ time: String) async throws {
        let result = try await KioskctlProgram.run(["printers", "trace", "till-1", "--for", time])
        #expect(result.end == .exited(64))
        #expect(result.standardError.contains("write a time from 1s to 24h, such as 10m"))
    }

    @Test func `whoever is refused is told why, with the exit code of missing permission`() async throws {
        let problem = Problem(.notAllowed, detail: "that is for root; use sudo")
        let result = try await KioskctlProgram.run(
            ["printers", "trace", "till-1"], KioskctlProgram.refusing(problem))
        #expect(result.end == .exited(77))
        #expect(result.standardError == "kioskctl: that is for root; use sudo\n")
    }

    @Test func `follows a printer until Ctrl-C`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let child = try ChildProcess(
            BuiltProducts.path("kioskctl"), ["printers", "trace", "till-1", "--socket", daemon.socket])
        try await eventually("the trace to begin") { daemon.log.contains("traces till-1") }
        let job = try await daemon.client().submit(text: "Tea for table 4711")
        #expect(try await daemon.client().job(job.id, wait: .seconds(300)).state == .completed)
        try await child.waitForOutput("→ Print-Job")
        try await child.waitForOutput(" job  job \(job.id)")
        child.signal(SIGINT)
        #expect(try await child.wait() == .exited(130))
        #expect(!child.standardOutput.contains("table 4711"))
    }

    @Test func `ends by itself when the time is over`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let result = try await daemon.kioskctl("printers", "trace", "till-1", "--for", "1s", "--json")
        #expect(result.end == .exited(0))
        let last = try #require(result.standardOutput.split(separator: "\n").last)
        #expect(try APIJSON.decode(TraceEvent.self, from: Array(last.utf8)).kind == .end)
    }
}
