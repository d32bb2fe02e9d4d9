import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import kioskd

/// A printer's trace, as an admin sees it.
@Suite(.timeLimit(.minutes(10))) struct KioskdTraceTests {
    private static let text = "Tea for table 4711"

    private func stream(_ daemon: KioskdFixture, _ seconds: Int = 600) async throws -> ChildProcess {
        let stream = try ChildProcess(
            try InstalledProgram.path("curl", package: "curl"),
            [
                "-sSN", "-i", "--unix-socket", daemon.socket,
                "http://localhost/v1/printers/till-1/trace?for=\(seconds)",
            ])
        try await stream.waitForOutput(": still here")
        return stream
    }

    private func events(_ text: String) throws -> [TraceEvent] {
        var parser = ServerSentEventParser()
        let body = text.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
        return try parser.parse(Array(body.utf8)).compactMap { try TraceEvent($0) }
    }

    @Test func `a receipt's operations and steps show as they happen, and its text never`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let trace = try await stream(daemon)
        let job = try await daemon.client().submit(text: Self.text)
        #expect(try await daemon.client().job(job.id, wait: .seconds(300)).state == .completed)
        try await trace.waitForOutput("→ Print-Job")
        try await trace.waitForOutput("← Print-Job")
        try await eventually("the job's last step") {
            try events(trace.standardOutput).contains { event in
                event.source == "job" && event.message?.hasPrefix("job \(job.id)") == true
                    && event.message?.contains("completed") == true
            }
        }
        let seen = try events(trace.standardOutput)
        #expect(seen.allSatisfy { $0.kind == .trace && $0.printer.rawValue == "till-1" && $0.source != nil })
        #expect(!trace.standardOutput.contains("table 4711"))
        try await eventually("the trace in the log") { daemon.log.contains("traces till-1") }
        trace.kill()
        try await trace.wait()
        try await eventually("the end of the trace") { daemon.log.contains("the trace of till-1 for uid:") }
    }

    @Test func `with the log level trace the log has every line`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri], arguments: ["--log-level", "trace"])
        let job = try await daemon.client().submit(text: Self.text)
        #expect(try await daemon.client().job(job.id, wait: .seconds(300)).state == .completed)
        try await eventually("the operation in the log") { daemon.log.contains("→ Print-Job") }
        let line = try #require(daemon.log.split(separator: "\n").first { $0.contains("→ Print-Job") })
        #expect(line.contains(" trace ") && line.contains("source=ipp") && line.contains("printer=ipp://"))
        #expect(!daemon.log.contains("table 4711"))
    }

    @Test(.enabled(if: geteuid() == 0)) func `another user is refused`() async throws {
        let daemon = try await KioskdFixture.open(registry: KioskdFixture.registry(["ipp://192.0.2.1/ipp/print"]))
        let refused = try await OtherUser.curl(daemon, "/v1/printers/till-1/trace?for=1")
        #expect(refused.status == 403)
        let problem = try refused.json(Problem.self)
        #expect(problem.code == .notAllowed)
        #expect(problem.detail?.contains("tracing printers") == true)
    }

    @Test func `it ends by itself`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let response = try await daemon.curl("/v1/printers/till-1/trace?for=1", deadline: .seconds(30))
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/event-stream")
        #expect(response.exit == .exited(0))
        let last = try #require(try events("\r\n\r\n" + response.text).last)
        #expect(last.kind == .end)
        #expect(last.message?.contains("time") == true)
    }

    @Test func `it ends when the daemon shuts down`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let trace = try await stream(daemon)
        #expect(try await daemon.terminate() == .exited(0))
        #expect(try await trace.wait().isSuccess)
    }

    static let invalid: [(path: String, status: Int, code: Problem.Code)] = [
        ("till-1/trace?for=0", 400, .invalidParameter), ("till-1/trace?for=86401", 400, .invalidParameter),
        ("till-1/trace?for=10m", 400, .invalidParameter), ("till-1/trace?to=10", 400, .invalidParameter),
        ("till-9/trace", 404, .unknownPrinter), ("Till%201/trace", 404, .unknownPrinter),
    ]

    @Test(arguments: invalid) func `what is not valid is refused`(
        path: String, status: Int, code: Problem.Code
    ) async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let response = try await daemon.curl("/v1/printers/\(path)")
        #expect(response.status == status)
        #expect(try response.json(Problem.self).code == code)
    }

    @Test func `it follows the printer to a new URL, and ends when the printer is removed`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "ipp://localhost:\(try freePort())/ipp/print" }
                """)
        let trace = try await stream(daemon)
        let moved = try await daemon.curlJSON("PUT", "/v1/printers/till-1", #"{"url":"\#(printer.uri)"}"#)
        #expect(moved.status == 200)
        try await trace.waitForOutput("from now on")
        #expect(try await daemon.submit(Self.text, "printer=till-1&wait=300").json(Job.self).state == .completed)
        try await trace.waitForOutput("→ Print-Job")
        #expect(try await daemon.curl("/v1/printers/till-1", ["-X", "DELETE"]).status == 204)
        #expect(try await trace.wait().isSuccess)
        let last = try #require(try events(trace.standardOutput).last)
        #expect(last.kind == .end)
        #expect(last.message == "till-1 was removed from the registry")
    }

    @Test func `the number of traces is bounded, and one that ended makes room`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        var traces: [ChildProcess] = []
        for _ in 0..<CallerLimits().traces.bounds.total { traces.append(try await stream(daemon)) }
        let refused = try await daemon.curl("/v1/printers/till-1/trace?for=1")
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] == "2")
        #expect(try refused.json(Problem.self).code == .overloaded)
        let first = traces.removeFirst()
        first.kill()
        try await first.wait()
        try await eventually("room for another trace") {
            try await daemon.curl("/v1/printers/till-1/trace?for=1").status == 200
        }
        for trace in traces { trace.kill() }
    }
}

@Suite struct TraceBacklogTests {
    private static let printer = PrinterID(rawValue: "till-1")!

    private func line(_ message: String) -> TraceEvent {
        TraceEvent(
            .trace, at: Timestamp(millisecondsSince1970: 0), of: Self.printer, source: "ipp", message: message)
    }

    @Test func `what finds no room is counted in its place`() {
        let backlog = TraceBacklog(maximumCount: 2, maximumLength: 100)
        #expect(backlog.append(line("a")))
        #expect(!backlog.append(line("b")))
        #expect(!backlog.append(line("c")))
        #expect(!backlog.append(line("d")))
        let events = backlog.take()
        #expect(events.map(\.kind) == [.trace, .trace, .dropped])
        #expect(events.last?.count == 2)
        #expect(backlog.append(line("e")))
        #expect(backlog.take().map(\.message) == ["e"])
        #expect(backlog.take().isEmpty)
    }

    @Test func `it is bounded in bytes, and keeps the order`() {
        let backlog = TraceBacklog(maximumCount: 10, maximumLength: 4)
        #expect(backlog.append(line("abc")))
        #expect(!backlog.append(line("de")))
        // It would fit, but comes after one that was dropped.
        #expect(!backlog.append(line("f")))
        #expect(backlog.take().map(\.count) == [nil, 2])
    }

    @Test func `there is always room for one line, however long it is`() {
        let backlog = TraceBacklog(maximumCount: 10, maximumLength: 4)
        for message in ["abcde", "fghij"] {
            #expect(backlog.append(line(message)))
            #expect(!backlog.append(line("k")))
            #expect(backlog.take().map(\.kind) == [.trace, .dropped])
        }
    }

    @Test func `there is always room for the end`() {
        let backlog = TraceBacklog(maximumCount: 1, maximumLength: 100)
        _ = backlog.append(line("a"))
        _ = backlog.append(line("b"))
        backlog.end(TraceEvent(.end, at: Timestamp(millisecondsSince1970: 1), of: Self.printer))
        #expect(backlog.take().map(\.kind) == [.trace, .dropped, .end])
    }
}
