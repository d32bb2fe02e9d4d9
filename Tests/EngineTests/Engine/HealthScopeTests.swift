import KioskPrintModel
import Testing

@testable import KioskEngine

/// The health of roles and printers of which nothing is known yet.
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
}
