import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskFleet

/// The fleet's streams at real servers.
@Suite struct HubSetupTests {
    /// Runs `body` with a new server and a link that has reached it.
    private func withHub(
        _ version: NATSServer.Version, _ body: (NATSServer, NATSLink, JetStream) async throws -> Void
    ) async throws {
        let server = try await NATSServer(version)
        let link = try NATSLink(NATSLink.Options.test([server.url]))
        defer { link.close() }
        try await eventually("the link to reach the hub") { link.isConnected }
        try await body(server, link, JetStream(link, timeout: .seconds(60)))
    }

    private func job(_ key: String) throws -> FleetSubject {
        try .job(to: "receipt", of: SiteName("0147"), JobKey(idempotencyKey: key))
    }

    @Test func `there is a server to test against`() { #expect(NATSServer.installed.contains(.debian)) }

    @Test(arguments: NATSServer.installed)
    func `streams are made once, with the settings that are wanted`(version: NATSServer.Version) async throws {
        try await withHub(version) { _, _, jetStream in
            let setup = HubSetup(HubLayout(replicas: 1), at: jetStream)
            let before = try await setup.apply(changesExisting: false)
            #expect(before.map(\.wanted.name).count == 9 && before.allSatisfy { $0.state == .missing })
            for finding in try await setup.check() {
                switch version {
                case .current: #expect(finding.state == .asWanted, "\(finding.wanted.name)")
                case .debian where finding.wanted.allowsMessageTTL:
                    // Version 2.9 knows no lifetimes of messages, and that is told.
                    let difference = StreamConfiguration.Difference(
                        setting: "allow_msg_ttl", wanted: "true", found: "false")
                    #expect(finding.state == .different([difference]), "\(finding.wanted.name)")
                case .debian: #expect(finding.state == .asWanted, "\(finding.wanted.name)")
                }
            }
        }
    }

    @Test(arguments: NATSServer.installed)
    func `what somebody has changed is told, and changed back on request`(version: NATSServer.Version) async throws {
        try await withHub(version) { _, _, jetStream in
            let setup = HubSetup(HubLayout(replicas: 1), at: jetStream)
            try await setup.apply(changesExisting: false)
            var reports = try #require(setup.layout.streams.first { $0.name == HubLayout.reports })
            (reports.maximumMessagesPerSubject, reports.maximumAge) = (3, 3_600_000_000_000)
            try await jetStream.update(reports)
            let difference = { try await setup.check().first { $0.wanted.name == HubLayout.reports }?.state }
            guard case .different(let found)? = try await difference() else {
                Issue.record("no difference is told")
                return
            }
            #expect(
                found.map(\.description) == [
                    "max_age is 3600000000000, and should be 2592000000000000",
                    "max_msgs_per_subject is 3, and should be 8",
                ])
            // Looking and making what is missing change nothing.
            try await setup.apply(changesExisting: false)
            #expect(try await difference() == .different(found))
            try await setup.apply(changesExisting: true)
            #expect(try await difference() == .asWanted)
        }
    }

    @Test(arguments: NATSServer.installed)
    func `a hub keeps one job of a key, and gives it to who asks`(version: NATSServer.Version) async throws {
        try await withHub(version) { _, _, jetStream in
            try await HubSetup(HubLayout(replicas: 1), at: jetStream).apply(changesExisting: false)
            let subject = try job("order-1")
            #expect(try await jetStream.lastMessage(of: subject, in: HubLayout.jobs) == nil)
            let body = Array((0...255).map { UInt8($0) })
            let stored = try await jetStream.publish(subject, headers: ["Kioskd-Key": "order-1"], body: body)
            #expect(stored.stream == HubLayout.jobs && stored.sequence == 1)
            let refusal = await #expect(throws: FleetError.self) {
                try await jetStream.publish(subject, body: Array("other".utf8))
            }
            #expect(refusal?.code == .refused && refusal?.hubCode == JetStream.subjectTaken)
            let kept = try await jetStream.lastMessage(of: subject, in: HubLayout.jobs)
            #expect(kept?.body == body && kept?.headers["Kioskd-Key"] == "order-1")
        }
    }

    @Test(arguments: NATSServer.installed)
    func `a hub without its streams is told from one that is away`(version: NATSServer.Version) async throws {
        try await withHub(version) { server, link, jetStream in
            let subject = try job("order-1")
            let missing = await #expect(throws: FleetError.self) { try await jetStream.publish(subject, body: [1]) }
            #expect(missing?.code == .noResponders)
            try await server.kill()
            try await eventually("the link to notice") { !link.isConnected }
            let away = await #expect(throws: FleetError.self) { try await jetStream.publish(subject, body: [1]) }
            #expect(away?.code == .notConnected)
        }
    }

    @Test(arguments: NATSServer.installed)
    func `tells how much a stream keeps, and hands over keys without their texts`(
        version: NATSServer.Version
    ) async throws {
        try await withHub(version) { _, _, jetStream in
            #expect(try await jetStream.size(of: HubLayout.desired) == nil)
            try await HubSetup(HubLayout(replicas: 1), at: jetStream).apply(changesExisting: false)
            #expect(try await jetStream.size(of: HubLayout.desired) == .init(messages: 0, bytes: 0))
            let desired = FleetSubject.desired(try SiteName("0147"))
            let stored = try await jetStream.publish(desired, body: [UInt8](repeating: 65, count: 1000))
            let size = try #require(try await jetStream.size(of: HubLayout.desired))
            #expect(size.messages == 1 && size.bytes > 1000)
            let read = Mutex<[(message: HubMessage, position: StoredPosition)]>([])
            try await jetStream.readLastMessages(
                of: FleetSubject.desiredFilter, in: HubLayout.desired, isHeadersOnly: true
            ) { message, position in
                read.withLock { $0.append((message, position)) }
            }
            let found = read.withLock(\.self)
            #expect(found.map(\.message.subject) == [desired.text] && found.map(\.message.body) == [[]])
            #expect(found.map(\.position.sequence) == [stored.sequence])
        }
    }

    @Test(arguments: NATSServer.installed)
    func `the link comes back by itself, and what was acknowledged is still there`(
        version: NATSServer.Version
    ) async throws {
        try await withHub(version) { server, link, jetStream in
            try await HubSetup(HubLayout(replicas: 1), at: jetStream).apply(changesExisting: false)
            let subject = try job("order-1")
            var heard = try link.messages(of: "jobs.>", maximum: 10).makeAsyncIterator()
            _ = try await jetStream.publish(subject, body: [1, 2, 3])
            // The acknowledgement may come first, and a hub that is killed then sends nothing more.
            #expect(await heard.next()?.body == [1, 2, 3])
            try await server.kill()
            try await eventually("the link to notice") { !link.isConnected }
            try await server.start()
            try await eventually("the link to come back") { link.isConnected }
            #expect(try await jetStream.lastMessage(of: subject, in: HubLayout.jobs)?.body == [1, 2, 3])
            // Its subscriptions are there again, too.
            _ = try await jetStream.publish(job("order-2"), body: [4])
            #expect(await heard.next()?.body == [4])
        }
    }
}
