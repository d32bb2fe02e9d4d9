import GRDB
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Every step of a job's life, once, in order.
@Suite struct TimelineTests {
    private func kinds(_ kiosk: TestKiosk, _ id: Int64) async throws -> [JobStep.Kind] {
        try await kiosk.engine.timeline(of: id).steps.map(\.kind)
    }

    @Test func `a receipt that prints at once`() async throws {
        let kiosk = try await TestKiosk()
        _ = try await kiosk.settled(kiosk.submit("warm up", role: "held"))
        let job = try await kiosk.settled(kiosk.submit("tea", role: "held"))
        let timeline = try await kiosk.engine.timeline(of: job.id)
        #expect(timeline.steps.map(\.kind) == [.accepted, .sending, .acceptedByPrinter, .completed])
        #expect(timeline.steps.map(\.time) == timeline.steps.map(\.time).sorted())
        #expect(timeline.steps[1].printer == .test("till-1"))
        #expect(timeline.steps[1].attempt == 1)
        #expect(timeline.steps.last?.evidence == .printed)
        #expect(timeline.omitted == nil)
        try await kiosk.restart()
        #expect(try await kiosk.engine.timeline(of: job.id) == timeline)
        await #expect(throws: EngineError.self) { try await kiosk.engine.timeline(of: 99) }
        try await kiosk.stop()
    }

    @Test func `doubt, an operator's release, and a reprint`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("label", role: "held"))
        #expect(try await kinds(kiosk, held.id).suffix(1) == [.held])
        kiosk.transport.set("till-1", .prints)
        let anna = Requester(owner: nil, name: "anna", rights: .all, isOperator: true)
        let printed = try await kiosk.settled(kiosk.engine.release(held.id, by: anna))
        let again = try await kiosk.settled(kiosk.engine.reprint(printed.id))
        let steps = try await kiosk.engine.timeline(of: held.id).steps
        #expect(
            steps.map(\.kind).filter { $0 != .asking } == [
                .accepted, .sending, .acceptedByPrinter, .held, .released, .sending, .acceptedByPrinter, .reprinted,
                .completed,
            ])
        #expect(steps.first { $0.kind == .held }?.message?.contains("cannot be known") == true)
        #expect(steps.first { $0.kind == .released }?.message == "anna had it printed again.")
        #expect(steps.first { $0.kind == .reprinted }?.job == again.id)
        #expect(try await kiosk.engine.timeline(of: again.id).steps.first?.job == held.id)
        try await kiosk.stop()
    }

    @Test func `who said that it came out is told where the job ends, also after a restart`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("label", role: "held"))
        let anna = Requester(owner: nil, name: "anna", rights: .all, isOperator: true)
        let ended = try await kiosk.engine.confirm(held.id, by: anna)
        #expect(ended.state == .completed && ended.isUnconfirmed && ended.evidence == held.evidence)
        await #expect(throws: EngineError.self) { try await kiosk.engine.confirm(held.id, by: anna) }
        try await kiosk.restart()
        let last = try await kiosk.engine.timeline(of: held.id).steps.last
        #expect(last?.kind == .completed)
        #expect(last?.message == "anna said that it came out; the printer never confirmed it.")
        try await kiosk.stop()
    }

    @Test func `a printer that is down is passed over`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .refuses) }
        let job = try await kiosk.settled(kiosk.submit("tea"))
        let steps = try await kiosk.engine.timeline(of: job.id).steps
        #expect(steps.map(\.kind) == [.accepted, .sending, .waiting, .sending, .acceptedByPrinter, .completed])
        #expect(steps.filter { $0.kind == .sending }.map(\.printer) == [.test("till-1"), .test("till-2")])
        #expect(steps[2].message == "till-1 refuses the job")
        try await kiosk.stop()
    }

    @Test func `a job that is canceled while it waits`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .isDown) }
        let job = try await kiosk.submit("label", role: "held")
        try await eventually { try await kiosk.engine.job(job.id).state == .pending }
        _ = try await kiosk.engine.cancel(job.id)
        #expect(try await kinds(kiosk, job.id).last == .canceled)
        try await kiosk.stop()
    }

    @Test func `the plain way has no rows of steps until there is another step`() async throws {
        let kiosk = try await TestKiosk()
        func rows(_ id: Job.ID) async throws -> Int? {
            try await kiosk.engine.store.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM job_step WHERE job_id = ?", arguments: [id])
            }
        }
        let job = try await kiosk.settled(kiosk.submit("tea", role: "held"))
        let before = try await kiosk.engine.timeline(of: job.id).steps
        #expect(before.map(\.kind) == [.accepted, .sending, .acceptedByPrinter, .completed])
        #expect(try await rows(job.id) == 0)
        let again = try await kiosk.settled(kiosk.engine.reprint(job.id))
        let after = try await kiosk.engine.timeline(of: job.id).steps
        #expect(after.filter { $0.kind != .reprinted } == before)
        #expect(after.map(\.kind) == [.accepted, .sending, .acceptedByPrinter, .reprinted, .completed])
        #expect(try await rows(job.id) == 3)
        #expect(try await rows(again.id) == 0)
        try await kiosk.stop()
    }

    @Test(arguments: [
        JobStep(.sending, at: Timestamp(millisecondsSince1970: 5), printer: .test("till-1"), attempt: 2),
        JobStep(.sending, at: Timestamp(millisecondsSince1970: 5), printer: .test("till-2"), attempt: 1),
        JobStep(
            .sending, at: Timestamp(millisecondsSince1970: 5), printer: .test("till-1"), attempt: 1, evidence: .accepted
        ),
        JobStep(.acceptedByPrinter, at: Timestamp(millisecondsSince1970: 5), printer: .test("till-1")),
        JobStep(.waiting, at: Timestamp(millisecondsSince1970: 5), printer: .test("till-1")),
    ])
    func `a step that the job's row cannot tell of is none of the plain way`(step: JobStep) {
        var plain = PlainSteps()
        let till = PrinterID.test("till-1")
        let isTaken = plain.take(step, printer: till, remoteJob: "7")
        #expect(!isTaken && plain == PlainSteps())
        let sending = JobStep(.sending, at: step.time, printer: till, attempt: 1)
        let (isSent, isSentTwice) = (
            plain.take(sending, printer: till, remoteJob: nil), plain.take(sending, printer: till, remoteJob: nil)
        )
        #expect(isSent && !isSentTwice)
        #expect(plain.steps(printer: till, remoteJob: nil) == [sending])
    }

    @Test func `keeps the first and the last of very many steps, and says how many are gone`() async throws {
        let kiosk = try await TestKiosk()
        let job = try await kiosk.settled(kiosk.submit("tea"))
        let before = try await kiosk.engine.store.steps(of: job.id).steps
        try await kiosk.engine.store.commits.commit { db in
            for attempt in 1...500 {
                try JobStore.append(JobStep(.asking, at: job.createdAt, attempt: attempt), to: job.id, in: db)
            }
        }
        let timeline = try await kiosk.engine.timeline(of: job.id)
        #expect(timeline.steps.count == JobStore.maximumSteps + 2)
        #expect(timeline.omitted == 300 + before.count)
        #expect(Array(timeline.steps[1...before.count]) == before)
        #expect(timeline.steps.dropLast().last?.attempt == 500)
        try await kiosk.stop()
    }
}
