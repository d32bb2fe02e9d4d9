import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// A role's limit of pages: what is known at acceptance, what is counted then, and what only the preparation finds.
@Suite struct PageLimitTests {
    private func kiosk(_ preparation: PageCountingPreparation) async throws -> TestKiosk {
        try await TestKiosk(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "ipp://192.0.2.1/ipp/till-1" }
                roles:
                  receipt: { printers: [till-1], page-limit: 3 }
                  free: { printers: [till-1] }
                """, preparation: preparation)
    }

    private func submit(_ kiosk: TestKiosk, role: String = "receipt") async throws -> Job {
        try await kiosk.submit("pages", role: role) { $0.format = .pdf }
    }

    @Test(arguments: [PageCountingPreparation(checked: 4), PageCountingPreparation(counted: 4)])
    func `a job of more pages is refused at acceptance`(preparation: PageCountingPreparation) async throws {
        let kiosk = try await kiosk(preparation)
        let error = await refusal { try await submit(kiosk) }
        #expect(error?.code == .pageLimitExceeded)
        #expect(error?.message.contains("4 pages") == true)
        #expect(error?.message.contains("allows 3") == true)
        // Another role has no limit.
        let job = try await submit(kiosk, role: "free")
        #expect(try await kiosk.settled(job).state == .completed)
        try await kiosk.stop()
    }

    @Test(arguments: [
        PageCountingPreparation(checked: 3), PageCountingPreparation(counted: 3), PageCountingPreparation(prepared: 3),
        PageCountingPreparation(),
    ])
    func `a job of as many pages as are allowed, or of none that can be counted, is printed`(
        preparation: PageCountingPreparation
    ) async throws {
        let kiosk = try await kiosk(preparation)
        #expect(try await kiosk.settled(submit(kiosk)).state == .completed)
        try await kiosk.stop()
    }

    @Test func `a job that has more pages on its printer's paper ends before anything is sent`() async throws {
        let kiosk = try await kiosk(PageCountingPreparation(prepared: 4))
        let job = try await kiosk.settled(submit(kiosk))
        #expect(job.state == .aborted)
        #expect(job.message?.contains("its role allows 3") == true, "\(job.message ?? "")")
        #expect(job.bytesSent == 0)
        #expect(kiosk.transport.tickets.isEmpty)
        try await kiosk.stop()
    }
}

/// Sends documents as they are, and says of their pages what it is told to.
struct PageCountingPreparation: DocumentPreparation {
    var checked: Int?
    var counted: Int?
    var prepared: Int?

    let formats: Set<DocumentFormat> = [.pdf]
    let maximumLengthInMemory = 200
    func maximumLength(of format: DocumentFormat) -> Int64 { 200 }

    @concurrent func check(
        _ document: PrintDocument, with ticket: Ticket, rights: CallerRights, for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> CheckedDocument { CheckedDocument(pages: checked) }

    @concurrent func countPages(
        of document: PrintDocument, with ticket: Ticket
    ) async throws(DocumentProblem) -> Int? { counted }

    func preparedFormat(of format: DocumentFormat, for printer: PreparationTarget) -> DocumentFormat? { .escPOS }

    @concurrent func prepare(
        _ document: PrintDocument, _ checked: CheckedDocument?, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument {
        PreparedDocument(document: PrintDocument(format: .escPOS, body: document.body), ticket: ticket, pages: prepared)
    }
}
