import KioskPrintModel
import Testing

@testable import KioskFleet
@testable import KioskFleetAgent

@Suite struct FleetContactTests {
    @Test func `health warns once the office sees the kiosk as silent, and says why`() throws {
        let start = ContinuousClock.now
        let contact = FleetContact(of: try SiteName("0147"), start: start)
        #expect(contact.checks(at: start.advanced(by: .seconds(KioskStatus.silence - 1))).isEmpty)
        contact.failed("the hub says no")
        let check = try #require(contact.checks(at: start.advanced(by: .seconds(KioskStatus.silence))).first)
        #expect(check.code == "fleet-unreachable" && check.status == .warning && check.subject == "0147")
        #expect(check.message.contains("for 3 min: the hub says no"))
        contact.reached(at: start.advanced(by: .seconds(200)))
        #expect(contact.checks(at: start.advanced(by: .seconds(300))).isEmpty)
    }
}
