import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// The event stream, as curl and the client read it.
@Suite struct KioskdEventsTests {
    private func stream(_ daemon: KioskdFixture, after id: String? = nil) throws -> ChildProcess {
        let resume = id.map { ["-H", "Last-Event-ID: \($0)"] } ?? []
        return try ChildProcess(
            try InstalledProgram.path("curl", package: "curl"),
            ["-sSN", "-i", "--unix-socket", daemon.socket] + resume + ["http://localhost/v1/events"])
    }

    private func events(_ stream: ChildProcess) throws -> [EngineEvent] {
        var parser = ServerSentEventParser(lastEventID: nil)
        let body = stream.standardOutput.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
        return try parser.parse(Array(body.utf8)).compactMap { try EngineEvent($0) }
    }

    @Test func `a job's life shows as it happens, and a client that comes back misses nothing`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let first = try stream(daemon)
        try await first.waitForOutput("text/event-stream")
        let client = daemon.client()
        let job = try await client.submit(text: "TEA")
        _ = try await client.job(job.id, wait: .seconds(300))
        try await first.waitForOutput("\"completed\"")
        let seen = try events(first)
        #expect(seen.map(\.id) == seen.map(\.id).sorted())
        let created = try #require(seen.first { $0.kind == .jobCreated })
        #expect(created.job?.id == job.id)

        _ = try await client.submit(text: "CAKE")
        _ = try await client.job(job.id + 1, wait: .seconds(300))
        try await first.waitForOutput("\"id\":\(job.id + 1),")
        let missed = try events(first).filter { $0.id > created.id && $0.kind != .jobProgress }.map(\.id)
        let last = try #require(missed.last)
        let second = try stream(daemon, after: String(created.id))
        try await eventually("the missed events") {
            let resumed = try events(second)
            return resumed.contains { $0.id >= last }
                && resumed.contains { $0.job?.id == job.id + 1 && $0.job?.state == .completed }
        }
        let resumed = try events(second)
        #expect(!resumed.contains { $0.id <= created.id })
        #expect(resumed.filter { $0.kind != .jobProgress }.map(\.id).starts(with: missed))
    }

    @Test func `a client from before the daemon's start is told to read anew`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let stream = try stream(daemon, after: "1")
        try await stream.waitForOutput("event: resync")
    }

    @Test func `an id that is not a number is refused`() async throws {
        let daemon = try await KioskdFixture()
        let response = try await daemon.curl("/v1/events", ["-H", "Last-Event-ID: yesterday"])
        #expect(try response.json(Problem.self).code == .invalidParameter)
    }

    @Test func `the stream ends when the daemon shuts down`() async throws {
        let daemon = try await KioskdFixture()
        let stream = try stream(daemon)
        try await stream.waitForOutput("text/event-stream")
        #expect(try await daemon.terminate() == .exited(0))
        #expect(try await stream.wait().isSuccess)
    }

    @Test func `a client that reads nothing holds up nobody, and costs little`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let deaf = try (0..<20).map { _ in try RawConnection(daemon.socket) }
        for connection in deaf { try await connection.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n") }
        let client = daemon.client()
        for number in 1...200 { _ = try await client.submit(text: "\(number)") }
        #expect(try await client.job(200, wait: .seconds(300)).state == .completed)
        #expect(try daemon.residentMemory() < 150 << 20)
        withExtendedLifetime(deaf) {}
    }
}
