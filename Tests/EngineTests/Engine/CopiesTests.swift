import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Copies that a printer does not make itself: the document is sent once for each, and none is lost or doubled.
@Suite struct CopiesTests {
    /// A printer of which one job makes so many copies.
    private static func printer(copies: Int) -> PrinterDescription {
        var description = PrinterDescription.receiptPrinter
        description.formats += [.pwgRaster]
        description.ticketSupport = TicketSupport(copies: copies, singleCopyFormats: [.pwgRaster])
        return description
    }

    private func kiosk(
        copies: Int = 1, _ behaviour: ScriptedTransport.Behaviour = .prints
    ) async throws -> TestKiosk {
        try await TestKiosk {
            $0.describe(as: Self.printer(copies: copies))
            $0.set("till-1", behaviour)
        }
    }

    private func submit(
        _ text: String, _ copies: Int, to kiosk: TestKiosk, as format: DocumentFormat = .plainText
    ) async throws
        -> Job
    {
        _ = try await kiosk.engine.contact(.test("till-1"))
        return try await kiosk.submit(text, role: "held") {
            $0.ticket.copies = copies
            $0.format = format
        }
    }

    @Test(arguments: [DocumentFormat.plainText, .pwgRaster])
    func `a printer that makes no copies gets the document once for each`(format: DocumentFormat) async throws {
        let kiosk = try await kiosk(copies: format == .pwgRaster ? 99 : 1)
        let text = format == .pwgRaster ? "RaS2 page" : "one coffee"
        let job = try await kiosk.settled(submit(text, 3, to: kiosk, as: format))
        #expect(job.state == .completed && job.evidence == .printed && !job.isUnconfirmed)
        #expect(kiosk.transport.texts == [text, text, text])
        #expect(kiosk.transport.tickets.map(\.copies) == [1, 1, 1])
        // Each has an id of its own, by which it is found again.
        #expect(Set(kiosk.transport.paper.map(\.jobID)).count == 3)
        try await kiosk.stop()
    }

    @Test func `a printer that makes as many copies gets the document once`() async throws {
        let kiosk = try await kiosk(copies: 3)
        let job = try await kiosk.settled(submit("one coffee", 3, to: kiosk))
        #expect(job.state == .completed)
        #expect(kiosk.transport.tickets.map(\.copies) == [3])
        try await kiosk.stop()
    }

    @Test func `more copies than one job of the printer makes are made one by one`() async throws {
        let kiosk = try await kiosk(copies: 2)
        _ = try await kiosk.settled(submit("one coffee", 3, to: kiosk))
        #expect(kiosk.transport.tickets.map(\.copies) == [1, 1, 1])
        try await kiosk.stop()
    }

    @Test func `a restart goes on with the copy that the printer has, and makes the rest`() async throws {
        let kiosk = try await kiosk(.keepsJobs)
        let job = try await submit("one coffee", 3, to: kiosk)
        try await eventually { try await kiosk.engine.job(job.id).remoteJob != nil }
        try await kiosk.restart()
        kiosk.transport.finishJobs()
        let settled = try await kiosk.settled(job)
        #expect(settled.state == .completed)
        #expect(kiosk.transport.deliveries.count == 3)
        try await kiosk.stop()
    }

    @Test func `a copy whose fate is unknown holds the rest, and those that were made are not made again`() async throws
    {
        let kiosk = try await kiosk()
        kiosk.transport.set("till-1", .pausesAt(.printing))
        let job = try await submit("one coffee", 3, to: kiosk)
        try await eventually { kiosk.transport.deliveries.count == 1 }
        // From the second copy on.
        kiosk.transport.set("till-1", .forgetsJobs)
        kiosk.transport.letGo()
        let held = try await kiosk.settled(job)
        #expect(held.state == .pendingHeld && held.isUnconfirmed)
        #expect(kiosk.transport.texts == ["one coffee"])
        kiosk.transport.set("till-1", .prints)
        try await kiosk.restart()
        let released = try await kiosk.settled(kiosk.engine.release(job.id))
        #expect(released.state == .completed && released.isUnconfirmed)
        // The one before the doubt, and the two that were left.
        #expect(kiosk.transport.texts.count == 3)
        try await kiosk.stop()
    }

    @Test func `all copies together prove as much as the weakest`() async throws {
        let kiosk = try await kiosk(.dropsJobs)
        let job = try await submit("one coffee", 2, to: kiosk)
        try await eventually { try await kiosk.engine.job(job.id).remoteJob != nil }
        kiosk.transport.set("till-1", .dropsJobs)
        kiosk.transport.finishJobs()
        let settled = try await kiosk.settled(job)
        #expect(settled.state == .completed && settled.evidence == .accepted)
        try await kiosk.stop()
    }

    @Test func `a job that is cancelled between its copies says how many were made`() async throws {
        let kiosk = try await kiosk()
        kiosk.transport.set("till-1", .pausesAt(.printing))
        let job = try await submit("one coffee", 2, to: kiosk)
        try await eventually { kiosk.transport.deliveries.count == 1 }
        kiosk.transport.set("till-1", .keepsJobs)
        kiosk.transport.letGo()
        try await eventually { kiosk.transport.deliveries.count == 2 }
        try await eventually { try await kiosk.engine.job(job.id).remoteJob != nil }
        _ = try await kiosk.engine.cancel(job.id)
        let settled = try await kiosk.settled(job)
        #expect(settled.state == .canceled)
        #expect(settled.message?.contains("1 of 2 copies was made before") == true)
        try await kiosk.stop()
    }

    @Test func `what is stored of copies is read again, and nothing else`() {
        var made = CopiesMade()
        #expect(made.text == "0" && CopiesMade("0") == made)
        made.add(.printed)
        made.add(.accepted)
        made.add(.printed)
        #expect(made.text == "3 accepted" && CopiesMade("3 accepted") == made)
        for text in ["", "x", "1", "0 printed", "1 paper", "-1 printed", "1000 printed", "1 printed "] {
            #expect(CopiesMade(text) == nil)
        }
    }
}
