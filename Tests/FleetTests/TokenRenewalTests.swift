import KioskTestSupport
import Testing

@testable import KioskFleet
@testable import kioskctl_fleet

/// Which tokens `kioskctl fleet renew` signs anew. Times are in seconds since 1970.
@Suite struct TokenRenewalTests {
    private static let day: Int64 = 86_400
    private var record = AuthorityRecord(name: "fleet", serverFolder: "/nats", createdAt: 0, accountIssuedAt: 0)
    private let keys: [NKey]

    init() throws {
        keys = try (0..<5).map { _ in try NKeyPair(newOf: .user).publicKey }
        for (index, days) in [10, 200, 50, 1].enumerated() {
            try record.admit(
                keys[index], to: SiteName(index < 3 ? "0147" : "0148"), node: NodeName("kiosk-\(index)"), at: 0,
                until: Int64(days) * Self.day)
        }
        record.revoke(keys[2], at: 5)
        // Of an office.
        record.revoke(keys[4], at: 5)
    }

    private func renewal(_ days: Int64 = 365, _ site: String? = nil, _ node: String? = nil) throws -> TokenRenewal {
        let now = 2 * Self.day
        return TokenRenewal(
            time: now, dueBefore: now + 60 * Self.day, end: now + days * Self.day,
            site: try site.map { try SiteName($0) },
            node: try node.map { try NodeName($0) })
    }

    private func reasons(_ renewal: TokenRenewal) -> [TokenRenewal.Kiosk.Reason?] {
        renewal.look(at: record.kiosks).map(\.reason)
    }

    @Test func `what ends soon is due, and all else is skipped with its reason`() throws {
        let kiosks = try renewal().look(at: record.kiosks)
        #expect(kiosks.map(\.publicKey) == keys.prefix(4).map(\.text))
        #expect(kiosks.map(\.reason) == [nil, .notDue, .revoked, .expired])
        #expect(kiosks.map(\.state) == [.due, .skipped, .skipped, .skipped])
        #expect(reasons(try renewal(8)) == [.notLater, .notDue, .revoked, .expired])
    }

    @Test func `a site's or one kiosk's are looked at alone`() throws {
        #expect(reasons(try renewal(365, "0148")) == [.expired])
        #expect(reasons(try renewal(365, "0147", "kiosk-0")) == [nil])
        #expect(reasons(try renewal(365, "0147", "kiosk-3")).isEmpty)
    }

    @Test mutating func `a token that the hub did not get is due again, and one that it has is not`() throws {
        let renewal = try renewal()
        record.renew([keys[0].text], at: renewal.time, until: renewal.end)
        #expect(record.kiosks[0].expiresAt == renewal.end && record.kiosks[0].admittedAt == renewal.time)
        #expect(reasons(renewal).first == .some(nil))
        // Of a token that another call has signed.
        record.noteSent([keys[0].text: renewal.end - 1])
        #expect(reasons(renewal).first == .some(nil))
        // Signed for a shorter time: the first may have come all the same.
        record.renew([keys[0].text], at: renewal.time, until: renewal.end - 10)
        #expect(record.kiosks[0].expiresAt == renewal.end)
        record.noteSent([keys[0].text: renewal.end])
        #expect(reasons(renewal).first == .notDue)
    }

    @Test mutating func `what was admitted anew needs no token from the hub`() throws {
        let renewal = try renewal()
        record.renew([keys[0].text], at: renewal.time, until: renewal.end)
        try record.admit(
            keys[0], to: SiteName("0147"), node: nil, at: renewal.time, until: renewal.time + 100 * Self.day)
        #expect(reasons(renewal).first == .notDue)
    }

    @Test(arguments: ["60d", "60", "1", "3650d"]) func `days are written with their unit or without`(text: String) {
        #expect(DayCount(argument: text) != nil)
    }

    @Test(arguments: ["", "d", "0", "-1", "3651", "60h", "99999999999999999999d", "1.5d"])
    func `other texts are no days`(text: String) { #expect(DayCount(argument: text) == nil) }
}
