import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// An office: a hub with its streams, and what it sends to sites and reads of them.
struct FleetOffice {
    /// One, or the three of a cluster.
    let servers: [NATSServer]
    let link: NATSLink
    let jetStream: JetStream
    static let site = try! SiteName("0147")

    var server: NATSServer { servers[0] }
    private var isClustered: Bool { servers.count > 1 }

    init(_ version: NATSServer.Version = .debian) async throws { try await self.init([NATSServer(version)]) }

    static func atThreeServers(_ version: NATSServer.Version = .current) async throws -> FleetOffice {
        try await FleetOffice(NATSCluster.start(version))
    }

    private init(_ servers: [NATSServer]) async throws {
        self.servers = servers
        link = try NATSLink(NATSLink.Options.test(servers.map(\.url), as: "office"))
        // What a killed leader was asked is asked again.
        jetStream = JetStream(link, timeout: servers.count > 1 ? .seconds(10) : .seconds(60))
        try await setUp()
    }

    /// Makes the streams.
    func setUp() async throws {
        try await eventually("the office to reach the hub") { link.isConnected }
        let setup = HubSetup(HubLayout(replicas: servers.count), at: jetStream)
        guard isClustered else {
            try await setup.apply(changesExisting: false)
            return
        }
        // It may have no leader yet, or know too few of its servers.
        try await repeating("the hub to have its streams") { try await setup.apply(changesExisting: false) }
    }

    /// Asks the hub until it answers: while it elects a leader it may not.
    @discardableResult
    func repeating<Answer>(_ what: String, _ ask: () async throws -> Answer) async throws -> Answer {
        var answer: Answer?
        var last: FleetError?
        do {
            try await eventually(what, poll: .milliseconds(100)) {
                do {
                    answer = try await ask()
                    return true
                } catch let error as FleetError where error.code != .conflict {
                    last = error
                    return false
                }
            }
        } catch let error as TestSupportError { throw TestSupportError("\(error): \(last?.description ?? "-")") }
        guard let answer else { throw TestSupportError("\(what) is missing") }
        return answer
    }

    /// Kills the hub and starts it again; returns once the office is connected to the new one.
    func restartHub() async throws {
        try await killHub()
        for server in servers { try await server.start() }
        try await eventually("the office to come back") { link.isConnected }
    }

    /// Takes all away that the hub has stored, and makes its streams anew.
    func wipeHub() async throws {
        try await killHub()
        for server in servers { try server.removeStore() }
        for server in servers { try await server.start() }
        try await setUp()
    }

    private func killHub() async throws {
        for server in servers { try await server.kill() }
        try await eventually("the office to notice") { !link.isConnected }
    }

    /// Kills the server that leads the stream of jobs, and starts it again after a while; of a hub of one server it is
    /// that one.
    func restartLeader(after pause: Duration) async throws {
        let leader = try await leader(of: HubLayout.jobs)
        try await servers[leader].kill()
        try await Task.sleep(for: pause)
        try await servers[leader].start()
        try await eventually("the office to be at the hub") { link.isConnected }
    }

    /// Which of the servers leads a stream, once one does that is not `former`.
    func leader(of stream: String, after former: Int? = nil) async throws -> Int {
        guard isClustered else { return 0 }
        return try await eventuallyValue("a leader of \(stream)") {
            let leader = try await NATSCluster.leader(of: stream, among: servers, at: jetStream)
            return leader == former ? nil : leader
        }
    }

    /// Takes the site's jobs away from the hub, as their age does.
    func purgeJobs() async throws {
        let answer = try await link.request(
            HubMessage(subject: "$JS.API.STREAM.PURGE.\(HubLayout.jobs)", body: []), timeout: .seconds(60))
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""success":true"#))
    }

    /// Sends a text to a role of the site, which is the job's key too.
    @discardableResult
    func send(
        _ key: String, to role: RoleName = "receipt", expiresAfter: Int? = nil
    ) async throws -> JobSender.Outcome {
        try await send(Array(key.utf8), key: key, to: role, expiresAfter: expiresAfter)
    }

    @discardableResult
    func send(
        _ document: [UInt8], key: String, to role: RoleName = "receipt", expiresAfter: Int? = nil
    ) async throws -> JobSender.Outcome {
        let job = try FleetJob(
            site: Self.site, role: role, idempotencyKey: key, name: key, document: document, format: .plainText,
            expiresAfter: expiresAfter)
        return try await JobSender(at: jetStream).send(job, document: document)
    }

    /// Sends a job whose document, a text, lies at an address.
    @discardableResult
    func send(
        _ document: [UInt8], at address: String, key: String, role: RoleName = "receipt", expiresAfter: Int? = nil
    ) async throws -> JobSender.Outcome {
        let job = try FleetJob(
            site: Self.site, role: role, idempotencyKey: key, name: key, documentAt: DocumentAddress(address),
            length: document.count, digest: FleetDocument.digest(of: document), format: .plainText,
            expiresAfter: expiresAfter)
        return try await JobSender(at: jetStream).send(job)
    }

    func cancel(_ key: String) async throws {
        _ = try await jetStream.publish(.cancellation(Self.site, JobKey(idempotencyKey: key)), body: [])
    }

    /// The last that a kiosk has said of a job.
    func report(_ key: String) async throws -> FleetReport? {
        try await jetStream.lastMessage(of: .report(Self.site, JobKey(idempotencyKey: key)), in: HubLayout.reports)
            .map { try FleetReport($0) }
    }

    /// The same, once the kiosk has said this.
    @discardableResult
    func report(_ key: String, _ stage: FleetReport.Stage) async throws -> FleetReport {
        var last: FleetReport?
        try await eventually("the report \(stage) of \(key)") {
            do {
                last = try await report(key)
            } catch let error as FleetError where isClustered && error.isRetryable {
                // It elects a leader.
                return false
            }
            return last?.stage == stage
        }
        return try #require(last)
    }

    /// What came out, in order: of the texts that are sent here each is its job's key.
    func printed(by printer: SimulatedPrinter) async throws -> [String] {
        let papers = try await printer.paper
        let documents = Dictionary(
            uniqueKeysWithValues: try await printer.documents.map { ($0.number, $0.path) })
        // One whose document is not listed yet is there at the next look.
        return try papers.compactMap { paper in
            try documents[paper.document].map { String(decoding: try readFile($0), as: UTF8.self) }
        }
    }

    /// The options of a kioskd at the site. `hubs`: other ways to the hub's servers than their own addresses.
    func options(_ node: String, hubs: [String]? = nil) -> [String] {
        (hubs ?? servers.map(\.url)).flatMap { ["--fleet-hub", $0] }
            + ["--fleet-site", Self.site.text, "--fleet-node", node]
    }
}
