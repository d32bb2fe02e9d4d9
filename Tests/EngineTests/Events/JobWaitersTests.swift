import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Callers that wait for a job's end, and what lets them go before it.
@Suite struct JobWaitersTests {
    private let waiters = JobWaiters()

    @Test func `a wait that is ended returns without the job`() async throws {
        let end = WaitEnd()
        async let waiting = waiters.wait(for: 1, until: .now + .seconds(3600), endedBy: end)
        try await eventually("somebody to wait") { waiters.count == 1 }
        end.now()
        #expect(await waiting == nil)
        #expect(waiters.count == 0)
    }

    @Test func `each waiter goes at its own time, whichever came first`() async {
        let (waiters, start) = (waiters, ContinuousClock.now)
        let gone = await withTaskGroup(of: Int.self) { group in
            for time in [400, 20, 3_600_000, 200] {
                group.addTask {
                    _ = await waiters.wait(for: 1, until: start + .milliseconds(time))
                    return time
                }
            }
            var gone: Set<Int> = []
            while gone.count < 3, let time = await group.next() {
                #expect(ContinuousClock.now >= start + .milliseconds(time))
                gone.insert(time)
            }
            #expect(waiters.count == 1)
            waiters.finish()
            return gone
        }
        #expect(gone == [20, 200, 400])
    }

    @Test func `a waiter that comes when the one before has gone has its own time`() async throws {
        let end = WaitEnd()
        // It registers before the task suspends, so that its end comes to somebody who waits.
        let first = Task.immediate { [waiters] in
            await waiters.wait(for: 1, until: .now + .milliseconds(500), endedBy: end)
        }
        end.now()
        #expect(await first.value == nil)
        let due = ContinuousClock.now + .milliseconds(600)
        #expect(await waiters.wait(for: 2, until: due) == nil)
        #expect(.now >= due)
    }

    @Test func `a wait that was ended before it began does not begin`() async {
        let end = WaitEnd()
        end.now()
        #expect(end.hasCome)
        #expect(await waiters.wait(for: 1, until: .now + .seconds(3600), endedBy: end) == nil)
        #expect(waiters.count == 0)
    }

    @Test func `an end that comes after the job changes nothing`() async throws {
        let end = WaitEnd()
        let kiosk = try await TestKiosk()
        let job = try await kiosk.submit("tea", role: "held")
        #expect(try await kiosk.engine.wait(for: job.id, timeout: .seconds(20), endedBy: end).isSettled)
        end.now()
        #expect(try await kiosk.engine.wait(for: job.id, timeout: .seconds(20), endedBy: end).isSettled)
        try await kiosk.stop()
    }

    @Test(arguments: [false, true])
    func `a job is accepted and waited for in one call`(isEnded: Bool) async throws {
        let kiosk = try await TestKiosk { if isEnded { $0.set("till-1", .isDown) } }
        let request = JobRequest(role: .test("held"), name: "tea", format: .plainText)
        let intake = kiosk.engine.makeIntake(for: request)
        try await intake.append(Array("tea".utf8))
        let end = WaitEnd()
        if isEnded { end.now() }
        let job = try await kiosk.engine.submit(
            request, document: intake.finish(), settledWithin: .seconds(3600), endedBy: end)
        #expect(job.isSettled == !isEnded)
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(kiosk.transport.texts == ["tea"])
        try await kiosk.stop()
    }

    @Test func `whoever ends a wait gets the job as it is, and others wait on`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .isDown)
            $0.set("till-2", .isDown)
        }
        let job = try await kiosk.submit("one coffee")
        let (engine, end) = (kiosk.engine, WaitEnd())
        async let ended = engine.wait(for: job.id, timeout: .seconds(3600), endedBy: end)
        async let other = engine.wait(for: job.id, timeout: .seconds(20))
        try await eventually("two to wait") { engine.waiters.count == 2 }
        end.now()
        #expect(try await ended.state == .pending)
        #expect(engine.waiters.count == 1)
        kiosk.transport.set("till-2", .prints)
        #expect(try await other.state == .completed)
        try await kiosk.stop()
    }
}
