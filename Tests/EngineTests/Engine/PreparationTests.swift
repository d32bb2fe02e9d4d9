import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Documents that are turned into what the chosen printer takes.
@Suite struct PreparationTests {
    private func markup(_ request: inout JobRequest) { request.format = .receiptLine }

    @Test(arguments: [0, 64 * 1024]) func `a document is prepared for the printer that gets it`(
        inline: Int
    ) async throws {
        let kiosk = try await TestKiosk(
            preparation: ShoutingPreparation(), configure: { $0.inlineDocumentLength = inline })
        let job = try await kiosk.settled(kiosk.submit("tea", markup))
        #expect(job.state == .completed)
        #expect(job.format == .receiptLine)
        #expect([job.documentLength, job.bytesSent] == [3, 3])
        kiosk.transport.set("till-1", .isDown)
        #expect(try await kiosk.settled(kiosk.submit("tea", markup)).printer == .test("till-2"))
        #expect(try await kiosk.settled(kiosk.submit("as it is")).state == .completed)
        #expect(kiosk.transport.texts == ["till-1 TEA", "till-2 TEA", "as it is"])
        try await kiosk.stop()
    }

    @Test(arguments: [(64 * 1024, 0), (0, 2)])
    func `a document is read once, between its acceptance and its second printer, as long as it lies in memory`(
        inline: Int, furtherReadings: Int
    ) async throws {
        let preparation = ShoutingPreparation(refusing: ["till-1"])
        let kiosk = try await TestKiosk(preparation: preparation, configure: { $0.inlineDocumentLength = inline })
        #expect(try await kiosk.settled(kiosk.submit("tea", markup)).printer == .test("till-2"))
        #expect(kiosk.transport.texts == ["till-2 TEA"])
        #expect(preparation.furtherReadings == furtherReadings)
        try await kiosk.stop()
    }

    @Test func `a document that is not what it should be makes no job, and says where`() async throws {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation())
        let wrong = await refusal { try await kiosk.submit("tea{", markup) }
        #expect(wrong?.code == .documentInvalid)
        #expect(wrong?.message == "1:4: a brace stands alone; write none")
        #expect([wrong?.remark?.line, wrong?.remark?.column] == [1, 4])
        let forbidden = await refusal { try await kiosk.submit("5 $", markup) }
        #expect(forbidden?.code == .documentForbidden)
        let long = await refusal { try await kiosk.submit(String(repeating: "a", count: 201), markup) }
        #expect(long?.code == .documentTooLarge)
        #expect(try await kiosk.engine.jobs().isEmpty)
        let allowed = try await kiosk.settled(
            kiosk.submit("5 $") {
                $0.format = .receiptLine; $0.rights = .drawer
            })
        #expect(allowed.state == .completed)
        try await kiosk.stop()
    }

    @Test func `a document is looked at for the printers that may get it`() async throws {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation())
        let wide = await refusal {
            try await kiosk.submit("tea#") {
                $0.format = .receiptLine; ($0.role, $0.printer) = (nil, .test("till-2"))
            }
        }
        #expect(wide?.message == "it is too wide for till-2")
        #expect(try await kiosk.settled(kiosk.submit("tea#", markup)).state == .completed)
        try await kiosk.stop()
    }

    @Test func `a request that was taken before is answered so although its document would be refused now`()
        async throws
    {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation())
        let first = try await kiosk.submit("5 $") {
            $0.format = .receiptLine; $0.rights = .drawer; $0.idempotencyKey = "once"
        }
        let again = try await kiosk.submit("5 $") {
            $0.format = .receiptLine; $0.idempotencyKey = "once"
        }
        #expect(again.id == first.id)
        _ = try await kiosk.settled(first)
        try await kiosk.stop()
    }

    @Test func `remarks are kept with the job`() async throws {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation())
        let job = try await kiosk.submit("tea?", markup)
        #expect(job.remarks == ["1:2: nobody answers"])
        _ = try await kiosk.settled(job)
        try await kiosk.restart()
        #expect(try await kiosk.engine.job(job.id).remarks == ["1:2: nobody answers"])
        #expect(try await kiosk.engine.reprint(job.id).remarks == ["1:2: nobody answers"])
        #expect(try await kiosk.submit("tea", markup).remarks == nil)
        try await kiosk.stop()
    }

    @Test func `only printers that can be sent what is made are candidates`() async throws {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation(unsuited: ["till-1"]))
        for id in ["till-1", "till-2"] { _ = try await kiosk.engine.contact(.test(id)) }
        #expect(try await kiosk.settled(kiosk.submit("tea", markup)).printer == .test("till-2"))
        let none = await refusal { try await kiosk.submit("tea", role: "held", markup) }
        #expect(none?.code == .formatUnsupported)
        #expect(none?.message.contains("till-1: no printer there is known to print receipts; name its profile") == true)
        try await kiosk.stop()
    }

    @Test func `a printer that cannot print it is passed over, and the last one's word ends the job`() async throws {
        let preparation = ShoutingPreparation(refusing: ["till-1"])
        let kiosk = try await TestKiosk(preparation: preparation)
        let job = try await kiosk.settled(kiosk.submit("tea", markup))
        #expect(job.printer == .test("till-2"))
        preparation.refuse(["till-1", "till-2"])
        let none = try await kiosk.settled(kiosk.submit("coffee", markup))
        #expect(none.state == .aborted)
        #expect(none.stateReasons == ["document-unprintable-error"])
        #expect(none.message == "till-2 cannot print it: it has no such letters")
        #expect(none.bytesSent == 0)
        #expect(kiosk.transport.texts == ["till-2 TEA"])
        // It says nothing against the printers.
        #expect(try await kiosk.settled(kiosk.submit("as it is")).printer == .test("till-1"))
        try await kiosk.stop()
    }

    private func waiting(_ kiosk: TestKiosk, _ job: Job) async throws -> Job {
        try await eventuallyValue("job \(job.id) to wait") {
            let job = try await kiosk.engine.job(job.id)
            return job.stateReasons == ["resources-are-not-ready"] ? job : nil
        }
    }

    @Test
    func `what cannot be prepared just now waits and says for what, holds up no other job, and prints when it can`()
        async throws
    {
        let preparation = ShoutingPreparation()
        let kiosk = try await TestKiosk(preparation: preparation)
        preparation.fail("there is no ink to draw with")
        let jobs = [
            try await kiosk.submit("tea", role: "held", markup), try await kiosk.submit("coffee", role: "held", markup),
        ]
        for job in jobs {
            let waiting = try await waiting(kiosk, job)
            #expect(waiting.state == .pending)
            #expect(waiting.message == "there is no ink to draw with; it is tried again until it expires")
            // Sending was not begun.
            #expect(waiting.attempts == 0)
        }
        #expect(try await kiosk.settled(kiosk.submit("as it is", role: "held")).state == .completed)
        #expect(await kiosk.engine.health().checks.contains { $0.code == "drawing" && $0.status == .critical })
        preparation.fail(nil)
        for job in jobs {
            let printed = try await kiosk.settled(job)
            #expect(
                [printed.state == .completed, printed.message == nil, printed.attempts == 1] == [true, true, true])
        }
        #expect(kiosk.transport.texts.sorted() == ["as it is", "till-1 COFFEE", "till-1 TEA"])
        #expect(await !kiosk.engine.health().checks.contains { $0.code == "drawing" })
        try await kiosk.stop()
    }

    @Test func `what waits to be prepared is canceled, expires and is taken up again as any job`() async throws {
        let preparation = ShoutingPreparation()
        let kiosk = try await TestKiosk(preparation: preparation)
        preparation.fail("there is no ink to draw with")
        let canceled = try await kiosk.submit("tea", markup)
        _ = try await waiting(kiosk, canceled)
        #expect(try await kiosk.engine.cancel(canceled.id).state == .canceled)
        let late = try await kiosk.submit("milk") {
            markup(&$0); $0.ticket.expiresAfter = 1
        }
        let expired = try await kiosk.settled(late)
        #expect(expired.stateReasons == ["job-expired"])
        #expect(expired.message?.contains("there is no ink to draw with") == true)
        let kept = try await kiosk.submit("coffee", markup)
        _ = try await waiting(kiosk, kept)
        try await kiosk.restart()
        preparation.fail(nil)
        #expect(try await kiosk.settled(kept).state == .completed)
        #expect(kiosk.transport.texts == ["till-1 COFFEE"])
        try await kiosk.stop()
    }

    @Test func `a job that waits over a restart is prepared then`() async throws {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation()) {
            $0.set("till-1", .isDown); $0.set("till-2", .isDown)
        }
        let job = try await kiosk.submit("tea", markup)
        try await kiosk.stop()
        kiosk.transport.set("till-2", .prints)
        try await kiosk.start()
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(kiosk.transport.texts == ["till-2 TEA"])
        try await kiosk.stop()
    }

    @Test func `what may be on paper already is marked as a copy, and nothing else`() async throws {
        let preparation = ShoutingPreparation()
        let kiosk = try await TestKiosk(preparation: preparation)
        let first = try await kiosk.settled(kiosk.submit("tea", markup))
        let copy = try await kiosk.settled(kiosk.engine.reprint(first.id))
        _ = try await kiosk.settled(kiosk.engine.reprint(copy.id))
        preparation.refuse(["till-1", "till-2"])
        let aborted = try await kiosk.settled(kiosk.submit("coffee", markup))
        preparation.refuse([])
        _ = try await kiosk.settled(kiosk.engine.reprint(aborted.id))
        #expect(kiosk.transport.texts == ["till-1 TEA", "COPY till-1 TEA", "COPY till-1 TEA", "till-1 COFFEE"])
        try await kiosk.stop()
    }

    @Test func `a copy that waits over a restart stays one`() async throws {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation())
        let first = try await kiosk.settled(kiosk.submit("tea", markup))
        kiosk.transport.set("till-1", .isDown)
        kiosk.transport.set("till-2", .isDown)
        let copy = try await kiosk.engine.reprint(first.id)
        try await kiosk.stop()
        kiosk.transport.set("till-1", .prints)
        try await kiosk.start()
        _ = try await kiosk.settled(copy)
        #expect(kiosk.transport.texts == ["till-1 TEA", "COPY till-1 TEA"])
        try await kiosk.stop()
    }

    @Test func `a job of which nobody knows whether it was printed is a copy when it is printed again`() async throws {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation()) { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("tea", role: "held", markup))
        #expect(held.isUnconfirmed)
        kiosk.transport.set("till-1", .prints)
        _ = try await kiosk.engine.release(held.id)
        #expect(try await kiosk.settled(held).state == .completed)
        #expect(kiosk.transport.texts == ["COPY till-1 TEA"])
        try await kiosk.stop()
    }

    @Test func `a retry after nothing was taken sends the same again`() async throws {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation()) { $0.set("till-1", .isBusy(times: 3)) }
        let job = try await kiosk.settled(kiosk.submit("tea", role: "held", markup))
        #expect(job.state == .completed)
        #expect(kiosk.transport.texts == ["till-1 TEA"])
        try await kiosk.stop()
    }

    private func scale(of length: Int64, sentAs sentLength: Int64) -> DocumentScale {
        DocumentScale(
            of: length, sentAs: PrintDocument(format: .octetStream, body: .file(path: "", length: sentLength)))
    }

    /// A document of 10 bytes that was sent as 1,000.
    @Test(arguments: [(0, 0), (1, 1), (99, 1), (500, 5), (999, 9), (1000, 10), (1001, 10)] as [(Int64, Int64)])
    func `what was sent is told in the document's own bytes`(sent: Int64, own: Int64) {
        #expect(scale(of: 10, sentAs: 1000).documentBytes(sent) == own)
        #expect(scale(of: 1000, sentAs: 1000).documentBytes(sent) == sent)
    }

    @Test func `something is never nothing`() {
        #expect(scale(of: 1, sentAs: 500).documentBytes(20) == 1)
        #expect(scale(of: 500, sentAs: 2).documentBytes(1) == 250)
        #expect(scale(of: 10, sentAs: 0).documentBytes(0) == 0)
    }
}
