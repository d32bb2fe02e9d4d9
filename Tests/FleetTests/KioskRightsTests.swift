import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskFleet

/// What a kiosk may do at real servers, and what they refuse it.
@Suite struct KioskRightsTests {
    private let own: SiteName
    private let other: SiteName
    private let key: JobKey
    /// Of a kiosk.
    private let userKey: NKey

    init() throws {
        (own, other) = (try SiteName("0147"), try SiteName("0148"))
        key = try JobKey(idempotencyKey: "order-1")
        userKey = try NKeyPair(newOf: .user).publicKey
    }

    /// Runs `body` with a hub that has its streams: the admin may do all, the kiosk what a site's may, by the template of
    /// the key that has signed its token.
    private func withHub(
        _ version: NATSServer.Version, _ body: (NATSServer, _ admin: NATSLink, _ kiosk: NATSLink) async throws -> Void
    ) async throws {
        let hub = try await EnrolledHub(version)
        let admin = try hub.link(hub.credentials(of: .admin))
        let kiosk = try hub.link(
            hub.credentials(ofKioskOf: own), inboxPrefix: KioskRights.inboxPrefix(of: own))
        defer {
            admin.close()
            kiosk.close()
        }
        try await eventually("both to reach the hub") { admin.isConnected && kiosk.isConnected }
        try await HubSetup(HubLayout(replicas: 1), at: JetStream(admin, timeout: .seconds(60)))
            .apply(changesExisting: false)
        try await body(hub.server, admin, kiosk)
    }

    /// Whether the server's log has a violation of these rights: `Publish Violation - … Subject "anything"`.
    private func isRefused(_ what: String, _ subject: String, by server: NATSServer) -> Bool {
        server.log.split(separator: "\n").contains { line in
            line.contains("\(what) Violation") && line.contains("Subject \"\(subject)\"")
        }
    }

    @Test(arguments: NATSServer.installed)
    func `a kiosk does its own work`(version: NATSServer.Version) async throws {
        try await withHub(version) { _, office, kiosk in
            let (sender, jetStream) = (
                JobSender(at: JetStream(office, timeout: .seconds(60))), JetStream(kiosk, timeout: .seconds(60))
            )
            let document = [UInt8](repeating: 65, count: 300_000)
            let job = try FleetJob(
                site: own, role: "receipt", idempotencyKey: "order-1", name: "Bon", document: document)
            _ = try await sender.send(job, document: document)
            let taken = Mutex<[UInt8]>([])
            struct Enough: Error {}
            await #expect(throws: Enough.self) {
                try await JobFetcher(of: own, at: jetStream).run(from: 0) { delivery in
                    let read = try FleetJob(delivery.message)
                    try await FleetDocument.read(read, delivery.message, at: jetStream) { bytes in
                        taken.withLock { $0 += bytes }
                    }
                    throw Enough()
                }
            }
            #expect(taken.withLock(\.self) == document)
            let report = try await jetStream.publish(.report(own, key), body: Array("{}".utf8))
            #expect(report.stream == HubLayout.reports)
            #expect(try await jetStream.lastMessage(of: .token(own, userKey), in: HubLayout.tokens) == nil)
            #expect(
                try await jetStream.lastMessage(of: .report(own, key), in: HubLayout.reports)?.body == Array("{}".utf8))
        }
    }

    @Test(arguments: NATSServer.installed)
    func `what is another site's or everybody's is refused by the hub`(version: NATSServer.Version) async throws {
        try await withHub(version) { server, _, kiosk in
            let refused = [
                // Another site's, by each way that is the kiosk's own for its own.
                "$JS.API.CONSUMER.CREATE.JOBS.name.jobs.\(other).*.*", "$JS.API.DIRECT.GET.DOCS.docs.\(other).\(key).0",
                "reports.\(other).\(key)", "$JS.API.CONSUMER.CREATE.REPORTS.name.reports.\(other).*",
                "$JS.API.DIRECT.GET.REPORTS.reports.\(other).\(key)",
                "$JS.API.DIRECT.GET.KV_DESIRED.$KV.DESIRED.\(other)",
                "$JS.API.DIRECT.GET.KV_REPORTED.$KV.REPORTED.\(other)",
                "$JS.API.DIRECT.GET.KV_LEASE.$KV.LEASE.\(other)",
                "$JS.API.DIRECT.GET.KV_TOKENS.$KV.TOKENS.\(other).\(userKey)",
                "$JS.API.DIRECT.GET.KV_STATUS.$KV.STATUS.\(other).a", "$KV.REPORTED.\(other)", "$KV.LEASE.\(other)",
                "$KV.STATUS.\(other).a",
                // All sites' at once.
                "$JS.API.CONSUMER.CREATE.JOBS", "$JS.API.CONSUMER.CREATE.JOBS.name",
                "$JS.API.CONSUMER.CREATE.JOBS.name.>",
                "$JS.API.CONSUMER.DURABLE.CREATE.JOBS.name", "$JS.API.CONSUMER.CREATE.JOBS.name.jobs.*.*.*",
                "$JS.API.CONSUMER.NAMES.JOBS", "$JS.API.CONSUMER.LIST.JOBS", "$JS.API.CONSUMER.INFO.JOBS.name",
                "$JS.API.CONSUMER.DELETE.JOBS.name", "$JS.API.DIRECT.GET.JOBS", "$JS.API.STREAM.MSG.GET.JOBS",
                "$JS.API.DIRECT.GET.DOCS", "$JS.API.STREAM.MSG.GET.DOCS", "$JS.API.STREAM.INFO.JOBS",
                "$JS.API.STREAM.NAMES",
                "$JS.API.STREAM.LIST", "$JS.API.INFO", "$JS.API.DIRECT.GET.KV_DESIRED", "$JS.API.DIRECT.GET.REPORTS",
                // What the office alone may do, for the kiosk's own site too.
                "jobs.\(own).receipt.\(key)", "jobs.\(own).cancel.\(key)", "docs.\(own).\(key).0", "$KV.DESIRED.\(own)",
                "$KV.TOKENS.\(own).\(userKey)", "$JS.API.DIRECT.GET.KV_TOKENS", "$JS.API.STREAM.MSG.GET.KV_TOKENS",
                "audit.\(own)", "$JS.API.STREAM.CREATE.JOBS", "$JS.API.STREAM.UPDATE.JOBS",
                "$JS.API.STREAM.DELETE.JOBS",
                "$JS.API.STREAM.PURGE.JOBS", "$JS.API.STREAM.MSG.DELETE.JOBS", "$JS.API.STREAM.MSG.GET.KV_DESIRED",
                "$SYS.REQ.SERVER.PING", "$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.ACCOUNT.A.CONNZ", "anything",
            ]
            for subject in refused { try kiosk.publish(HubMessage(subject: subject, body: Array("{}".utf8))) }
            for subject in refused {
                try await eventually("the hub to refuse \(subject)") {
                    isRefused("Publish", subject, by: server)
                }
            }
            let unheard = [
                "_IN.\(other).>", "_IN.>", ">", "jobs.>", "jobs.\(own).>", "docs.>", "reports.>", "$KV.>", "$JS.>",
                "$JS.ACK.>", "_INBOX.>", "$SYS.>",
            ]
            let subscriptions = try unheard.map { try kiosk.messages(of: $0, maximum: 1) }
            for subject in unheard {
                try await eventually("the hub to refuse the subscription \(subject)") {
                    isRefused("Subscription", subject, by: server)
                }
            }
            #expect(subscriptions.count == unheard.count)
        }
    }

    /// The subject names its own site and the body another.
    @Test(arguments: NATSServer.installed)
    func `a consumer cannot be had by a request that says one thing and asks for another`(
        version: NATSServer.Version
    ) async throws {
        try await withHub(version) { _, _, kiosk in
            for filter in ["jobs.\(other).*.*", "jobs.*.*.*", ""] {
                let body = """
                    {"stream_name":"JOBS","config":{"name":"name","deliver_policy":"all","ack_policy":"none",
                     "filter_subject":"\(filter)"}}
                    """
                let response = try await kiosk.request(
                    HubMessage(
                        subject: "$JS.API.CONSUMER.CREATE.JOBS.name.jobs.\(own).*.*", body: Array(body.utf8)),
                    timeout: .seconds(60))
                #expect(String(decoding: response.body, as: UTF8.self).contains("\"error\""), "\(filter)")
            }
        }
    }

    @Test func `a template grants a site what its name grants`() {
        let rights = KioskRights(of: own)
        func named(_ patterns: [String]) -> [String] { patterns.map { $0.replacing("{{name()}}", with: own.text) } }
        #expect(named(KioskRights.template.publish) == rights.publish)
        #expect(named(KioskRights.template.subscribe) == rights.subscribe)
    }

    @Test(arguments: NATSServer.installed)
    func `an office sends and reads for every site, and changes no stream`(version: NATSServer.Version) async throws {
        let hub = try await EnrolledHub(version)
        let (admin, office) = (try hub.link(hub.credentials(of: .admin)), try hub.link(hub.credentials(of: .office)))
        defer {
            admin.close()
            office.close()
        }
        try await eventually("both to reach the hub") { admin.isConnected && office.isConnected }
        let setup = HubSetup(HubLayout(replicas: 1), at: JetStream(admin, timeout: .seconds(60)))
        try await setup.apply(changesExisting: false)
        let jetStream = JetStream(office, timeout: .seconds(60))
        let document = [UInt8](repeating: 65, count: 300_000)
        for site in [own, other] {
            let job = try FleetJob(site: site, role: "receipt", idempotencyKey: "a", name: "Bon", document: document)
            _ = try await JobSender(at: jetStream).send(job, document: document)
            _ = try await jetStream.publish(.audit(site), body: [])
            #expect(try await jetStream.lastMessage(of: .report(site, key), in: HubLayout.reports) == nil)
        }
        #expect(try await HubSetup(setup.layout, at: jetStream).check().count == setup.layout.streams.count)
        for stream in [HubLayout.reports, HubLayout.status] {
            let filter = stream == HubLayout.status ? FleetSubject.statusFilter : FleetSubject.reportsFilter(of: other)
            try await jetStream.readLastMessages(of: filter, in: stream) { _, _ in }
        }
        let refused = [
            "$JS.API.STREAM.CREATE.NEW", "$JS.API.STREAM.UPDATE.JOBS", "$JS.API.STREAM.DELETE.JOBS",
            "$JS.API.STREAM.PURGE.JOBS", "$JS.API.STREAM.MSG.DELETE.JOBS", "$JS.API.CONSUMER.CREATE.KV_LEASE",
            "reports.\(own).\(key)", "$KV.STATUS.\(own).a", "$KV.LEASE.\(own)", "$SYS.REQ.CLAIMS.UPDATE", "anything",
            "$KV.TOKENS.\(own).\(userKey)",
        ]
        for subject in refused { try office.publish(HubMessage(subject: subject, body: Array("{}".utf8))) }
        for subject in refused {
            try await eventually("the hub to refuse \(subject)") { isRefused("Publish", subject, by: hub.server) }
        }
        let unheard = try ["jobs.>", "_IN.>", ">"].map { ($0, try office.messages(of: $0, maximum: 1)) }
        for (subject, _) in unheard {
            try await eventually("the hub to refuse the subscription \(subject)") {
                isRefused("Subscription", subject, by: hub.server)
            }
        }
    }
}
