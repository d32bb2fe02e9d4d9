import KioskAsyncPrimitives
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskDevicePrinting

@Suite("The timer of a job", .timeLimit(.minutes(10)))
struct SignalTimerTests {
    private let clock = ManualClock()
    private let signal = AsyncSignal()

    @Test func `wakes at the latest when it was set to last, however often it was put off`() async throws {
        let timer = SignalTimer(signal, ElapsedClock(clock))
        let start = ElapsedClock(clock)
        for second in 1...100 { timer.set(at: start.now.advanced(by: .seconds(second))) }
        // The time set first wakes, and what is set then is the last.
        async let first: Void = signal.wait()
        try await clock.pass(until: "it woke") { clock.now.offset >= .seconds(1) }
        await first
        let woke = Atomic(false)
        timer.set(at: ElapsedClock.Instant(offset: .seconds(100)))
        async let second: Void = {
            await signal.wait(); woke.store(true, ordering: .relaxed)
        }()
        try await clock.pass(.seconds(1), until: "it woke again") { woke.load(ordering: .relaxed) }
        await second
        #expect(clock.now.offset >= .seconds(100))
    }

    @Test func `is put forward where something is due earlier`() async throws {
        let timer = SignalTimer(signal, ElapsedClock(clock))
        timer.set(at: ElapsedClock.Instant(offset: .seconds(1000)))
        timer.set(at: ElapsedClock.Instant(offset: .seconds(1)))
        async let woken: Void = signal.wait()
        try await clock.pass(until: "it woke") { clock.now.offset >= .seconds(2) }
        await woken
    }
}
