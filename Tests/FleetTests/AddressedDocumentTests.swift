import KioskFleetAgent
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskFleet

/// Jobs whose document lies at an address, for an agent at a real hub whose store does what a test says.
@Suite struct AddressedDocumentTests {
    private let folder: TemporaryFolder
    private let office: FleetOffice
    private let kiosk = ScriptedKiosk()
    private static let address = "https://store.example/a.txt?X-Amz-Signature=secret"
    private static let tea = Array("TEA".utf8)

    init() async throws {
        folder = try TemporaryFolder("fleet")
        office = try await FleetOffice()
    }

    private func withAgent(
        _ fetcher: ScriptedFetcher?, longestStoreAbsence: Duration = .seconds(300), _ body: () async throws -> Void
    ) async throws {
        try await office.withAgent(
            "kiosk-1", of: kiosk, records: folder.appending("fleet.sqlite"), fetcher: fetcher,
            longestStoreAbsence: longestStoreAbsence, body)
    }

    @Test func `a store that is away is asked again, and the jobs behind wait`() async throws {
        let store = ScriptedFetcher(.fail(.storeUnavailable), .breakOff([84]), .give(Self.tea))
        try await withAgent(store) {
            try await office.send(Self.tea, at: Self.address, key: "first")
            try await office.send("second")
            try await office.report("second", .accepted)
            #expect(try await office.report("first")?.stage == .accepted)
        }
        #expect(store.fetches == Array(repeating: "https://store.example/a.txt 3", count: 3))
        #expect(kiosk.asked == ["first", "second"])
    }

    @Test func `a store that stays away holds the jobs behind for a bounded time`() async throws {
        let store = ScriptedFetcher(.fail(.storeUnavailable))
        try await withAgent(store, longestStoreAbsence: .milliseconds(1)) {
            try await office.send(Self.tea, at: Self.address, key: "first")
            try await office.send("second")
            let error = try #require(try await office.report("first", .refused).error)
            #expect(error.code == "fleet-document-unavailable")
            #expect(error.message.contains("https://store.example/a.txt") && !error.message.contains("secret"))
            try await office.report("second", .accepted)
        }
        #expect(kiosk.asked == ["second"])
    }

    private static let wrong: [ScriptedFetcher.Step] = [
        .fail(.storeRefused), .give(Array("SEA".utf8)), .give(Array("TE".utf8)), .give(Array("TEAS".utf8)), .give([]),
    ]

    @Test(arguments: wrong.indices)
    func `what is not the job's document, or is not given, is refused at once`(index: Int) async throws {
        let store = ScriptedFetcher(Self.wrong[index])
        try await withAgent(store) {
            try await office.send(Self.tea, at: Self.address, key: "first")
            let error = try #require(try await office.report("first", .refused).error)
            #expect(error.code == "fleet-document-invalid" && !error.message.contains("secret"))
        }
        #expect(store.fetches.count == 1 && kiosk.asked.isEmpty)
    }

    @Test func `a kiosk without such a store says so`() async throws {
        try await withAgent(nil) {
            try await office.send(Self.tea, at: Self.address, key: "first")
            #expect(try await office.report("first", .refused).error?.code == "fleet-document-invalid")
        }
    }

    @Test func `a job that was accepted before it could be noted is not refused for an address that has ended`()
        async throws
    {
        kiosk.fall(.afterAcceptance)
        try await withAgent(ScriptedFetcher(.give(Self.tea))) {
            try await office.send(Self.tea, at: Self.address, key: "first")
            try await eventually("the job in the queue") { kiosk.waiting == ["first"] }
        }
        kiosk.fall(nil)
        try await withAgent(ScriptedFetcher(.fail(.storeRefused))) {
            let report = try await office.report("first", .accepted)
            #expect(report.job?.name == "first" && report.error == nil)
        }
        #expect(kiosk.asked == ["first"])
    }

    @Test func `a fetch ends with the agent, and is begun anew by the next`() async throws {
        let store = ScriptedFetcher(.hang, .give(Self.tea))
        try await withAgent(store) {
            try await office.send(Self.tea, at: Self.address, key: "first")
            try await eventually("the fetch") { store.fetches.count == 1 }
        }
        #expect(store.hasEndedHanging)
        try await withAgent(store) { try await office.report("first", .accepted) }
        #expect(kiosk.asked == ["first"])
    }

    @Test func `the same document at another address is the same job, and another document is not`() async throws {
        try await office.send(Self.tea, at: Self.address, key: "first")
        let other = "https://store.example/a.txt?X-Amz-Signature=another"
        #expect(try await office.send(Self.tea, at: other, key: "first") == .alreadyStored)
        let error = await #expect(throws: FleetError.self) {
            try await office.send(Array("SEA".utf8), at: Self.address, key: "first")
        }
        #expect(error?.code == .conflict)
        let inline = await #expect(throws: FleetError.self) { try await office.send(Self.tea, key: "first") }
        #expect(inline?.code == .conflict)
    }
}

/// Addresses of documents, as messages and command lines have them.
@Suite struct DocumentAddressTests {
    private static let valid: [(text: String, authority: String, target: String, shown: String)] = [
        (
            "https://shop.s3.example/a%20b/4711.pdf?X-Amz-Signature=0f", "shop.s3.example",
            "/a%20b/4711.pdf?X-Amz-Signature=0f", "https://shop.s3.example/a%20b/4711.pdf"
        ),
        ("HTTPS://Store.Example:9000/A", "store.example:9000", "/A", "https://store.example:9000/A"),
        ("https://store.example:443", "store.example", "/", "https://store.example/"),
        ("https://store.example?key=0f", "store.example", "/?key=0f", "https://store.example/"),
        ("https://[2001:db8::1]/a", "[2001:db8::1]", "/a", "https://[2001:db8::1]/a"),
        ("https://192.0.2.7/a/?b@c/d", "192.0.2.7", "/a/?b@c/d", "https://192.0.2.7/a/"),
        ("http://localhost:8333/a", "localhost:8333", "/a", "http://localhost:8333/a"),
        ("http://127.0.0.1/a", "127.0.0.1", "/a", "http://127.0.0.1/a"),
        ("http://[::1]:80/a", "[::1]", "/a", "http://[::1]/a"),
    ]

    @Test(arguments: valid.indices) func `is taken apart, and shown without its secret`(index: Int) throws {
        let expected = Self.valid[index]
        let address = try DocumentAddress(expected.text)
        #expect(address.text == expected.text && address.authority == expected.authority)
        #expect(address.target == expected.target)
        for shown in ["\(address)", String(reflecting: address)] { #expect(shown == expected.shown) }
        var dumped = ""
        dump(address, to: &dumped)
        #expect(!dumped.contains("0f"))
    }

    @Test(arguments: [
        "", " ", "a.pdf", "ftp://store.example/a", "https://", "https:///a", "https://:443/a",
        "https://store.example:/a",
        "https://store.example:0/a", "https://store.example:65536/a", "https://store.example:99999999999999999999/a",
        "https://store.example:+443/a", "https://me:secret@store.example/a", "https://secret@store.example/a",
        "https://store.example/a#secret", "https://store.example/a b", "https://store.example/a\n",
        "https://store.example/a\r\nHost: secret", "https://störe.example/a", "https://store.example/ä",
        "https://-store.example/a", "https://store\\.example/a", "https://[::1/a", "https://[store]/a",
        "https://[::1]443/a", "https://" + String(repeating: "a", count: 256) + "/a",
        "https://store.example/?secret=" + String(repeating: "a", count: 8192),
        "http://store.example/secret", "http://127.example/a", "http://127.0.0.1.example/a", "http://128.0.0.1/a",
        "http://127.1/a", "http://127.0.0.256/a", "http://localhost.example/a", "http://[::2]/a",
    ])
    func `is refused where no request can be made of it, without a word of it`(text: String) {
        let error = #expect(throws: FleetError.self) { try DocumentAddress(text) }
        #expect(error?.code == .invalidAddress)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `a long path is cut where it is shown`() throws {
        let address = try DocumentAddress("https://store.example/" + String(repeating: "a", count: 4000))
        #expect("\(address)".count < 250 && "\(address)".hasSuffix("…"))
        #expect(address.fileName?.count == 4000)
        #expect(try DocumentAddress("https://store.example/b/?c=/d").fileName == nil)
        #expect(try DocumentAddress("https://store.example/b/order.pdf?c=/d").fileName == "order.pdf")
    }

    @Test func `is the body of its job's message`() throws {
        let address = try DocumentAddress("https://store.example/a.pdf?X-Amz-Signature=0f")
        let digest = String(repeating: "0A", count: 32)
        func job(length: Int = 1 << 20, digest: String) throws -> FleetJob {
            try FleetJob(
                site: SiteName("0147"), role: "page", idempotencyKey: "order-1", name: "a.pdf", documentAt: address,
                length: length, digest: digest)
        }
        let sent = try job(digest: digest)
        let subject = try FleetSubject.job(to: sent.role, of: sent.site, sent.key()).text
        var message = HubMessage(subject: subject, headers: sent.headers, body: Array(address.text.utf8))
        #expect(message.headers["Kioskd-Document"] == "url" && message.headers["Kioskd-SHA256"] == digest.lowercased())
        #expect(try FleetJob(message) == sent)
        for body in ["", "a", "http://store.example/a.pdf", address.text + "\n"] {
            message.body = Array(body.utf8)
            let error = #expect(throws: FleetError.self) { try FleetJob(message) }
            #expect(error?.code == .malformed)
        }
        message.body = [0xFF, 0xFE]
        #expect(throws: FleetError.self) { try FleetJob(message) }
        message.body = [UInt8](repeating: 97, count: 1 << 20)
        #expect(throws: FleetError.self) { try FleetJob(message) }
        for digest in ["", "0a", String(repeating: "g", count: 64), String(repeating: "0", count: 65)] {
            #expect(throws: FleetError.self) { try job(digest: digest) }
        }
        for length in [0, -1, FleetDocument.maximumLength + 1] {
            #expect(throws: FleetError.self) { try job(length: length, digest: digest) }
        }
    }
}
