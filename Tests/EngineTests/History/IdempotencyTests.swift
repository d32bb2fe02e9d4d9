import Foundation
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskEngine

@Suite struct IdempotencyTests {
    private func sale(_ kiosk: TestKiosk, _ text: String = "one coffee") async throws -> Job {
        try await kiosk.submit(text) { $0.idempotencyKey = "sale-1" }
    }

    @Test func `a key outlives a restart and the history, for 24 hours`() async throws {
        let time = TestClock()
        let kiosk = try await TestKiosk(
            registry: TestKiosk.registry.replacingOccurrences(of: "  held:", with: "    keep: { jobs: 1m }\n  held:"),
            clock: time.clock)
        let first = try await kiosk.settled(sale(kiosk))
        let other = try await kiosk.settled(kiosk.submit("two teas"))
        time.advance(bySeconds: 86_000)
        try await kiosk.restart()
        try await eventually { (try? await kiosk.engine.job(other.id)) == nil }
        #expect(try await sale(kiosk) == first)
        await #expect(throws: EngineError.self) { try await sale(kiosk, "two coffees") }
        #expect(kiosk.transport.texts == ["one coffee", "two teas"])
        time.advance(bySeconds: 1000)
        let next = try await kiosk.settled(sale(kiosk, "two coffees"))
        #expect(next.id > other.id)
        #expect(next.state == .completed)
        try await kiosk.stop()
    }

    /// A hub keeps a fleet's jobs for 7 days, and may deliver each again.
    @Test func `the key of a fleet's job leads to it for 8 days`() async throws {
        let time = TestClock()
        let kiosk = try await TestKiosk(
            registry: TestKiosk.registry.replacingOccurrences(of: "  held:", with: "    keep: { jobs: 1m }\n  held:"),
            clock: time.clock)
        func delivered(age: Int = 0) async throws -> Job {
            try await kiosk.submit("one coffee") {
                ($0.idempotencyKey, $0.caller, $0.age) = ("sale-1", JobRequest.fleetCaller, age)
            }
        }
        let first = try await kiosk.settled(delivered())
        let other = try await kiosk.settled(sale(kiosk))
        time.advance(bySeconds: 7 * 86_400 + 3600)
        try await kiosk.restart()
        try await eventually { (try? await kiosk.engine.job(other.id)) == nil }
        // Even one that would have expired on its way.
        #expect(try await delivered(age: 7 * 86_400) == first)
        #expect(kiosk.transport.texts == ["one coffee", "one coffee"])
        time.advance(bySeconds: 86_400)
        #expect(try await delivered().id > other.id)
        try await kiosk.stop()
    }

    @Test func `a job is found by its caller and key, whatever it printed`() async throws {
        let kiosk = try await TestKiosk()
        let job = try await kiosk.settled(sale(kiosk))
        #expect(try await kiosk.engine.job(underKey: "sale-1", of: "")?.id == job.id)
        #expect(try await kiosk.engine.job(underKey: "sale-2", of: "") == nil)
        #expect(try await kiosk.engine.job(underKey: "sale-1", of: JobRequest.fleetCaller) == nil)
        try await kiosk.stop()
    }

    @Test func `a job that was on its way expires so much sooner`() async throws {
        let kiosk = try await TestKiosk()
        func submit(age: Int) async throws -> Job {
            try await kiosk.submit("one coffee") { ($0.ticket.expiresAfter, $0.age) = (600, age) }
        }
        let job = try await submit(age: 240)
        #expect(job.expiresAt == job.createdAt.advanced(bySeconds: 360))
        for age in [600, Int.max / 2_000] {
            let error = await #expect(throws: EngineError.self) { try await submit(age: age) }
            #expect(error?.code == .jobExpired)
        }
        try await kiosk.stop()
    }

    @Test func `a key leads to its job as long as that is not final`() async throws {
        let time = TestClock()
        let kiosk = try await TestKiosk(clock: time.clock) { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("one label", role: "held") { $0.idempotencyKey = "label-1" })
        #expect(held.state == .pendingHeld)
        time.advance(bySeconds: 7 * 86_400)
        let again = try await kiosk.submit("one label", role: "held") { $0.idempotencyKey = "label-1" }
        #expect(again.id == held.id)
        try await kiosk.stop()
    }

    /// The seconds by which a clock is to be set.
    private final class Setting: Sendable {
        private let seconds = Mutex(0)
        func by(_ jump: Int) { seconds.withLock { $0 = jump } }
        func take() -> Int { seconds.withLock { exchange(&$0, with: 0) } }
    }

    /// A clock whose time moves at the moment at which the engine takes the machine's clock over, and not before.
    private static func settable(_ time: TestClock) -> (Setting, EngineClock) {
        let setting = Setting()
        var clock = time.clock
        clock.adopt = {
            let jump = setting.take()
            time.advance(bySeconds: jump)
            return .seconds(jump)
        }
        clock.sleep = { try await Task.sleep(for: min($0, .milliseconds(5))) }
        return (setting, clock)
    }

    @Test(arguments: [86_400 * 365, -86_400 * 365]) func `a clock that is set ends no key`(by jump: Int) async throws {
        let time = TestClock()
        let (set, clock) = Self.settable(time)
        let kiosk = try await TestKiosk(clock: clock)
        let first = try await kiosk.settled(sale(kiosk))
        set.by(jump)
        try await eventually { try await kiosk.engine.job(first.id).createdAt != first.createdAt }
        #expect(try await sale(kiosk).id == first.id)
        time.advance(bySeconds: 86_500)
        #expect(try await sale(kiosk).id != first.id)
        try await kiosk.stop()
    }

    @Test func `nothing is given up by a time from before the clock was set`() async throws {
        let time = TestClock()
        let (set, clock) = Self.settable(time)
        let kiosk = try await TestKiosk(clock: clock)
        let first = try await kiosk.settled(sale(kiosk))
        let store = await kiosk.engine.store
        let before = try await eventuallyValue { store.times.generation }
        set.by(-86_400 * 365)
        try await eventually { try await kiosk.engine.job(first.id).createdAt != first.createdAt }
        _ = try await store.giveUp([first.id], jobs: true, in: before)
        #expect(try await sale(kiosk).id == first.id)
        try await eventually {
            _ = try await store.giveUp([first.id], jobs: true, in: store.times.generation)
            return (try? await kiosk.engine.job(first.id)) == nil
        }
        try await kiosk.stop()
    }

    @Test func `asking again tells of the job even when it would be refused now`() async throws {
        let kiosk = try await TestKiosk()
        let first = try await kiosk.settled(sale(kiosk))
        try await kiosk.edit("printers: [till-1, till-2]", into: "printers: []")
        func check(_ key: String) async throws {
            let request = JobRequest(
                role: .test("receipt"), name: "one coffee", format: .plainText, idempotencyKey: key)
            try await kiosk.engine.check(request)
        }
        try await check("sale-1")
        #expect(try await sale(kiosk) == first)
        await #expect(throws: EngineError.self) { try await sale(kiosk, "two coffees") }
        await #expect(throws: EngineError.self) { try await check("sale-2") }
        try await kiosk.stop()
    }
}
