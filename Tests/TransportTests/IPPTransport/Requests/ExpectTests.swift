import KioskIPPCodec
import KioskPrintModel
import Synchronization
import Testing

@testable import KioskIPP

/// `Expect: 100-continue` where a printer's quirk asks for it.
@Suite struct ExpectTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)
    private static let quirk = Quirk(name: .expect, value: "on", why: "a test", source: "here", profile: "scripted")

    private func deliver(_ script: @escaping ScriptedPrinter.Script) async throws -> JobReport {
        let printer = try ScriptedPrinter(script)
        defer { printer.stop() }
        let transport = IPPTransport(quirks: { _ in [Self.quirk] }, deadlines: .patient)
        let result: Result<JobReport, any Error>
        do {
            result = .success(try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in })
        } catch {
            result = .failure(error)
        }
        await transport.shutDown()
        return try result.get()
    }

    /// Serves until a request's head expects something, and hands that head over.
    private static func untilExpected(_ connection: ScriptedConnection, _ then: () throws -> Void) throws {
        try connection.introduce(BrokenConnectionTests.withoutCreateJob)
        let head = try connection.readHead()
        try #require(head.contains("Expect: 100-continue\r\n"))
        try then()
    }

    @Test func `the document follows a 100`() async throws {
        let report = try await deliver { connection in
            try Self.untilExpected(connection) {
                try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
                try connection.respondWithContent()
            }
        }
        #expect(report.state == .completed)
    }

    @Test func `the document follows a second of silence`() async throws {
        let report = try await deliver { connection in
            try Self.untilExpected(connection) { try connection.respondWithContent() }
        }
        #expect(report.state == .completed)
    }

    @Test func `a 417 repeats the request without it`() async throws {
        let heads = Atomic(0)
        let report = try await deliver { connection in
            if heads.add(1, ordering: .relaxed).newValue == 1 {
                try Self.untilExpected(connection) {
                    try connection.send(
                        "HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                }
            } else {
                let request = try connection.readRequest()
                try #require(request.field("expect") == nil)
                try connection.respond(to: request)
            }
        }
        #expect(report.state == .completed)
    }

    @Test func `an early refusal ends it, and nothing was taken`() async throws {
        do {
            _ = try await deliver { connection in
                try Self.untilExpected(connection) {
                    try connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
                    connection.waitForClose()
                }
            }
            Issue.record("it was taken")
        } catch let error as TransportError {
            #expect(error.code == .jobRefused)
            #expect(error.bytesAccepted == 0)
        }
    }
}

extension ScriptedConnection {
    /// Reads an IPP message with a document of 14 octets whose HTTP head was read before, and takes the job.
    fileprivate func respondWithContent() throws {
        var decoder = IPPDecoder()
        while true {
            if case .complete = try decoder.feed(read(1)) { break }
        }
        try read(14)
        try reply(Self.ok(Self.job(7, state: 9)))
    }
}
