import KioskPrintModel
import Testing

@testable import KioskFleet

@Suite struct FleetSubjectTests {
    private let site: SiteName
    private let key: JobKey
    private static let publicKey = "UCK5N7N66OBOINFXAYC2ACJQYFSOD4VYNU6APEJTAVFZB2SVHLKGEW7L"

    init() throws {
        site = try SiteName("0147")
        key = try JobKey(idempotencyKey: "order-4711")
    }

    @Test(arguments: ["0147", "a", "berlin-main", String(repeating: "x", count: 63)])
    func `names of sites are slugs`(text: String) throws {
        #expect(try SiteName(text).text == text)
    }

    @Test(arguments: ["", "-a", "a-", "A", "a.b", "*", ">", "a b", "ü", String(repeating: "x", count: 64)])
    func `other texts are no names of sites`(text: String) {
        #expect(throws: FleetError.self) { try SiteName(text) }
    }

    /// By Python: `base64.b32encode(sha256(b"order-4711").digest()[:20]).lower()`.
    @Test func `a key is 160 bits of SHA-256 in base32`() {
        #expect(key.text == "c46q3w77anazh6woptta2p2ywqljicsm")
    }

    @Test(arguments: ["", "a b", "a\n", "ü", String(repeating: "k", count: 256)])
    func `what is no idempotency key makes no key`(text: String) {
        #expect(throws: FleetError.self) { try JobKey(idempotencyKey: text) }
    }

    @Test func `each subject is read as it is written`() throws {
        let subjects: [(FleetSubject, String)] = [
            (try .job(to: "receipt", of: site, key), "jobs.0147.receipt.\(key)"),
            (.cancellation(site, key), "jobs.0147.cancel.\(key)"),
            (.documentChunk(site, key, number: 12), "docs.0147.\(key).12"),
            (.report(site, key), "reports.0147.\(key)"),
            (.audit(site), "audit.0147"), (.desired(site), "$KV.DESIRED.0147"),
            (.reported(site), "$KV.REPORTED.0147"),
            (.token(site, try NKey(Self.publicKey, of: .user)), "$KV.TOKENS.0147.\(Self.publicKey)"),
        ]
        for (subject, text) in subjects {
            #expect(subject.text == text)
            #expect(FleetSubject(text) == subject)
        }
    }

    @Test func `no job goes to a role that cancels jobs`() {
        #expect(throws: FleetError.self) { try FleetSubject.job(to: "cancel", of: site, key) }
    }

    @Test(arguments: [
        "", "jobs", "jobs.0147", "jobs.0147.receipt", "jobs.0147.receipt.x", "jobs.0147.Receipt.KEY",
        "jobs..receipt.KEY",
        "jobs.0147.receipt.KEY.1", "docs.0147.KEY", "docs.0147.KEY.-1", "docs.0147.KEY.01", "docs.0147.KEY.+1",
        "docs.0147.KEY.1234567890", "reports.0147", "reports.0147.KEY.1", "audit.0147.KEY", "audit", "other.0147.KEY",
        "$KV.TOKENS.0147", "$KV.TOKENS.0147.KEY", "$KV.TOKENS.0147.kiosk-1",
        "jobs.*.receipt.KEY", "JOBS.0147.receipt.KEY", "jobs.0147.receipt.\(String(repeating: "a", count: 300))",
    ])
    func `other subjects are none of ours`(text: String) {
        #expect(FleetSubject(text.replacing("KEY", with: key.text)) == nil)
    }

    @Test func `what others wrote does not reach a terminal as it is`() {
        let error = #expect(throws: FleetError.self) { try FleetJob(HubMessage(subject: "jobs.\u{1B}[2J\n")) }
        #expect(error?.description == "a message of the subject jobs. [2J  is no job")
    }

    // MARK: Positions

    @Test(arguments: [
        "$JS.ACK.JOBS.c1.1.17.3.1700000000000000001.42",
        "$JS.ACK._.hash.JOBS.c1.1.17.3.1700000000000000001.42.random",
    ])
    func `a reply subject says where and when the hub has stored a message`(text: String) {
        let position = StoredPosition(replySubject: text)
        #expect(position?.stream == "JOBS" && position?.consumer == "c1")
        #expect(position?.sequence == 17 && position?.delivery == 3 && position?.pending == 42)
        #expect(position?.storedAt == 1_700_000_000_000_000_001)
    }

    @Test(arguments: [
        "", "$JS.ACK", "_INBOX.a.b", "$JS.ACK.JOBS.c1.1.17.3.1700000000000000001", "$JS.NAK.JOBS.c1.1.17.3.1.42",
        "$JS.ACK.JOBS.c1.1.-17.3.1.42", "$JS.ACK.JOBS.c1.1.17.3.18446744073709551615.42", "$JS.ACK.JOBS.c1.x.17.3.1.42",
        "$JS.ACK.JOBS.c1.1.99999999999999999999.3.1.42", "$JS.ACK.JOBS..1.17.3.1.42", "$JS.ACK.d.JOBS.c1.1.17.3.1.42",
        String(repeating: ".", count: 5000),
    ])
    func `other reply subjects say nothing`(text: String) { #expect(StoredPosition(replySubject: text) == nil) }
}
