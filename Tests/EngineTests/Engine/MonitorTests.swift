import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// What is known of printers that nobody prints on.
@Suite struct MonitorTests {
    private func kiosk() async throws -> TestKiosk {
        try await TestKiosk(configure: { $0.idleContactInterval = .milliseconds(20) })
    }

    private func state(_ kiosk: TestKiosk) async throws -> Availability.State {
        try await kiosk.engine.printer(.test("till-1")).availability.state
    }

    @Test func `one silence is not an outage, two are`() async throws {
        let kiosk = try await kiosk()
        try await eventually { try await state(kiosk) == .ready }
        kiosk.transport.set("till-1", .losesContacts(times: 1))
        let before = kiosk.transport.contacts(of: "till-1")
        var seen: Set<Availability.State> = []
        try await eventually("two more contacts") {
            seen.insert(try await state(kiosk))
            return kiosk.transport.contacts(of: "till-1") >= before + 2
        }
        #expect(seen == [.ready])
        kiosk.transport.set("till-1", .losesContacts(times: 100))
        try await eventually { try await state(kiosk) == .unreachable }
        try await kiosk.stop()
    }

    @Test func `a printer that somebody watches is asked again and again, and then left alone`() async throws {
        let kiosk = try await TestKiosk(configure: {
            $0.idleContactInterval = .seconds(3600)
            $0.watchedContactInterval = .milliseconds(10)
            $0.minimumWatchedIntervalPerPrinter = .zero
        })
        try await eventually { try await state(kiosk) == .ready }
        let watch = Task { [engine = kiosk.engine] in
            await engine.watchingPrinters { _ = try? await Task.sleep(for: .seconds(3600)) }
        }
        let first = kiosk.transport.contacts(of: "till-1")
        try await eventually { kiosk.transport.contacts(of: "till-1") > first + 2 }
        watch.cancel()
        _ = await watch.value
        // One may be due still.
        _ = try await kiosk.engine.contact(.test("till-1"))
        let last = kiosk.transport.contacts(of: "till-1")
        try await Task.sleep(for: .milliseconds(100))
        #expect(kiosk.transport.contacts(of: "till-1") <= last + 1)
        try await kiosk.stop()
    }

    @Test func `whoever asks is told of no doubt`() async throws {
        let kiosk = try await TestKiosk()
        // The first contact may be at its end still, and calls share one.
        #expect(try await kiosk.engine.contact(.test("till-1")).availability.state == .ready)
        kiosk.transport.set("till-1", .losesContacts(times: 100))
        #expect(try await kiosk.engine.contact(.test("till-1")).availability.state == .unreachable)
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.engine.contact(.test("till-1")).availability.state == .ready)
        try await kiosk.stop()
    }

    @Test func `a printer that stopped with a job in it is asked when that is printed`() async throws {
        // Nothing but the job's end makes it worth asking.
        let kiosk = try await TestKiosk(configure: {
            $0.wantedContactInterval = .seconds(3600)
            $0.idleContactInterval = .seconds(3600)
        })
        kiosk.transport.set("till-1", .keepsJobs)
        let first = try await kiosk.submit("one coffee", role: "held")
        try await eventually {
            try await kiosk.engine.job(first.id).state == .processing && !kiosk.transport.deliveries.isEmpty
        }
        kiosk.transport.set("till-1", .isStoppedWithJobs)
        #expect(try await kiosk.engine.contact(.test("till-1")).availability.state == .stopped)
        let second = try await kiosk.submit("two coffees", role: "held")
        kiosk.transport.set("till-1", .keepsJobs)
        kiosk.transport.finishJobs()
        #expect(try await kiosk.settled(first).state == .completed)
        #expect(try await kiosk.settled(second).state == .completed)
        try await kiosk.stop()
    }

    @Test func `jobs do not wait behind one that a silent printer has, where another can print them`() async throws {
        let kiosk = try await TestKiosk(configure: { $0.silenceTimeout = .milliseconds(50) })
        try await eventually { try await state(kiosk) == .ready }
        kiosk.transport.set("till-1", .keepsJobsInSilence)
        let first = try await kiosk.submit("one coffee")
        try await eventually {
            try await kiosk.engine.job(first.id).state == .processing && !kiosk.transport.deliveries.isEmpty
        }
        let second = try await kiosk.submit("two coffees")
        let alone = try await kiosk.submit("three coffees", role: "held")
        #expect(try await kiosk.settled(second).printer == .test("till-2"))
        #expect(try await kiosk.engine.job(first.id).state == .processing)
        #expect(try await kiosk.engine.job(alone.id).state == .pending)
        kiosk.transport.set("till-1", .keepsJobs)
        kiosk.transport.finishJobs()
        #expect(try await kiosk.settled(first).printer == .test("till-1"))
        #expect(try await kiosk.settled(alone).state == .completed)
        #expect(kiosk.transport.texts == ["two coffees"])
        #expect(kiosk.transport.deliveries == ["till-1", "till-2", "till-1"])
        try await kiosk.stop()
    }

    @Test func `printers that are silent hold up neither contacts that jobs wait for nor others for ever`() async throws
    {
        let lines = (1...40).map { "  - { id: dead-\($0), url: \"ipp://192.0.2.9/ipp/dead-\($0)\" }\n" }.joined()
        let registry = TestKiosk.registry.replacingOccurrences(of: "roles:", with: "\(lines)roles:")
        let kiosk = try await TestKiosk(
            registry: registry,
            prepare: { transport in
                for number in 1...40 { transport.set("dead-\(number)", .isSilent) }
                transport.set("till-1", .isDown)
                transport.set("till-2", .isDown)
            },
            configure: { $0.maximumIdleContacts = 4 })
        let job = try await kiosk.submit("one coffee")
        try await eventually { kiosk.transport.contacts(of: "till-1") >= 2 }
        #expect((1...40).count { kiosk.transport.contacts(of: "dead-\($0)") > 0 } <= 4)
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(job).state == .completed)
        try await kiosk.stop()
    }
}
