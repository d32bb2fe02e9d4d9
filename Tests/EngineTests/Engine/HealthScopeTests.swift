import KioskPrintModel
import KioskPrinterRegistry
import KioskTestSupport
import Testing

@testable import KioskEngine

/// The health of roles and printers, and of jobs that wait for them.
@Suite struct HealthScopeTests {
    @Test func `a role whose printers were never contacted is UNKNOWN, and one without printers CRITICAL`() async throws
    {
        let kiosk = try await TestKiosk()
        try await kiosk.stop()
        // It contacts nobody before it runs.
        let engine = try await kiosk.secondEngine()
        let role = await engine.health(of: HealthScope(role: .test("receipt")))
        #expect(role.status == .unknown)
        #expect(role.checks.contains { $0.code == "role-without-printer" && $0.status == .unknown })
        #expect(role.printersSaved == 2)
        let printer = await engine.health(of: HealthScope(printer: .test("till-1")))
        #expect(printer.status == .unknown)
        #expect(printer.printersSaved == 1)
        #expect(await engine.health(of: HealthScope(role: .test("empty"))).status == .critical)
    }

    @Test(
        arguments: [
            (.loginRefused, .ok), (.accessDenied, .ok), (.programMissing, .ok), (.certificateChanged, .critical),
            (.certificateNotAccepted, .warning),
        ] as [(TransportError.Code, HealthReport.Status)])
    func `what keeps a fallback from printing counts only where it is about trust`(
        _ code: TransportError.Code, _ status: HealthReport.Status
    ) async throws {
        let kiosk = try await TestKiosk(prepare: { $0.set("till-2", .bars(code)) }) {
            $0.obstacleContactInterval = .seconds(3600)
            $0.refusedLoginInterval = .seconds(3600)
        }
        for printer in ["till-1", "till-2"] { _ = try await kiosk.engine.contact(.test(printer)) }
        let job = try await kiosk.engine.submit(
            JobRequest(printer: .test("till-2"), name: "tea", format: .plainText), bytes: Array("tea".utf8))
        try await eventually("the obstacle") {
            await kiosk.engine.health().checks.contains { $0.code == code.description && $0.subject == "till-2" }
        }
        let role = await kiosk.engine.health(of: HealthScope(role: .test("receipt")))
        #expect(role.checks.first { $0.code == code.description }?.status == status)
        #expect(await kiosk.engine.health(of: HealthScope(printer: .test("till-2"))).status == .critical)
        _ = try await kiosk.engine.cancel(job.id)
        try await kiosk.stop()
    }

    @Test func `a job that was released waits since then`() async throws {
        let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        let job = Job(
            id: 7, name: "tea", role: .test("held"), printer: nil, user: nil, format: .plainText, documentLength: 3,
            ticket: Ticket(), createdAt: now.advanced(bySeconds: -86_400), expiresAt: now.advanced(bySeconds: 600))
        func report(_ releases: [Job.ID: Timestamp]) -> HealthReport {
            HealthAssessment(
                now: now, registry: Registry(), statuses: [], obstacles: [:], unusableCredentials: [:], jobs: [job],
                releases: releases, folder: StateDirectoryInspection(unreadable: "/nonexistent"), clockChecks: [],
                preparationChecks: [], transportChecks: []
            ).report
        }
        #expect(report([:]).oldestWaitingSeconds == 86_400)
        #expect(report([:]).checks.contains { $0.code == "job-waits" })
        #expect(report([7: now.advanced(bySeconds: -5)]).oldestWaitingSeconds == 5)
        #expect(!report([7: now.advanced(bySeconds: -5)]).checks.contains { $0.code == "job-waits" })

        let kiosk = try await TestKiosk { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("label", role: "held"))
        #expect(await kiosk.engine.releasedAt(held.id) == nil)
        kiosk.transport.set("till-1", .isDown)
        _ = try await kiosk.engine.release(held.id)
        #expect(await kiosk.engine.releasedAt(held.id) != nil)
        try await kiosk.stop()
    }
}

extension PrintEngine {
    fileprivate func releasedAt(_ id: Job.ID) -> Timestamp? { jobs[id]?.releasedAt }
}
