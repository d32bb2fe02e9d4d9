import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskEngine

/// What an engine tells its observer of attempts.
@Suite struct EngineObserverTests {
    private final class Observer: EngineObserver {
        private let told = Mutex<[String]>([])
        var attempts: [String] { told.withLock(\.self) }

        func attemptBegan(_ job: Job, after earlier: PrinterID?) {
            told.withLock { $0.append("\(job.printer?.rawValue ?? "none") after \(earlier?.rawValue ?? "none")") }
        }
        func jobAccepted(_ job: Job, after duration: Duration) {}
        func firstByteSent(to role: RoleName?, after duration: Duration) {}
        func attemptEnded(_ job: Job, bytes: Int64) {}
        func jobUnconfirmed(_ job: Job) {}
        func jobSettled(_ job: Job, after duration: Duration?) {}
        func committed(in duration: Duration) {}
    }
    private let observer = Observer()

    @Test func `a job that its first printer refuses is told with that printer when it goes to another`() async throws {
        let kiosk = try await TestKiosk(observer: observer, prepare: { $0.set("till-1", .refuses) })
        for printer in ["till-1", "till-2"] { _ = try await kiosk.engine.contact(.test(printer)) }
        #expect(try await kiosk.settled(kiosk.submit("one coffee")).printer == .test("till-2"))
        #expect(observer.attempts == ["till-1 after none", "till-2 after till-1"])
        try await kiosk.stop()
    }

    @Test func `each copy that is sent by itself begins anew`() async throws {
        let kiosk = try await TestKiosk(
            observer: observer,
            prepare: {
                var description = PrinterDescription.receiptPrinter
                description.ticketSupport = TicketSupport(copies: 1)
                $0.describe(as: description)
            })
        _ = try await kiosk.engine.contact(.test("till-1"))
        let job = try await kiosk.settled(kiosk.submit("one coffee", role: "held") { $0.ticket.copies = 3 })
        #expect(job.state == .completed && kiosk.transport.texts.count == 3)
        #expect(observer.attempts == Array(repeating: "till-1 after none", count: 3))
        try await kiosk.stop()
    }

    @Test func `a document that cannot be prepared yet was not sent`() async throws {
        let preparation = ShoutingPreparation()
        let kiosk = try await TestKiosk(preparation: preparation, observer: observer)
        preparation.fail("no fonts yet")
        let job = try await kiosk.submit("one coffee", role: "held") { $0.format = .receiptLine }
        try await eventually("the job to wait for its preparation") {
            try await kiosk.engine.job(job.id).message?.contains("no fonts yet") == true
        }
        #expect(observer.attempts.isEmpty)
        preparation.fail(nil)
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(observer.attempts == ["till-1 after none"])
        try await kiosk.stop()
    }
}
