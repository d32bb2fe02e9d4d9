import IPP
import IPPCodec
import PrintModel
import TestSupport
import Testing

/// Operations that a printer announces and does not serve.
@Suite struct BrokenOperationTests {
    private static let long = [UInt8](repeating: 0x20, count: 300_000)

    /// What stands in place of an answer to an operation.
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

    /// Has everything but one operation.
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
                    let isQuestion = operation == .getPrinterAttributes
                    try connection.reply(
                        ScriptedConnection.ok(
                            isQuestion ? ScriptedConnection.printer() : ScriptedConnection.job(7, state: 9)))
                }
            }
        }
    }

    @Test(arguments: Breach.allCases)
    func `a Validate-Job that is announced and gets no answer keeps no job from being printed`(
        breach: Breach
    ) async throws {
        let asked = Recorder<IPPOperation>()
        let printer = try printer(without: .validateJob, breach, asked)
        defer { printer.stop() }
        var deadlines = IPPTransport.Deadlines.patient
        // For every question, and long enough for those that are answered.
        if breach == .silence { deadlines.answer = .seconds(10) }
        try await withTransport(deadlines) { transport in
            for job in ["k1", "k2"] {
                _ = try await transport.deliver(.receipt(job, Self.long), to: printer.target) { _ in }
            }
        }
        // A failure may pass: it is asked twice for each job.
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
