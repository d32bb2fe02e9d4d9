import IPP
import IPPCodec
import PrintModel
import TestSupport
import Testing

/// Answers that are well-formed and wrong: about no job, another job, or nothing that was asked.
@Suite(.timeLimit(.minutes(10))) struct FaultyJobAnswerTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)
    private let long = [UInt8](repeating: 0x20, count: 300 << 10)

    @Test(arguments: [
        [], [IPPAttribute("job-state", .enum(5))], [IPPAttribute("job-id", .integer(0))],
        [IPPAttribute("job-id", .integer(-7))],
        [IPPAttribute("job-id", .keyword("seven"))], [IPPAttribute("job-id", .noValue)],
    ])
    func `a job without a number is taken, and cannot be followed`(attributes: [IPPAttribute]) async throws {
        let printer = try ScriptedPrinter { connection in
            try connection.introduce()
            _ = try connection.readRequest()
            try connection.reply(ScriptedConnection.ok(IPPGroup(.job, attributes)))
            connection.waitForClose()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in }
            #expect(report.remoteJob == nil)
            #expect(report.evidence == .accepted)
            #expect(!report.state.isFinal)
        }
    }

    @Test func `a created job without a number gives way to Print-Job`() async throws {
        let printer = try ScriptedPrinter { connection in
            try connection.introduce()
            while true {
                let request = try connection.readRequest()
                let id: Int32 = request.message.operation == .printJob ? 8 : 0
                try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(id, state: 5)))
            }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.deliver(.receipt("k1", long), to: printer.target) { _ in }
            #expect(report.remoteJob == RemoteJob(identifier: "8"))
        }
    }

    /// Printers count anew when they were switched off and on: the number may be another's by now.
    @Test(arguments: [
        [IPPAttribute("job-name", .name("somebody's letter"))], [IPPAttribute("job-name", .name("k12 Receipt"))],
        [IPPAttribute("job-name", .name("a-k1 Receipt"))],
        [IPPAttribute("job-id", .integer(8))],
        [IPPAttribute("job-id", .integer(8)), IPPAttribute("job-name", .name("k1 Receipt"))],
        [IPPAttribute("job-id", .integer(0))],
    ])
    func `the end of another job is not told as the end of ours`(about: [IPPAttribute]) async throws {
        let printer = try ScriptedPrinter { connection in
            while true {
                _ = try connection.readRequest()
                let state = [IPPAttribute("job-state", .enum(9))]
                try connection.reply(ScriptedConnection.ok(IPPGroup(.job, about + state)))
            }
        }
        defer { printer.stop() }
        var ours = RemoteJob(identifier: "7")
        ours.origin = RemoteJob.Origin(deliveryID: "k1")
        let job = ours
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.follow(job, on: printer.target) { _ in }
            }
            #expect(error.code == .outcomeUnknown)
            #expect(error.remoteJob == job)
        }
    }

    @Test func `a second answer that nobody asked for is the answer to nothing`() async throws {
        let printer = try ScriptedPrinter(
            { connection in
                _ = try connection.readRequest()
                let answer = try ScriptedConnection.response(ScriptedConnection.ok(ScriptedConnection.printer()))
                let stray = try ScriptedConnection.response(
                    ScriptedConnection.ok(ScriptedConnection.job(666, state: 9)))
                try connection.send(answer + stray)
                connection.waitForClose()
            },
            { connection in
                _ = try connection.readRequest()
                try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 5)))
                connection.waitForClose()
            })
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in }
            #expect(report.remoteJob == RemoteJob(identifier: "7"))
        }
        #expect(printer.connectionCount == 2)
    }

    @Test func `an answer before there was a question ends in an error, and nothing was taken`() async throws {
        let printer = try ScriptedPrinter { connection in
            // The client has heard this before it learns that it is connected.
            try connection.reply(ScriptedConnection.status(.serverErrorBusy))
            connection.waitForClose()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in }
            }
            // Whether the question is on its way by then, nobody can say.
            #expect([.protocolViolation, .printerBusy, .connectionLost].contains(error.code))
            #expect(error.bytesAccepted == 0)
        }
    }
}
