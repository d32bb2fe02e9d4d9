import Foundation
import Logging
import PrintModel
import PrinterRegistry
import Synchronization
import TestSupport
import Testing

@testable import KioskEngine

/// A machine whose clock is set while the engine runs.
@Suite struct ClockTests {
    /// Hands of two clocks, in milliseconds.
    private final class Hands: Sendable {
        let wall = Mutex<Int64>(1_800_000_000_000)
        let sinceBoot = Mutex<Int64>(5000)

        func pass(_ milliseconds: Int64) {
            wall.withLock { $0 += milliseconds }
            sinceBoot.withLock { $0 += milliseconds }
        }

        func set(by milliseconds: Int64) { wall.withLock { $0 += milliseconds } }

        func steadyClock() -> SteadyClock { SteadyClock(wall: { self.wall.withLock(\.self) }, sinceBoot: { self.sinceBoot.withLock(\.self) }) }
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

    @Test(arguments: [86_400_000 * 365, -86_400_000 * 365] as [Int64])
    func `a clock that is set neither ends what waits nor keeps a printer from being asked`(by jump: Int64) async throws {
        let hands = Hands()
        let steady = hands.steadyClock()
        let clock = EngineClock(
            now: { steady.now }, sleep: { try await Task.sleep(for: min($0, .milliseconds(5))) }, adopt: { steady.adopt() })
        let kiosk = try await TestKiosk(
            clock: clock,
            prepare: {
                $0.set("till-1", .isDown)
                $0.set("till-2", .isDown)
            })
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
        let clock = EngineClock(now: { steady.now }, sleep: { try await Task.sleep(for: min($0, .milliseconds(5))) }, adopt: { steady.adopt() })
        let kiosk = try await TestKiosk(clock: clock, prepare: { $0.set("till-1", .isDown); $0.set("till-2", .isDown) })
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
}
