import GRDB
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskEngine

/// Jobs whose fate is in doubt: asked for first, and never printed twice in silence.
@Suite struct UnconfirmedTests {
    @Test func `a job that the printer has after all is not sent again`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .breaksAfterBytes(prints: true)) }
        let job = try await kiosk.submit("one coffee", role: "held")
        try await eventually { kiosk.transport.paper.count == 1 }
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(kiosk.transport.texts == ["one coffee"])
        try await kiosk.stop()
    }

    @Test func `of a job whose response was lost the printer is asked what it took of the ticket`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .breaksAfterBytes(prints: true)) }
        let plain = try await kiosk.submit("one coffee", role: "held")
        let duplex = try await kiosk.submit("two pages", role: "held") { $0.ticket.sides = .twoSidedLongEdge }
        try await eventually { kiosk.transport.paper.count == 2 }
        kiosk.transport.set("till-1", .prints)
        let settled = try await kiosk.settled(duplex)
        #expect(settled.state == .completed)
        #expect(settled.remarks == ["it was asked for two-sided-long-edge"])
        #expect(try await kiosk.settled(plain).remarks == nil)
        try await kiosk.stop()
    }

    @Test func `a job that the printer certainly does not have is sent again`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .breaksAfterBytes(prints: false)) }
        let job = try await kiosk.submit("one coffee", role: "held")
        try await eventually { kiosk.transport.deliveries.count >= 1 }
        kiosk.transport.set("till-1", .prints)
        let settled = try await kiosk.settled(job)
        #expect(settled.state == .completed)
        #expect(!settled.isUnconfirmed)
        #expect(kiosk.transport.texts == ["one coffee"])
        try await kiosk.stop()
    }

    @Test func `is held for an operator, who prints it again`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("one label", role: "held"))
        #expect(held.state == .pendingHeld)
        #expect(held.isUnconfirmed)
        #expect(held.stateReasons == ["unconfirmed"])
        #expect(await kiosk.engine.health().checks.contains { $0.code == "job-unconfirmed" })
        kiosk.transport.set("till-1", .prints)
        #expect(kiosk.transport.texts == [])
        let released = try await kiosk.engine.release(held.id)
        let printed = try await kiosk.settled(released)
        #expect(printed.state == .completed)
        #expect(printed.isUnconfirmed)
        #expect(kiosk.transport.texts == ["one label"])
        await #expect(throws: EngineError.self) { try await kiosk.engine.release(held.id) }
        try await kiosk.stop()
    }

    @Test func `is held for an operator, who drops it`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("one label", role: "held"))
        #expect(try await kiosk.engine.cancel(held.id).state == .canceled)
        #expect(kiosk.transport.texts == [])
        try await kiosk.stop()
    }

    @Test(arguments: [false, true])
    func `a printer that lets nobody ask about its jobs goes on printing`(breaks: Bool) async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", breaks ? .breaksAfterBytes(prints: false) : .deniesQuestions)
        }
        let job = try await kiosk.submit("one label", role: "held")
        if breaks {
            try await eventually { kiosk.transport.deliveries.count >= 1 }
            kiosk.transport.set("till-1", .deniesQuestions)
        }
        let held = try await kiosk.settled(job)
        #expect(held.state == .pendingHeld)
        #expect(held.isUnconfirmed)
        kiosk.transport.set("till-1", .prints)
        let next = try await kiosk.settled(kiosk.submit("another", role: "held"))
        #expect(next.state == .completed)
        #expect(kiosk.transport.texts == ["another"])
        for await event in kiosk.engine.events(after: 0) {
            #expect(event.printer?.availability.state != .stopped)
            if event.job?.id == next.id { break }
        }
        try await kiosk.stop()
    }

    @Test func `is dropped where the role says so`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .forgetsJobs) }
        let job = try await kiosk.settled(kiosk.submit("one ticket", role: "dropped"))
        #expect(job.state == .aborted)
        #expect(job.isUnconfirmed)
        #expect(job.stateReasons == ["unconfirmed"])
        try await kiosk.stop()
    }

    @Test func `is printed again where the role says so, and says that it was in doubt`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .forgetsJobs)
            $0.set("till-2", .isDown)
        }
        let job = try await kiosk.submit("one coffee")
        try await eventually { kiosk.transport.deliveries.count >= 2 }
        kiosk.transport.set("till-1", .prints)
        let settled = try await kiosk.settled(job)
        #expect(settled.isUnconfirmed)
        try await kiosk.stop()
    }

    @Test func `is held after it was printed again often enough`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .forgetsJobs)
            $0.set("till-2", .isDown)
        }
        let job = try await kiosk.settled(kiosk.submit("one coffee"))
        #expect(job.state == .pendingHeld)
        #expect(job.attempts == 4)
        try await kiosk.stop()
    }

    @Test func `is held after one more copy where the printer can never tell`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .neverRemembersJobs)
            $0.set("till-2", .isDown)
        }
        let job = try await kiosk.settled(kiosk.submit("one coffee"))
        #expect(job.state == .pendingHeld)
        #expect(job.attempts == 2)
        try await kiosk.stop()
    }

    @Test func `copies of a job in doubt come seconds apart, later each time`() async throws {
        // Lengths that no other pause of the engine has.
        let expected: [Duration] = [.milliseconds(7001), .milliseconds(14_002), .milliseconds(28_004)]
        let pauses = PauseRecorder()
        var clock = EngineClock.system
        clock.sleep = { pause in
            if expected.contains(pause) { pauses.add(pause) }
            try await Task.sleep(for: min(pause, .milliseconds(5)))
        }
        let kiosk = try await TestKiosk(clock: clock) {
            $0.set("till-1", .forgetsJobs)
            $0.set("till-2", .isDown)
        } configure: {
            $0.reprintDelay = expected[0]
        }
        let job = try await kiosk.settled(kiosk.submit("one coffee"))
        #expect(job.state == .pendingHeld)
        #expect(pauses.all == expected)
        try await kiosk.stop()
    }

    @Test func `a job that waits to be printed again is offered to no printer, and can be canceled`() async throws {
        let kiosk = try await TestKiosk(clock: .withoutLongPauses) {
            $0.set("till-1", .forgetsJobs)
        } configure: {
            $0.reprintDelay = .seconds(60)
        }
        let job = try await kiosk.submit("one coffee")
        try await eventually { try await kiosk.engine.job(job.id).isUnconfirmed }
        kiosk.transport.set("till-1", .prints)
        let next = try await kiosk.settled(kiosk.submit("another"))
        #expect(next.state == .completed)
        #expect(kiosk.transport.texts == ["another"])
        #expect(try await kiosk.engine.cancel(job.id).state == .canceled)
        try await kiosk.stop()
    }

    /// The change of the clock while the engine is stopped, in milliseconds; the rest of a pause of 7,001 ms behind it.
    private static let restarts: [(jump: Int64, rest: Int64?)] = [
        (3000, 4001), (7000, 1), (7001, nil), (300_000, nil),
        // A wrong clock makes it wait no longer than the pause.
        (-1500, 7001), (-365 * 86_400_000, 7001),
    ]

    @Test(arguments: restarts.indices)
    func `a restart does not cut the pause before a copy short, nor does a wrong clock make it longer`(
        index: Int
    ) async throws {
        let (jump, rest) = Self.restarts[index]
        let pauses = PauseRecorder()
        let now = Mutex<Int64>(1_800_000_000_000)
        let clock = EngineClock(
            now: { Timestamp(millisecondsSince1970: now.withLock(\.self)) },
            sleep: { pause in
                pauses.add(pause)
                try await Task.sleep(for: pause < .milliseconds(200) ? pause : .seconds(3600))
            })
        let kiosk = try await TestKiosk(clock: clock) {
            $0.set("till-1", .forgetsJobs)
            $0.set("till-2", .isDown)
        } configure: {
            $0.reprintDelay = .milliseconds(7001)
        }
        let job = try await kiosk.submit("one coffee")
        try await eventually { pauses.all.contains(.milliseconds(7001)) }
        try await kiosk.stop()
        kiosk.transport.set("till-1", .prints)
        now.withLock { $0 += jump }
        let before = pauses.all.count
        try await kiosk.start()
        if let rest, rest > 200 {
            try await eventually("the rest of the pause") {
                pauses.all.dropFirst(before).contains(.milliseconds(rest))
            }
            // Others print meanwhile.
            #expect(try await kiosk.settled(kiosk.submit("another")).state == .completed)
            #expect(kiosk.transport.texts == ["another"])
            #expect(try await kiosk.engine.job(job.id).state == .pending)
        } else {
            let settled = try await kiosk.settled(job)
            #expect(settled.state == .completed, "\(settled)")
        }
        try await kiosk.stop()
    }

    @Test func `a clock that is set moves the end of a pause before a copy, as it moves all times`() async throws {
        let kiosk = try await TestKiosk(clock: .withoutLongPauses) {
            $0.set("till-1", .forgetsJobs)
            $0.set("till-2", .isDown)
        } configure: {
            $0.reprintDelay = .seconds(60)
        }
        let job = try await kiosk.submit("one coffee")
        let store = await kiosk.engine.store
        try await eventually { try await store.job(job.id)?.life.status.notBefore != nil }
        // In one commit: the engine, whose own clock stands as it was, may store the job once more after it.
        let (before, after) = try await store.commits.commit { db in
            let end = { try Int64.fetchOne(db, sql: "SELECT not_before FROM job WHERE id = ?", arguments: [job.id]) }
            let before = try end()
            try JobStore.moveTimes(by: .seconds(3600), at: EngineClock.system.now(), in: db)
            return (before, try end())
        }
        #expect(after == (try #require(before)) + 3_600_000)
        try await kiosk.stop()
    }

    @Test func `a job that an idle printer took whole and forgot ends as accepted, with a remark`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .forgetsJobsWhenIdle) }
        let job = try await kiosk.settled(kiosk.submit("one coffee"))
        #expect(job.state == .completed)
        #expect(job.evidence == .accepted)
        #expect(!job.isUnconfirmed)
        #expect(job.attempts == 1)
        #expect(job.remarks == ["the printer no longer knows the job"])
        try await kiosk.stop()
    }

    @Test(arguments: [ScriptedTransport.Behaviour.forgetsJobsWhenIdle, .neverRemembersJobs])
    func `what a job that its printer forgot shows of the printer is taken in by a contact at once`(
        behaviour: ScriptedTransport.Behaviour
    ) async throws {
        let kiosk = try await TestKiosk(clock: .withoutLongPauses) {
            $0.set("till-1", behaviour)
            $0.set("till-2", .isDown)
        }
        _ = try await kiosk.engine.contact(.test("till-1"))
        let before = kiosk.transport.contacts(of: "till-1")
        _ = try await kiosk.submit("one label", role: "held")
        try await eventually("the next contact") { kiosk.transport.contacts(of: "till-1") > before }
        try await kiosk.stop()
    }

    @Test func `a job that a silent spooler agreed to cancel is canceled, not completed`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .dropsJobs) }
        let job = try await kiosk.submit("one coffee", role: "held")
        try await eventually("the job at the printer") { try await kiosk.engine.job(job.id).remoteJob != nil }
        _ = try await kiosk.engine.cancel(job.id)
        // An impatient second time, which the spooler refuses by then.
        _ = try? await kiosk.engine.cancel(job.id)
        let settled = try await kiosk.settled(job)
        #expect(settled.state == .canceled)
        #expect(settled.stateReasons == ["job-canceled-by-user"])
        try await kiosk.stop()
    }

    @Test func `a job that left a silent spooler before it could be canceled is completed`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .dropsJobs) }
        let job = try await kiosk.submit("one coffee", role: "held")
        try await eventually("the job at the printer") { try await kiosk.engine.job(job.id).remoteJob != nil }
        kiosk.transport.finishJobs()
        _ = try? await kiosk.engine.cancel(job.id)
        #expect(try await kiosk.settled(job).state == .completed)
        try await kiosk.stop()
    }

    @Test func `a canceled job that is on the printer ends as the printer says`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .keepsJobs) }
        let job = try await kiosk.submit("one coffee")
        try await eventually { try await kiosk.engine.job(job.id).remoteJob != nil }
        let canceling = try await kiosk.engine.cancel(job.id)
        #expect(canceling.stateReasons == ["processing-to-stop-point"])
        #expect(try await kiosk.settled(job).state == .canceled)
        await #expect(throws: EngineError.self) { try await kiosk.engine.cancel(job.id) }
        try await kiosk.stop()
    }

    @Test func `what only took a part of a canceled job has accepted nothing`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .acceptsPart) }
        let job = try await kiosk.submit("one coffee", role: "held")
        try await eventually { try await kiosk.engine.job(job.id).bytesSent == 3 }
        _ = try await kiosk.engine.cancel(job.id)
        let settled = try await kiosk.settled(job)
        #expect(settled.state == .canceled)
        #expect(settled.evidence == .sent)
        try await kiosk.stop()
    }

    @Test func `a printer that never answers the question for a job prints others meanwhile`() async throws {
        // No pause ever ends: whatever waits for one waits for good.
        let kiosk = try await TestKiosk(clock: .withoutLongPauses) { $0.set("till-1", .breaksAndIgnoresQuestions) }
        let asked = try await kiosk.submit("one label", role: "held")
        try await eventually { try await kiosk.engine.job(asked.id).stateReasons == ["printer-asked-for-job"] }
        let next = try await kiosk.submit("another", role: "held")
        #expect(try await kiosk.settled(next).state == .completed)
        #expect(try await kiosk.engine.job(asked.id).stateReasons == ["printer-asked-for-job"])
        try await kiosk.stop()
    }

    @Test(arguments: [false, true])
    func `a question that is never answered ends, and the role decides`(isAccepted: Bool) async throws {
        var clock = EngineClock.system
        clock.sleep = { try await Task.sleep(for: min($0, .milliseconds(5))) }
        let kiosk = try await TestKiosk(clock: clock) {
            $0.set("till-1", isAccepted ? .keepsJobs : .breaksAndIgnoresQuestions)
        }
        let job = try await kiosk.submit("one label", role: "held")
        if isAccepted {
            try await eventually { try await kiosk.engine.job(job.id).remoteJob != nil }
            kiosk.transport.set("till-1", .ignoresQuestions)
        }
        let held = try await kiosk.settled(job)
        #expect(held.state == .pendingHeld)
        #expect(held.isUnconfirmed)
        #expect(held.message?.contains("queried for it 12 times without a response") == true, "\(held.message ?? "")")
        #expect(kiosk.transport.deliveries.count == 1)
        // Nothing changed between the questions, and nothing was stored.
        #expect(try await kiosk.engine.timeline(of: job.id).steps.filter { $0.kind == .asking }.count == 1)
        #expect(try await kiosk.settled(kiosk.engine.release(job.id)).state == .completed)
        try await kiosk.stop()
    }
}

/// The pauses that the engine made, in order.
private final class PauseRecorder: Sendable {
    private let pauses = Mutex<[Duration]>([])
    var all: [Duration] { pauses.withLock { $0 } }
    func add(_ pause: Duration) { pauses.withLock { $0.append(pause) } }
}
