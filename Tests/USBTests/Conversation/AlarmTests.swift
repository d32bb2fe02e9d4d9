import Synchronization
import TestSupport
import Testing

@testable import DevicePrinting

@Suite("The alarm of a job", .timeLimit(.minutes(1)))
struct AlarmTests {
    private let clock = ManualClock()
    private let wakeup = Wakeup()

    @Test func `wakes at the latest when it was set to last, however often it was put off`() async throws {
        let alarm = Alarm(wakeup, ElapsedClock(clock))
        let start = ElapsedClock(clock)
        for second in 1...100 { alarm.set(at: start.now.advanced(by: .seconds(second))) }
        // The time set first wakes, and what is set then is the last.
        async let first: Void = wakeup.wait()
        try await clock.pass(until: "it woke") { clock.now.offset >= .seconds(1) }
        await first
        let woke = Atomic(false)
        alarm.set(at: ElapsedClock.Instant(offset: .seconds(100)))
        async let second: Void = {
            await wakeup.wait(); woke.store(true, ordering: .relaxed)
        }()
        try await clock.pass(.seconds(1), until: "it woke again") { woke.load(ordering: .relaxed) }
        await second
        #expect(clock.now.offset >= .seconds(100))
    }

    @Test func `is put forward where something is due earlier`() async throws {
        let alarm = Alarm(wakeup, ElapsedClock(clock))
        alarm.set(at: ElapsedClock.Instant(offset: .seconds(1000)))
        alarm.set(at: ElapsedClock.Instant(offset: .seconds(1)))
        async let woken: Void = wakeup.wait()
        try await clock.pass(until: "it woke") { clock.now.offset >= .seconds(2) }
        await woken
    }
}
