import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import NIOCore
import Testing

@testable import KioskIPP

/// Validate-Job before long documents, at printers that answer it and at those that do not.
@Suite struct ValidationTests {
    private static let gzip = IPPAttribute("compression-supported", keywords: ["none", "gzip"])
    private static let long = [UInt8](repeating: 0x20, count: 300_000)

    /// PAPPL waits for data behind a Validate-Job that names a compression, and answers none.
    @Test func `PAPPL answers the validation of a document that goes as gzip`() async throws {
        let printer = try await PAPPLPrinter()
        let target = try PrinterTarget.open(printer.uri)
        let format = try #require(DocumentFormat("application/vnd.test-commands"))
        // With the deadlines of tests that are not about time, an unanswered request would last for minutes.
        try await withTransport { transport in
            let contact = try await transport.contact(target)
            #expect(contact.description.learned == nil)
            let taken = try await transport.deliver(.receipt("k1", Self.long, format: format), to: target) { _ in }
            let report = try await transport.follow(try #require(taken.remoteJob), on: target) { _ in }
            #expect(report.state == .completed)
            #expect(try await transport.contact(target).description.learned == nil)
        }
        try await eventually("the validation in PAPPL's log") { printer.log.contains("Validate-Job") }
        #expect(try printer.printed() == [.raw(Self.long)])
    }

    /// Answers everything but Validate-Job.
    private func mutePrinter(_ asked: Recorder<IPPOperation>) throws -> ScriptedPrinter {
        try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest()
                let operation = request.message.operation
                if operation == .validateJob {
                    asked.add(operation)
                    connection.waitForClose()
                    return
                }
                if operation != .getPrinterAttributes { asked.add(operation) }
                try connection.reply(
                    ScriptedConnection.ok(
                        operation == .getPrinterAttributes
                            ? ScriptedConnection.printer() : ScriptedConnection.job(7, state: 9)))
            }
        }
    }

    @Test func `a validation that is never answered is learned, and not asked for again, also in the next run`()
        async throws
    {
        let asked = Recorder<IPPOperation>()
        let printer = try mutePrinter(asked)
        defer { printer.stop() }
        let target = try printer.target
        var deadlines = IPPTransport.Deadlines.patient
        // The one step that nobody answers.
        deadlines.validation = .milliseconds(50)
        let learned = Recorder<LearnedBehavior>()
        try await withTransport(deadlines) { transport in
            for job in ["k1", "k2"] {
                _ = try await transport.deliver(.receipt(job, Self.long), to: target) { _ in }
            }
            learned.add(try #require(try await transport.contact(target).description.learned))
        }
        // On a busy machine the printer may read it only once its host has gone on over another connection.
        try await eventually("the validation") { asked.all.contains(.validateJob) }
        #expect(asked.all.count { $0 == .validateJob } == 1)
        #expect(asked.all.filter { $0 != .validateJob } == [.createJob, .sendDocument, .createJob, .sendDocument])
        #expect(learned.all == [LearnedBehavior(unansweredOperations: ["Validate-Job"])])
        try await withTransport { transport in
            transport.recall(try #require(learned.all.first), of: target)
            _ = try await transport.deliver(.receipt("k3", Self.long), to: target) { _ in }
            #expect(try await transport.contact(target).description.learned == learned.all.first)
        }
        #expect(asked.all.dropFirst(5) == [.createJob, .sendDocument])
    }

    @Test func `validation has five seconds`() {
        let timeouts = IPPTransport.Deadlines().validationTimeouts
        #expect(timeouts.response == .seconds(5))
        #expect(timeouts.total == .seconds(5))
    }
}
