import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// A printer that forgets each job as it ends, and a daemon that dies.
@Suite(.serialized) struct ForgetfulPrinterTests {
    /// The pause before the first copy of a job, in milliseconds: the daemon's default.
    private static let pause: Int64 = 2000

    @Test func `a kill neither cuts the pause before a copy short nor takes what was learned of the printer`()
        async throws
    {
        let printer = try await SimulatedPrinter.start()
        try await printer.perform(.forgetAtEnd(true))
        try await printer.perform(.injectFault(.lose, count: 1, documentsOnly: true))
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let till = try #require(PrinterID(rawValue: "till-1"))
        var client = daemon.client()
        let sent = try await client.submit(text: "TEA")
        try await eventually("the doubt") { try await client.job(sent.id).isUnconfirmed }
        client.close()
        try await daemon.kill()

        try await daemon.start()
        client = daemon.client()
        let job = try await client.job(sent.id, wait: .seconds(600))
        #expect(job.state == .completed, "\(job)")
        #expect(job.attempts == 2)
        let steps = try await client.timeline(of: sent.id).steps
        let copied = try #require(steps.lastIndex { $0.kind == .sending })
        let doubted = try #require(steps[..<copied].lastIndex { $0.kind == .unconfirmed })
        let waited = steps[copied].time.millisecondsSince1970 - steps[doubted].time.millisecondsSince1970
        // Two processes took these times, each to a whole millisecond.
        #expect(waited >= Self.pause - 1, "\(steps)")
        // The second time its response came, and the job was followed.
        try await eventually("the printer's description") {
            try await client.printer(till).description?.learned?.lacksJobHistory == true
        }
        // What is shown is about to be stored; the second contact begins when that is done.
        _ = try await client.contact(till)
        client.close()
        try await daemon.kill()

        try await daemon.start()
        client = daemon.client()
        defer { client.close() }
        let status = try await client.contact(till)
        #expect(status.description?.learned?.lacksJobHistory == true)
        #expect(status.availability.reasons.map(\.keyword).contains("cups-ipp-missing-job-history"))
        #expect(try await printer.copies() == ["TEA": 2])
    }
}
