import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Tickets at acceptance: what no printer meets is refused at once, and a PIN is stored no longer than its job lasts.
@Suite struct TicketAcceptanceTests {
    private func kiosk(_ support: TicketSupport) async throws -> TestKiosk {
        var description = PrinterDescription.receiptPrinter
        description.ticketSupport = support
        let kiosk = try await TestKiosk { [description] in $0.describe(as: description) }
        _ = try await kiosk.engine.contact(.test("till-1"))
        _ = try await kiosk.engine.contact(.test("till-2"))
        return kiosk
    }

    private static let duplex = TicketSupport(copies: 99, values: ["sides": ["one-sided", "two-sided-long-edge"]])

    @Test func `a ticket with fidelity that no printer meets is refused`() async throws {
        let kiosk = try await kiosk(Self.duplex)
        let error = await refusal {
            try await kiosk.submit("a page") {
                $0.ticket.sides = .twoSidedShortEdge
                $0.ticket.fidelity = true
            }
        }
        #expect(error?.code == .ticketUnsupported)
        #expect(
            error?.message
                == "the ticket cannot be met: till-1 takes no sides=two-sided-short-edge; till-2 takes no sides=two-sided-short-edge"
        )
        let job = try await kiosk.submit("a page") { $0.ticket.sides = .twoSidedShortEdge }
        #expect(try await kiosk.settled(job).state == .completed)
        try await kiosk.stop()
    }

    @Test func `a ticket without what the printers need is refused`() async throws {
        let kiosk = try await kiosk(
            TicketSupport(copies: 1, values: ["job-account-id": []], required: ["job-account-id"]))
        let error = await refusal { try await kiosk.submit("a page") }
        #expect(error?.code == .ticketUnsupported)
        #expect(error?.message.contains("till-1 takes no job without job-account-id") == true)
        let job = try await kiosk.submit("a page") { $0.ticket.accountID = "4711" }
        #expect(try await kiosk.settled(job).state == .completed)
        try await kiosk.stop()
    }

    @Test func `printers that get documents unchanged refuse what nobody could do to them`() async throws {
        let kiosk = try await kiosk(TicketSupport(copies: 99, refusesOthers: true))
        let error = await refusal { try await kiosk.submit("a page") { $0.ticket.numberUp = 2 } }
        #expect(error?.message.contains("till-1 takes no number-up=2") == true)
        try await kiosk.stop()
    }

    @Test func `a drawer that no receipt opens is told`() async throws {
        let kiosk = try await kiosk(Self.duplex)
        let job = try await kiosk.settled(kiosk.submit("a page") { $0.ticket.drawer = true })
        #expect(job.remarks == ["the drawer stays shut: only receipts in markup or JSON open it"])
        try await kiosk.stop()
    }

    // MARK: PIN

    private static let pin = TicketSupport(copies: 99, values: ["job-password": []])

    @Test func `a printer without PIN release gets no job with a PIN`() async throws {
        let kiosk = try await kiosk(Self.duplex)
        let error = await refusal { try await kiosk.submit("a payslip") { $0.ticket.jobPassword = Secret("1234") } }
        #expect(error?.code == .ticketUnsupported)
        #expect(error?.message.contains("takes no job-password") == true)
        try await kiosk.stop()
    }

    @Test func `a PIN outlives a restart, and is gone with its job`() async throws {
        let kiosk = try await kiosk(Self.pin)
        kiosk.transport.set("till-1", .isDown)
        let job = try await kiosk.submit("a payslip", role: "held") { $0.ticket.jobPassword = Secret("geheim-7") }
        #expect(try text(of: job, kiosk).contains("geheim-7") == false)
        try await kiosk.restart()
        kiosk.transport.set("till-1", .prints)
        let settled = try await kiosk.settled(job)
        #expect(settled.state == .completed)
        #expect(kiosk.transport.tickets.last?.jobPassword == Secret("geheim-7"))
        // It still shows that there was one.
        #expect(settled.ticket.jobPassword == nil && settled.ticket.jobPasswordEncryption == "any")
        await #expect(throws: EngineError.self) { try await kiosk.engine.reprint(job.id) }
        try await kiosk.stop()
        for name in try FileManager.default.subpathsOfDirectory(atPath: kiosk.folder.path) {
            let content = FileManager.default.contents(atPath: kiosk.folder.path + "/" + name) ?? Data()
            #expect(content.range(of: Data("geheim-7".utf8)) == nil, "\(name)")
        }
    }

    /// A job as every interface tells it.
    private func text(of job: Job, _ kiosk: TestKiosk) throws -> String {
        String(decoding: try JSONEncoder().encode(job), as: UTF8.self) + "\(job)"
    }

    // MARK: Identify

    @Test func `a printer shows which one it is`() async throws {
        let kiosk = try await kiosk(Self.duplex)
        let shown = try await kiosk.engine.identify(.test("till-1"), message: "here")
        #expect(shown == PrinterIdentification(printer: .test("till-1"), actions: ["display", "flash"]))
        kiosk.transport.set("till-1", .isDown)
        do {
            _ = try await kiosk.engine.identify(.test("till-1"))
            Issue.record("it cannot")
        } catch let error as EngineError {
            #expect(error.code == .identificationUnsupported)
        }
        try await kiosk.stop()
    }
}
