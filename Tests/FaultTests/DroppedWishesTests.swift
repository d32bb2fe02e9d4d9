import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// A printer that takes a job and drops what its ticket asks for: no job is told as printed as it was meant.
@Suite(.serialized) struct DroppedWishesTests {
    private static let jobs = 24

    @Test func `each job whose wish was dropped says so, and no other does`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let client = daemon.client()
        defer { client.close() }
        for number in 0..<Self.jobs {
            let isDropping = number % 3 == 0
            try await printer.perform(.ignoreTemplates(isDropping))
            var parameters = SubmissionParameters()
            parameters.role = RoleName(rawValue: "receipt")
            parameters.format = .plainText
            let isWishing = number % 2 == 0
            if isWishing { parameters.ticket.quality = .draft }
            let sent = try await client.submit(.bytes(Array("number \(number)\n".utf8)), parameters)
            let job = try await client.job(sent.id, wait: .seconds(300))
            #expect(job.state == .completed && !job.isUnconfirmed, "\(job)")
            let says = job.remarks?.contains { $0.contains("print-quality") } == true
            #expect(says == (isDropping && isWishing), "\(job)")
        }
        let copies = try await printer.copies()
        #expect(copies.count == Self.jobs && copies.values.allSatisfy { $0 == 1 })
    }

    @Test func `of jobs whose responses were lost those say so whose wishes the printer does not have`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let client = daemon.client()
        defer { client.close() }
        for number in 0..<4 {
            let isDropping = number % 2 == 0
            try await printer.perform(.ignoreTemplates(isDropping))
            try await printer.perform(.injectFault(.lose, count: 1, documentsOnly: true))
            var parameters = SubmissionParameters()
            parameters.role = RoleName(rawValue: "receipt")
            parameters.format = .plainText
            parameters.ticket.quality = .draft
            let sent = try await client.submit(.bytes(Array("number \(number)\n".utf8)), parameters)
            let job = try await client.job(sent.id, wait: .seconds(300))
            #expect(job.state == .completed && !job.isUnconfirmed, "\(job)")
            let says = job.remarks?.contains { $0.contains("print-quality") } == true
            #expect(says == isDropping, "\(job)")
        }
        #expect(try await printer.copies().count == 4)
    }
}
