import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

@Suite struct PrintEngineTests {
    @Test func `prints a job by role and says how it knows`() async throws {
        let kiosk = try await TestKiosk()
        let job = try await kiosk.settled(kiosk.submit("one coffee"))
        #expect(job.state == .completed)
        #expect(job.evidence == .printed)
        #expect(job.printer == .test("till-1"))
        #expect(job.stateReasons == ["job-completed-successfully"])
        #expect(kiosk.transport.texts == ["one coffee"])
        try await kiosk.stop()
    }

    @Test func `prints a hundred jobs in order, one at a time`() async throws {
        let kiosk = try await TestKiosk()
        var jobs: [Job] = []
        for number in 1...100 { jobs.append(try await kiosk.submit("receipt \(number)")) }
        for job in jobs { #expect(try await kiosk.settled(job).state == .completed) }
        #expect(kiosk.transport.texts == (1...100).map { "receipt \($0)" })
        #expect(kiosk.transport.maximumConcurrent == 1)
        try await kiosk.stop()
    }

    /// Passes printers over soon that do not answer.
    private static func hurry(_ behaviour: ScriptedTransport.Behaviour) -> (inout EngineConfiguration) -> Void {
        { if case .isSilent = behaviour { $0.failoverTimeout = .milliseconds(50) } }
    }

    @Test(arguments: [ScriptedTransport.Behaviour.isDown, .isSilent, .isStopped])
    func `goes to the second printer when the first is no use`(behaviour: ScriptedTransport.Behaviour) async throws {
        let kiosk = try await TestKiosk(prepare: { $0.set("till-1", behaviour) }, configure: Self.hurry(behaviour))
        let job = try await kiosk.settled(kiosk.submit("one coffee"))
        #expect(job.state == .completed)
        #expect(job.printer == .test("till-2"))
        try await kiosk.stop()
    }

    @Test(arguments: [ScriptedTransport.Behaviour.isDown, .isSilent, .isStopped])
    func `goes to the second printer when the first fails after it was seen`(
        behaviour: ScriptedTransport.Behaviour
    ) async throws {
        let kiosk = try await TestKiosk(configure: Self.hurry(behaviour))
        // Wherever that is, both printers are known by then.
        _ = try await kiosk.settled(kiosk.submit("first"))
        try await eventually { await kiosk.engine.printers().allSatisfy { $0.availability.isAvailable } }
        kiosk.transport.set("till-1", behaviour)
        let job = try await kiosk.settled(kiosk.submit("second"))
        #expect(job.printer == .test("till-2"))
        #expect(kiosk.transport.texts == ["first", "second"])
        try await kiosk.stop()
    }

    @Test func `asks a printer's new address, though the old one has not answered yet`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .isSilent)
            $0.set("till-2", .isDown)
        }
        let job = try await kiosk.submit("one coffee")
        try await eventually("a contact") { kiosk.transport.contacts(of: "till-1") == 1 }
        try await kiosk.edit("192.0.2.1/ipp/till-1", into: "192.0.2.9/ipp/moved")
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(kiosk.transport.paper.map(\.printer) == ["moved"])
        try await kiosk.stop()
    }

    @Test func `waits while every printer is down, and prints when one is back`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .isDown)
            $0.set("till-2", .isDown)
        }
        let job = try await kiosk.submit("one coffee")
        #expect(try await kiosk.engine.wait(for: job.id, timeout: .milliseconds(100)).state == .pending)
        kiosk.transport.set("till-2", .prints)
        #expect(try await kiosk.settled(job).printer == .test("till-2"))
        #expect(kiosk.transport.texts == ["one coffee"])
        try await kiosk.stop()
    }

    @Test func `a busy printer is asked again and takes the job once`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .isBusy(times: 5)) }
        let job = try await kiosk.settled(kiosk.submit("one coffee", role: "held"))
        #expect(job.state == .completed)
        #expect(kiosk.transport.texts == ["one coffee"])
        try await kiosk.stop()
    }

    @Test func `a printer that stays busy is passed over`() async throws {
        let kiosk = try await TestKiosk(
            prepare: { $0.set("till-1", .isBusy(times: .max)) }, configure: Self.hurry(.isSilent))
        let job = try await kiosk.settled(kiosk.submit("one coffee"))
        #expect(job.printer == .test("till-2"))
        try await kiosk.stop()
    }

    @Test func `a job expires though its only printer stays busy`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .isBusy(times: .max)) }
        let job = try await kiosk.settled(kiosk.submit("one coffee", role: "held") { $0.ticket.expiresAfter = 1 })
        #expect(job.stateReasons == ["job-expired"])
        try await kiosk.stop()
    }

    @Test func `a job that every printer refuses is aborted with the printer's words`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .refuses)
            $0.set("till-2", .refuses)
        }
        let job = try await kiosk.settled(kiosk.submit("one coffee"))
        #expect(job.state == .aborted)
        #expect(job.message == "till-2 refuses the job")
        try await kiosk.stop()
    }

    @Test func `a job that no printer turns out to print is aborted when that is known`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .isDown)
            $0.set("till-2", .isDown)
        }
        let job = try await kiosk.submit("a page") { $0.format = .pdf }
        #expect(job.state == .pending)
        kiosk.transport.set("till-1", .prints)
        kiosk.transport.set("till-2", .prints)
        let aborted = try await kiosk.settled(job)
        #expect(aborted.state == .aborted)
        #expect(
            aborted.message
                == "no printer there accepts application/pdf; they accept application/octet-stream, text/plain")
        try await kiosk.stop()
    }

    @Test func `the same key and content is the same job, other content is refused`() async throws {
        let kiosk = try await TestKiosk()
        let first = try await kiosk.submit("one coffee") { $0.idempotencyKey = "sale-1" }
        let again = try await kiosk.submit("one coffee") { $0.idempotencyKey = "sale-1" }
        #expect(again.id == first.id)
        await #expect(throws: EngineError.self) {
            try await kiosk.submit("two coffees") { $0.idempotencyKey = "sale-1" }
        }
        let other = try await kiosk.submit("one coffee") {
            $0.idempotencyKey = "sale-1"
            $0.caller = "another till"
        }
        #expect(other.id != first.id)
        _ = try await kiosk.settled(other)
        #expect(kiosk.transport.texts == ["one coffee", "one coffee"])
        try await kiosk.stop()
    }

    @Test func `concurrent requests with one key are one job`() async throws {
        let kiosk = try await TestKiosk()
        let engine = kiosk.engine
        let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let request = JobRequest(
                        role: .test("receipt"), name: "sale", format: .plainText, idempotencyKey: "sale-7")
                    return try await engine.wait(for: engine.submit(request, bytes: [65]).id, timeout: .seconds(20)).id
                }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(kiosk.transport.texts == ["A"])
        try await kiosk.stop()
    }

    @Test func `an expired job never prints`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .isDown)
            $0.set("till-2", .isDown)
        }
        let job = try await kiosk.settled(kiosk.submit("one coffee") { $0.ticket.expiresAfter = 1 })
        #expect(job.state == .canceled)
        #expect(job.stateReasons == ["job-expired"])
        kiosk.transport.set("till-1", .prints)
        let later = try await kiosk.settled(kiosk.submit("another"))
        #expect(later.state == .completed)
        #expect(kiosk.transport.texts == ["another"])
        try await kiosk.stop()
    }

    @Test func `a second engine on the same folder is refused by name`() async throws {
        let kiosk = try await TestKiosk()
        await #expect {
            _ = try await kiosk.secondEngine()
        } throws: { error in
            (error as? EngineError)?.code == .stateDirectoryInUse
        }
        try await kiosk.stop()
    }
}
