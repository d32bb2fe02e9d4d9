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
        #expect(contact.reachedAt == nil && contact.problem == "the hub says no")
        let check = try #require(contact.checks(at: start.advanced(by: .seconds(KioskStatus.silence))).first)
        #expect(check.code == "fleet-unreachable" && check.status == .warning && check.subject == "0147")
        #expect(check.message.contains("for 3 min: the hub says no"))
        contact.reached(at: start.advanced(by: .seconds(200)))
        #expect(contact.checks(at: start.advanced(by: .seconds(300))).isEmpty)
        #expect(contact.reachedAt == start.advanced(by: .seconds(200)) && contact.problem == nil)
    }

    @Test func `health warns of a login that ends within 30 days, and of one that has ended`() throws {
        let (start, day) = (ContinuousClock.now, Int64(86_400))
        let contact = FleetContact(of: try SiteName("0147"), start: start)
        func checks(_ date: Int64) -> [HealthReport.Check] { contact.checks(at: start, date: date) }
        #expect(checks(0).isEmpty)
        contact.setLoginEnd(100 * day)
        #expect(checks(70 * day).isEmpty)
        let soon = try #require(checks(70 * day + 1).first)
        #expect(soon.code == "fleet-credentials-expire" && soon.status == .warning && soon.subject == "0147")
        #expect(soon.message.contains("ends in 29 days") && soon.message.contains("`kioskctl fleet renew`"))
        #expect(checks(99 * day).first?.message.contains("ends in 1 day;") == true)
        #expect(checks(100 * day - 1).first?.message.contains("ends today") == true)
        #expect(checks(100 * day).first?.message.contains("has ended; have it admitted again") == true)
        contact.setLoginEnd(.max)
        #expect(checks(0).isEmpty)
        contact.setLoginEnd(.min)
        #expect(checks(100 * day).first?.message.contains("has ended") == true)
        contact.setLoginEnd(nil)
        #expect(checks(100 * day).isEmpty)
    }

    @Test func `health warns of a renewed login that cannot be kept, and tells the office too`() throws {
        let start = ContinuousClock.now
        let contact = FleetContact(of: try SiteName("0147"), start: start)
        contact.setLoginProblem("the disk is read-only")
        let check = try #require(contact.loginChecks(on: 0).first)
        #expect(check.code == "fleet-credentials-stay" && check.status == .warning && check.subject == "0147")
        #expect(check.message.contains("stays as it is: the disk is read-only;"))
        #expect(contact.checks(at: start, date: 0) == [check])
        contact.setLoginProblem(nil)
        #expect(contact.loginChecks(on: 0).isEmpty)
    }
}
