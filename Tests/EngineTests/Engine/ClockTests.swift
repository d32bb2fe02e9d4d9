import Foundation
import GRDB
import KioskPrintModel
import KioskPrinterRegistry
import KioskTestSupport
import Logging
import Synchronization
import Testing

@testable import KioskEngine

/// A machine whose clock is set while the engine runs.
@Suite(.serialized) struct ClockTests {
    /// Hands of two clocks, in milliseconds.
    private final class Hands: Sendable {
        let wall = Mutex<Int64>(1_800_000_000_000)
        let sinceBoot = Mutex<Int64>(5000)

        func pass(_ milliseconds: Int64) {
            wall.withLock { $0 += milliseconds }
            sinceBoot.withLock { $0 += milliseconds }
        }

        func set(by milliseconds: Int64) { wall.withLock { $0 += milliseconds } }

        /// It sleeps for a moment only.
        func engineClock() -> EngineClock {
            let steady = steadyClock()
            return EngineClock(
                now: { steady.now }, sleep: { try await Task.sleep(for: min($0, .milliseconds(5))) },
                adopt: { steady.adopt() })
        }

        func steadyClock() -> SteadyClock {
            SteadyClock(wall: { self.wall.withLock(\.self) }, sinceBoot: { self.sinceBoot.withLock(\.self) })
        }
    }

    @Test func `time goes on by what has passed, until the new time is taken over`() {
        let hands = Hands()
        let clock = hands.steadyClock()
        hands.pass(1500)
        #expect(clock.now.millisecondsSince1970 == 1_800_000_001_500)
        hands.set(by: -3_600_000)
        hands.pass(10)
        #expect(clock.now.millisecondsSince1970 == 1_800_000_001_510)
        #expect(clock.adopt() == .seconds(-3600))
        #expect(clock.now.millisecondsSince1970 == 1_799_996_401_510)
        #expect(clock.adopt() == .zero)
    }

    private func engineClock(_ steady: SteadyClock) -> EngineClock {
        EngineClock(
            now: { steady.now }, sleep: { try await Task.sleep(for: min($0, .milliseconds(5))) },
            adopt: { steady.adopt() })
    }

    /// A kiosk whose printers are down.
    private func closedKiosk(_ clock: EngineClock) async throws -> TestKiosk {
        try await TestKiosk(
            clock: clock,
            prepare: {
                $0.set("till-1", .isDown)
                $0.set("till-2", .isDown)
            })
    }

    @Test(arguments: [86_400_000 * 365, -86_400_000 * 365] as [Int64])
    func `a clock that is set neither ends what waits nor keeps a printer from being asked`(by jump: Int64) async throws
    {
        let hands = Hands()
        let steady = hands.steadyClock()
        let clock = engineClock(steady)
        let kiosk = try await closedKiosk(clock)
        let job = try await kiosk.submit("one coffee")
        let left = job.expiresAt.millisecondsSince1970 - clock.now().millisecondsSince1970
        hands.set(by: jump)
        try await eventually { await kiosk.engine.health().checks.contains { $0.code == "clock-set" } }
        let waiting = try await kiosk.engine.job(job.id)
        #expect(waiting.state == .pending)
        #expect(waiting.expiresAt.millisecondsSince1970 - clock.now().millisecondsSince1970 == left)
        kiosk.transport.set("till-1", .prints)
        try await eventually {
            hands.pass(20)
            return try await kiosk.engine.job(job.id).state == .completed
        }
        // A restart finds the new time in the queue too.
        kiosk.transport.set("till-1", .isDown)
        let next = try await kiosk.submit("one tea")
        hands.set(by: -jump)
        try await eventually { try await kiosk.engine.job(next.id).expiresAt != next.expiresAt }
        let moved = try await kiosk.engine.job(next.id).expiresAt
        try await kiosk.restart()
        _ = steady.adopt()
        #expect(try await kiosk.engine.job(next.id).expiresAt == moved)
        try await kiosk.stop()
    }

    @Test func `a job from a time that is yet to come has the time that it was given`() async throws {
        let hands = Hands()
        let steady = hands.steadyClock()
        let clock = engineClock(steady)
        let kiosk = try await closedKiosk(clock)
        let job = try await kiosk.submit("one coffee")
        try await kiosk.stop()
        hands.set(by: -86_400_000)
        _ = steady.adopt()
        try await kiosk.start()
        let found = try await kiosk.engine.job(job.id)
        let worth = job.expiresAt.millisecondsSince1970 - job.createdAt.millisecondsSince1970
        #expect(found.expiresAt.millisecondsSince1970 - clock.now().millisecondsSince1970 <= worth)
        try await kiosk.stop()
    }

    @Test(arguments: [86_400_000 * 365, -86_400_000 * 365] as [Int64])
    func `a job whose acceptance the clock overtakes keeps the time that it was given`(by jump: Int64) async throws {
        let hands = Hands()
        let kiosk = try await TestKiosk(clock: hands.engineClock()) { $0.set("till-1", .bars(.connectionLost)) }
        try await eventually { try await kiosk.engine.printer(.test("till-1")).availability.isAvailable }
        let disk = await StoppedDisk(of: kiosk.engine)
        let accepting = Task { [engine = kiosk.engine] in
            try await engine.submit(
                JobRequest(role: .test("held"), name: "one coffee", format: .plainText), bytes: [65])
        }
        try await eventually("the printer that is kept for it") {
            try await kiosk.engine.printer(.test("till-1")).jobCount == 1
        }
        hands.set(by: jump)
        try await eventually { await kiosk.engine.health().checks.contains { $0.code == "clock-set" } }
        disk.goOn()
        let job = try await accepting.value
        try await eventually { kiosk.transport.deliveries.count >= 1 }
        let left = job.expiresAt.millisecondsSince1970 - hands.wall.withLock(\.self)
        #expect(left == 86_400_000)
        #expect(try await kiosk.engine.job(job.id).expiresAt == job.expiresAt)
        #expect(try await kiosk.engine.job(job.id).state != .canceled)
        await kiosk.engine.store.commits.flush()
        #expect(try await kiosk.engine.store.job(job.id)?.job.expiresAt == job.expiresAt)
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(job).state == .completed)
        try await kiosk.stop()
    }

    @Test func `a release that cannot be stored while the clock is set leaves the job held`() async throws {
        let hands = Hands()
        let kiosk = try await TestKiosk(clock: hands.engineClock()) { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("one label", role: "held"))
        try await kiosk.engine.store.commits.commit { db in
            try db.execute(
                sql: "CREATE TEMP TRIGGER refusal BEFORE UPDATE OF stage ON job BEGIN SELECT RAISE(ABORT, 'no'); END")
        }
        let disk = await StoppedDisk(of: kiosk.engine)
        let releasing = Task { [engine = kiosk.engine] in try await engine.release(held.id) }
        try await eventually { try await kiosk.engine.job(held.id).state == .pending }
        hands.set(by: 86_400_000)
        try await eventually { await kiosk.engine.health().checks.contains { $0.code == "clock-set" } }
        disk.goOn()
        await #expect(throws: EngineError.self) { try await releasing.value }
        #expect(try await kiosk.engine.job(held.id).state == .pendingHeld)
        #expect(try await kiosk.engine.job(held.id).expiresAt == held.expiresAt.advanced(bySeconds: 86_400))
        try await kiosk.engine.store.commits.commit { try $0.execute(sql: "DROP TRIGGER refusal") }
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(kiosk.engine.release(held.id)).state == .completed)
        try await kiosk.stop()
    }

    @Test func `a job that was released late is printed behind a new start too`() async throws {
        let clock = TestClock()
        let kiosk = try await TestKiosk(clock: clock.clock) { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("one label", role: "held"))
        clock.advance(bySeconds: 2 * 86_400)
        kiosk.transport.set("till-1", .isDown)
        let released = try await kiosk.engine.release(held.id)
        try await kiosk.restart()
        #expect(try await kiosk.engine.job(held.id).expiresAt == released.expiresAt)
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(released).state == .completed)
        try await kiosk.stop()
    }
}

/// A disk on which no commit ends until it goes on. It blocks a thread of the few that all disks share, so there is one
/// at a time.
private struct StoppedDisk {
    private let gate = DispatchSemaphore(value: 0)

    init(of engine: isolated PrintEngine) {
        engine.store.commits.enqueue { [gate] _ in
            gate.wait()
        } completion: { _ in
        }
    }

    func goOn() { gate.signal() }
}
