import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Jobs of another kiosk, which may have printed them, and jobs that another kiosk has taken over.
@Suite struct StandbyJobsTests {
    private static let reason = "kiosk-1 had accepted the job as its job 17, and is silent."

    private func submit(_ kiosk: TestKiosk, to role: String, key: String? = nil) async throws -> Job {
        try await kiosk.submit("tea", role: role) { request in
            request.doubt = Self.reason
            request.idempotencyKey = key
            request.caller = key.map { _ in "token:3" }
        }
    }

    @Test func `a job that may be on paper is printed again where the role says so, once, and says it`() async throws {
        let kiosk = try await TestKiosk()
        let job = try await submit(kiosk, to: "receipt", key: "sale-1")
        #expect(job.isUnconfirmed && job.message?.contains(Self.reason) == true, "\(job)")
        let printed = try await kiosk.settled(job)
        #expect(printed.state == .completed && printed.isUnconfirmed)
        #expect(kiosk.transport.texts == ["tea"])
        #expect(try await submit(kiosk, to: "receipt", key: "sale-1").id == job.id)
        #expect(try await kiosk.engine.job(underKey: "sale-1", of: "token:3")?.id == job.id)
        #expect(try await kiosk.engine.job(underKey: "sale-1", of: "token:4") == nil)
        try await kiosk.stop()
    }

    @Test func `it is held where the role says so, also after a restart, and an operator has it printed`()
        async throws
    {
        let kiosk = try await TestKiosk()
        let job = try await submit(kiosk, to: "held")
        #expect(job.state == .pendingHeld && job.isUnconfirmed && job.stateReasons == ["unconfirmed"])
        try await kiosk.restart()
        let held = try await kiosk.engine.job(job.id)
        #expect(held.state == .pendingHeld && held.message?.contains(Self.reason) == true)
        #expect(kiosk.transport.texts == [])
        _ = try await kiosk.engine.release(job.id)
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(kiosk.transport.texts == ["tea"])
        try await kiosk.stop()
    }

    @Test func `it ends as unconfirmed where the role says so`() async throws {
        let kiosk = try await TestKiosk()
        let job = try await submit(kiosk, to: "dropped")
        #expect(job.state == .aborted && job.isUnconfirmed && job.stateReasons == ["unconfirmed"])
        try await kiosk.restart()
        #expect(try await kiosk.engine.job(job.id).state == .aborted)
        #expect(kiosk.transport.texts == [])
        try await kiosk.stop()
    }

    @Test func `a job that waits is given up to another kiosk, and one that is done is not`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .isDown) }
        let waiting = try await kiosk.submit("tea", role: "held")
        #expect(await kiosk.engine.openJobs(of: [.test("held")]).map(\.id) == [waiting.id])
        // Not while it is being offered to its printer.
        try await eventually("the job to wait") {
            try await kiosk.engine.giveUp(waiting.id, remark: "kiosk-2 has it as its job 5")
        }
        let canceled = try await kiosk.engine.job(waiting.id)
        #expect(canceled.state == .canceled && canceled.remarks == ["kiosk-2 has it as its job 5"])
        #expect(try await !kiosk.engine.giveUp(waiting.id, remark: "again"))
        kiosk.transport.set("till-1", .prints)
        let printed = try await kiosk.settled(kiosk.submit("coffee", role: "held"))
        #expect(try await !kiosk.engine.giveUp(printed.id, remark: "too late"))
        #expect(kiosk.transport.texts == ["coffee"])
        #expect(await !kiosk.engine.hasOpenJobs(of: [.test("held")]))
        try await kiosk.stop()
    }
}
