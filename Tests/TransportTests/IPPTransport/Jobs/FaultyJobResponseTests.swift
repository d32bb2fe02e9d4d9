import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

/// Responses that are well-formed and wrong: about no job, about another job, or to no request.
@Suite(.timeLimit(.minutes(10))) struct FaultyJobResponseTests {
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

    /// Printers count anew after they are switched off and on: the number may be another job's by now.
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

    @Test func `a second response that nobody asked for belongs to no request`() async throws {
        let printer = try ScriptedPrinter(
            { connection in
                _ = try connection.readRequest()
                let response = try ScriptedConnection.response(ScriptedConnection.ok(ScriptedConnection.printer()))
                let stray = try ScriptedConnection.response(
                    ScriptedConnection.ok(ScriptedConnection.job(666, state: 9)))
                try connection.send(response + stray)
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

    @Test func `a response before there was a request ends in an error, and nothing was taken`() async throws {
        let printer = try ScriptedPrinter { connection in
            // The client receives this before it learns that it is connected.
            try connection.reply(ScriptedConnection.status(.serverErrorBusy))
            connection.waitForClose()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in }
            }
            // The request may have been sent by then, or not.
            #expect([.protocolViolation, .printerBusy, .connectionLost].contains(error.code))
            #expect(error.bytesAccepted == 0)
        }
    }
}

/// Operations that a printer advertises and does not serve.
@Suite struct BrokenOperationTests {
    private static let long = [UInt8](repeating: 0x20, count: 300_000)

    /// What the printer sends in place of a response.
    enum Breach: CaseIterable, Sendable {
        case silence, forbidden, notFound, methodNotAllowed, notImplemented, failure

        var status: String {
            switch self {
            case .silence: ""
            case .forbidden: "403 Forbidden"
            case .notFound: "404 Not Found"
            case .methodNotAllowed: "405 Method Not Allowed"
            case .notImplemented: "501 Not Implemented"
            case .failure: "500 Internal Server Error"
            }
        }
    }

    /// Serves every operation but one.
    private func printer(
        without broken: IPPOperation, _ breach: Breach, _ asked: Recorder<IPPOperation>
    ) throws -> ScriptedPrinter {
        try ScriptedPrinter { connection in
            while true {
                let operation = try connection.readRequest().message.operation
                asked.add(operation)
                if operation == broken {
                    guard breach != .silence else { return connection.waitForClose() }
                    try connection.send("HTTP/1.1 \(breach.status)\r\nContent-Length: 0\r\n\r\n")
                } else {
                    let isContact = operation == .getPrinterAttributes
                    try connection.reply(
                        ScriptedConnection.ok(
                            isContact ? ScriptedConnection.printer() : ScriptedConnection.job(7, state: 9)))
                }
            }
        }
    }

    @Test(arguments: Breach.allCases)
    func `a Validate-Job that is announced and gets no response keeps no job from being printed`(
        breach: Breach
    ) async throws {
        let asked = Recorder<IPPOperation>()
        let printer = try printer(without: .validateJob, breach, asked)
        defer { printer.stop() }
        var deadlines = IPPTransport.Deadlines.patient
        // Applies to every request, and is long enough for those that are answered.
        if breach == .silence { deadlines.response = .seconds(10) }
        try await withTransport(deadlines) { transport in
            for job in ["k1", "k2"] {
                _ = try await transport.deliver(.receipt(job, Self.long), to: printer.target) { _ in }
            }
        }
        // A failure may pass: it is requested twice for each job.
        #expect(asked.all.count { $0 == .validateJob } == (breach == .failure ? 4 : 1))
        #expect(asked.all.count { $0 == .sendDocument } == 2)
    }

    @Test(arguments: [Breach.notFound, .methodNotAllowed, .notImplemented, .failure])
    func `a Create-Job that HTTP refuses gives way to Print-Job`(breach: Breach) async throws {
        let asked = Recorder<IPPOperation>()
        let printer = try printer(without: .createJob, breach, asked)
        defer { printer.stop() }
        try await withTransport { transport in
            for job in ["k1", "k2"] {
                _ = try await transport.deliver(.receipt(job, Self.long), to: printer.target) { _ in }
            }
        }
        #expect(asked.all.count { $0 == .createJob } == (breach == .failure ? 2 : 1))
        #expect(asked.all.count { $0 == .printJob } == 2)
    }
}
