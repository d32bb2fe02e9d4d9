import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskSNMP

/// When agents are asked, and how long their answers count.
@Suite struct AgentWatchTests {
    private static func target(_ host: String = "192.0.2.1") throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL("socket://\(host)"))
    }

    private static func report(_ model: String) -> SNMPAgent.Outcome {
        var report = PrinterReport()
        report.model = model
        return .report(report)
    }

    @Test func `a silent agent is asked again after ten minutes, each agent for itself`() async throws {
        let (clock, asked) = (JumpingClock(), Recorder<PrinterTarget>())
        let watch = AgentWatch(clock: clock) { printer, _ in
            asked.add(printer)
            return .silence("it does not respond")
        }
        let (first, second) = (try Self.target(), try Self.target("192.0.2.2"))
        func settle() async throws { try await eventually("the query to end") { !watch.isAsking(first) } }
        watch.begin(first, community: "public")
        try await settle()
        try await clock.sleep(for: .seconds(599))
        watch.begin(first, community: "public")
        watch.begin(second, community: "public")
        try await eventually("the second") { asked.all == [first, second] }
        try await clock.sleep(for: .seconds(1))
        watch.begin(first, community: "public")
        try await eventually("the first again") { asked.all == [first, second, first] }
        #expect(watch.report(of: first) == nil)
        await watch.shutDown()
    }

    @Test func `an answer that comes late counts for the next contact, and one query runs at a time`() async throws {
        let (clock, asked, gate) = (JumpingClock(), Recorder<PrinterTarget>(), Gate())
        let watch = AgentWatch(clock: clock) { printer, _ in
            asked.add(printer)
            try? await gate.wait()
            return Self.report("Acme")
        }
        let printer = try Self.target()
        for _ in 0..<3 {
            watch.begin(printer, community: "public")
            // It has not responded before: nobody waits, or the gate would never open.
            await watch.wait(for: printer)
        }
        #expect(watch.report(of: printer) == nil)
        gate.open()
        try await eventually("the answer") { watch.report(of: printer) != nil }
        #expect(asked.all == [printer])
        #expect(watch.report(of: printer)?.isCurrent == true)
        await watch.shutDown()
    }

    @Test func `who responded the last time is waited for, a short time`() async throws {
        let (clock, gate, second) = (JumpingClock(), Gate(), Gate())
        let watch = AgentWatch(clock: clock) { _, community in
            if community == "first" { return Self.report("first") }
            second.open()
            try? await gate.wait()
            return Self.report("second")
        }
        let printer = try Self.target()
        watch.begin(printer, community: "first")
        try await eventually("the first answer") { watch.report(of: printer) != nil }
        watch.begin(printer, community: "second")
        try await second.wait()
        let start = clock.now
        // The clock jumps over the time: whoever waited longer would wait for ever.
        await watch.wait(for: printer)
        #expect(start.duration(to: clock.now) == AgentWatch.grace)
        #expect(watch.report(of: printer)?.report.model == "first")
        gate.open()
        try await eventually("the second answer") { watch.report(of: printer)?.report.model == "second" }
        await watch.shutDown()
    }

    @Test func `a contact waits no longer than for the answer`() async throws {
        let gate = Gate()
        let watch = AgentWatch(clock: StandingClock()) { _, community in
            if community == "second" { try? await gate.wait() }
            return Self.report(community)
        }
        let printer = try Self.target()
        watch.begin(printer, community: "first")
        try await eventually("the first answer") { watch.report(of: printer) != nil }
        watch.begin(printer, community: "second")
        async let waited: Void = watch.wait(for: printer)
        gate.open()
        await waited
        #expect(watch.report(of: printer)?.report.model == "second")
        await watch.shutDown()
    }

    @Test func `a state counts for two minutes, and not after a silence; the rest stays`() async throws {
        let (clock, answers) = (JumpingClock(), Recorder<SNMPAgent.Outcome>())
        answers.add(Self.report("Acme"))
        let watch = AgentWatch(clock: clock) { _, _ in answers.all.last ?? .silence("") }
        let printer = try Self.target()
        watch.begin(printer, community: "public")
        try await eventually("the answer") { watch.report(of: printer)?.isCurrent == true }
        try await clock.sleep(for: AgentWatch.maximumAge)
        #expect(watch.report(of: printer)?.isCurrent == true)
        try await clock.sleep(for: .seconds(1))
        #expect(watch.report(of: printer)?.isCurrent == false)
        watch.begin(printer, community: "public")
        try await eventually("the next answer") { watch.report(of: printer)?.isCurrent == true }
        answers.add(.silence("it does not respond"))
        watch.begin(printer, community: "public")
        try await eventually("the silence") { watch.report(of: printer)?.isCurrent == false }
        #expect(watch.report(of: printer)?.report.model == "Acme")
        await watch.shutDown()
    }

    @Test func `who is forgotten leaves nothing, and nothing begins after the end`() async throws {
        let asked = Recorder<PrinterTarget>()
        let watch = AgentWatch(clock: JumpingClock()) { printer, _ in
            asked.add(printer)
            // Ends with the task alone.
            try? await Task.sleep(for: .seconds(3600))
            return Self.report("Acme")
        }
        let printer = try Self.target()
        watch.begin(printer, community: "public")
        try await eventually("the query") { asked.all.count == 1 }
        await watch.forget(printer)
        #expect(watch.report(of: printer) == nil && !watch.isAsking(printer))
        watch.begin(printer, community: "public")
        try await eventually("the next query") { asked.all.count == 2 }
        await watch.shutDown()
        watch.begin(printer, community: "public")
        #expect(asked.all.count == 2 && !watch.isAsking(printer))
    }
}

/// A clock that stands still: who sleeps wakes up only where its task is cancelled.
private struct StandingClock: Clock {
    typealias Instant = JumpingClock.Instant
    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}
