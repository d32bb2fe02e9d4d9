import Glibc
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// A kioskd at a real hub that fetches documents from a real web server.
@Suite(.timeLimit(.minutes(15))) struct KioskdFleetDocumentTests {
    private let office: FleetOffice
    private let printer: SimulatedPrinter
    /// More than a megabyte of text.
    private let document = Array(
        repeatElement(Array("0123456789 abcdefghijklmnopqrstuvwxyz\n".utf8), count: 40_000).joined())
    private static let tea = Array("TEA 2.50\n".utf8)

    init() async throws {
        office = try await FleetOffice()
        printer = try await SimulatedPrinter.start()
    }

    private func kiosk(trusting authority: TestAuthority? = nil) async throws -> KioskdFixture {
        try await KioskdFixture(
            registry: KioskdFixture.registry([printer.uri]), arguments: office.options("kiosk-1"),
            environment: authority.map { ["SSL_CERT_FILE": $0.root] } ?? [:])
    }

    /// The bytes of what came out, in order.
    private func received() async throws -> [[UInt8]] {
        try await printer.documents.map { try readFile($0.path) }
    }

    @Test func `a long document is fetched once, and printed to its last byte`() async throws {
        let store = try await NginxStore()
        try store.put(document, as: "long.txt")
        let daemon = try await kiosk()
        let address = "http://127.0.0.1:\(store.port)/documents/long.txt?X-Amz-Signature=hush1"
        try await office.send(document, at: address, key: "long")
        let report = try await office.report("long", .ended)
        #expect(report.job?.state == .completed, "\(daemon.log)")
        #expect(try await received() == [document])
        try await eventually("nginx's log") { try !store.requests().isEmpty }
        #expect(
            try store.requests() == ["GET /documents/long.txt?X-Amz-Signature=hush1 HTTP/1.1 200"])
        #expect(!daemon.log.contains("hush1"))
        #expect(try await office.send(document, at: address + "2", key: "long") == .alreadyStored)
    }

    @Test func `what is not there, moved, shut or another document is refused with what the store says`()
        async throws
    {
        let store = try await NginxStore()
        try store.put(Self.tea, as: "there")
        let daemon = try await kiosk()
        let base = "http://localhost:\(store.port)"
        let refusals: [(key: String, path: String, document: [UInt8], said: String)] = [
            ("missing", "/documents/missing", Self.tea, "404 Not Found"),
            ("gone", "/answers/410", Self.tea, "410 Gone"), ("shut", "/answers/403", Self.tea, "403 Forbidden"),
            ("moved", "/moved", Self.tea, "redirect (302"),
            ("longer", "/documents/there", Self.tea + [10], "9 bytes"),
            ("other", "/documents/there", Array("CAKE 3.0\n".utf8), "not the one that its sender has described"),
        ]
        for refusal in refusals {
            try await office.send(
                refusal.document, at: "\(base)\(refusal.path)?X-Amz-Signature=hush1", key: refusal.key)
        }
        for refusal in refusals {
            let error = try #require(try await office.report(refusal.key, .refused).error, "\(daemon.log)")
            #expect(error.code == "fleet-document-invalid" && error.message.contains(refusal.said), "\(error)")
            #expect(!error.message.contains("hush1"))
        }
        try await office.send(Self.tea, at: "\(base)/documents/there", key: "there")
        #expect(try await office.report("there", .ended).job?.state == .completed)
        #expect(try await received() == [Self.tea])
        #expect(!daemon.log.contains("hush1"))
    }

    @Test func `a store that is away, or says so, is asked again`() async throws {
        let store = try await NginxStore(isAway: true)
        try store.put(Self.tea, as: "there")
        let daemon = try await kiosk()
        try await office.send(Self.tea, at: "http://127.0.0.1:\(store.port)/documents/there?hush1", key: "away")
        try await office.send("behind")
        try await eventually("the kiosk to say that the job waits") {
            daemon.log.contains("a job of the fleet waits at the hub and is tried again: the store of the document")
        }
        #expect(try await office.report("behind") == nil)
        try await store.start()
        for key in ["away", "behind"] {
            #expect(try await office.report(key, .ended).job?.state == .completed, "\(daemon.log)")
        }
        #expect(try await received() == [Self.tea, Array("behind".utf8)])
        try await office.send(Self.tea, at: "http://127.0.0.1:\(store.port)/answers/503?hush1", key: "busy")
        try await eventually("the kiosk to ask a second time") {
            try store.requests().count { $0.contains("/answers/503") } >= 2
        }
        try await eventually("the kiosk to say why") { daemon.log.contains("answers 503") }
        #expect(try await office.report("busy") == nil)
        #expect(!daemon.log.contains("hush1"))
    }

    @Test func `a job that ends while its document is fetched, or while its store is away, is not printed`()
        async throws
    {
        let slow = try RespondingServer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nTEA 2.50\n", after: .seconds(4))
        let daemon = try await kiosk()
        try await office.send(Self.tea, at: "http://127.0.0.1:\(slow.port)/slow", key: "slow", expiresAfter: 2)
        try await office.send(Self.tea, at: "http://127.0.0.1:\(freePort())/away", key: "away", expiresAfter: 8)
        for key in ["slow", "away"] {
            #expect(try await office.report(key, .refused).error?.code == "job-expired", "\(daemon.log)")
        }
        #expect(try await received().isEmpty)
    }

    @Test func `over TLS nothing is asked of a store that cannot prove who it is`() async throws {
        let authority = try await TestAuthority()
        let stranger = try await TestAuthority.selfSigned()
        let store = try await NginxStore(certificate: stranger)
        try store.put(document, as: "long.txt")
        let daemon = try await kiosk(trusting: authority)
        let address = "https://localhost:\(store.port)/documents/long.txt?X-Amz-Signature=hush1"
        try await office.send(document, at: address, key: "long")
        try await eventually("the kiosk to say that the job waits") {
            daemon.log.contains("cannot prove who it is")
        }
        #expect(try store.requests().isEmpty)
        try await store.start(certificate: try await authority.issue())
        #expect(try await office.report("long", .ended).job?.state == .completed, "\(daemon.log)")
        #expect(try await received() == [document])
        #expect(!daemon.log.contains("hush1"))
    }

    @Test func `over TLS a certificate of another name is not the store's`() async throws {
        let authority = try await TestAuthority()
        let store = try await NginxStore(
            certificate: try await authority.issue(.init("other", names: ["other.example"])))
        try store.put(Self.tea, as: "there")
        let daemon = try await kiosk(trusting: authority)
        try await office.send(Self.tea, at: "https://localhost:\(store.port)/documents/there", key: "tea")
        try await eventually("the kiosk to say that the job waits") {
            daemon.log.contains("cannot prove who it is")
        }
        #expect(try store.requests().isEmpty)
        #expect(try await office.report("tea") == nil)
    }

    @Test func `a kiosk ends while a store says nothing`() async throws {
        let (listener, port) = try listenOnLoopback()
        defer { close(listener) }
        #expect(fcntl(listener, F_SETFL, O_NONBLOCK) == 0)
        let daemon = try await kiosk()
        try await office.send(Self.tea, at: "http://127.0.0.1:\(port)/there", key: "silent")
        let connection = try await eventuallyValue("the kiosk's connection") {
            let connection = accept(listener, nil, nil)
            return connection >= 0 ? connection : nil
        }
        defer { close(connection) }
        #expect(try await daemon.terminate() == .exited(0), "\(daemon.log)")
        #expect(try await office.report("silent") == nil)
    }
}
