import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskFleet

@Suite struct JobSenderTests {
    private func job(
        _ key: String = "order-1", role: RoleName = "receipt", name: String = "Bon Nº 1", document: [UInt8]
    ) throws -> FleetJob {
        try FleetJob(
            site: SiteName("0147"), role: role, idempotencyKey: key, name: name, document: document,
            format: .plainText, expiresAfter: 60, ticket: #"{"copies":2}"#)
    }

    private func withHub(_ version: NATSServer.Version, _ body: (JetStream) async throws -> Void) async throws {
        let server = try await NATSServer(version)
        let link = try NATSLink(NATSLink.Options.test([server.url], as: "office"))
        defer { link.close() }
        try await eventually("the office to reach the hub") { link.isConnected }
        let jetStream = JetStream(link, timeout: .seconds(60))
        try await HubSetup(HubLayout(replicas: 1), at: jetStream).apply(changesExisting: false)
        try await body(jetStream)
    }

    private func received(_ job: FleetJob, at jetStream: JetStream) async throws -> (FleetJob, [UInt8]) {
        let subject = try FleetSubject.job(to: job.role, of: job.site, job.key())
        var message = try #require(try await jetStream.lastMessage(of: subject, in: HubLayout.jobs))
        message.subject = subject.text
        var bytes: [UInt8] = []
        let read = try FleetJob(message)
        try await FleetDocument.read(read, message, at: jetStream) { bytes += $0 }
        return (read, bytes)
    }

    /// A byte, what just fits into a message, what just does not, and several chunks.
    @Test(arguments: NATSServer.installed, [1, 262_144, 262_145, 700_000])
    func `a job arrives with its document as it was sent`(version: NATSServer.Version, length: Int) async throws {
        try await withHub(version) { jetStream in
            let document = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            let job = try job(document: document)
            #expect(try await JobSender(at: jetStream).send(job, document: document) == .stored)
            #expect(try await JobSender(at: jetStream).send(job, document: document) == .alreadyStored)
            let (read, bytes) = try await received(job, at: jetStream)
            #expect(read == job && bytes == document)
        }
    }

    @Test(arguments: NATSServer.installed)
    func `a key that was used for something else is refused`(version: NATSServer.Version) async throws {
        try await withHub(version) { jetStream in
            let sender = JobSender(at: jetStream)
            let long = [UInt8](repeating: 65, count: 300_000)
            for first in [[UInt8](repeating: 65, count: 10), long] {
                let key = "order-\(first.count)"
                _ = try await sender.send(job(key, document: first), document: first)
                var other = first
                other[0] = 66
                let others = [
                    (try job(key, document: other), other), (try job(key, name: "another", document: first), first),
                ]
                for (job, document) in others {
                    let error = await #expect(throws: FleetError.self) {
                        try await sender.send(job, document: document)
                    }
                    #expect(error?.code == .conflict)
                }
            }
        }
    }

    @Test(arguments: NATSServer.installed)
    func `a document of which the hub has lost a part is not taken`(version: NATSServer.Version) async throws {
        try await withHub(version) { jetStream in
            let document = [UInt8](repeating: 65, count: 300_000)
            let job = try job(document: document)
            let subject = try FleetSubject.job(to: job.role, of: job.site, job.key())
            // The job alone.
            _ = try await jetStream.publish(subject, headers: job.headers, body: [])
            let missing = await #expect(throws: FleetError.self) { try await received(job, at: jetStream) }
            #expect(missing?.code == .missing)
            // Chunks of another document.
            for (number, length) in [262_144, 37_856].enumerated() {
                _ = try await jetStream.publish(
                    .documentChunk(job.site, job.key(), number: number), body: [UInt8](repeating: 66, count: length))
            }
            let other = await #expect(throws: FleetError.self) { try await received(job, at: jetStream) }
            #expect(other?.code == .malformed)
        }
    }

    @Test(arguments: [
        ("Kioskd-Key", "order-2"), ("Kioskd-Key", nil), ("Kioskd-Name", ""), ("Kioskd-Name", "a\u{7}b"),
        ("Kioskd-Size", "0"), ("Kioskd-Size", "-1"), ("Kioskd-Size", "99999999999999999999"), ("Kioskd-Size", nil),
        ("Kioskd-SHA256", nil), ("Kioskd-Document", "url"), ("Kioskd-Document", nil), ("Kioskd-Expires-After", "0"),
        ("Kioskd-Expires-After", "604801"), ("Kioskd-Expires-After", "soon"), ("Kioskd-Format", "no type"),
        ("Kioskd-Ticket", "a\nb"),
    ])
    func `a message that is no whole job is refused`(header: String, value: String?) throws {
        let job = try job(document: [1])
        let subject = try FleetSubject.job(to: job.role, of: job.site, job.key()).text
        var message = HubMessage(subject: subject, headers: job.headers, body: [1])
        #expect(try FleetJob(message) == job)
        message.headers[header] = value
        let error = #expect(throws: FleetError.self) { try FleetJob(message) }
        #expect(error?.code == .malformed)
    }

    @Test func `what no message can carry is refused before it is sent`() {
        #expect(throws: FleetError.self) { try job("a b", document: [1]) }
        #expect(throws: FleetError.self) { try job(name: "a\r\nKioskd-Key: x", document: [1]) }
        #expect(throws: FleetError.self) { try job(document: []) }
    }
}
