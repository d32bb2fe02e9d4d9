import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// An office: a hub with its streams, and what it sends to sites and reads of them.
struct FleetOffice {
    let server: NATSServer
    let link: NATSLink
    let jetStream: JetStream
    static let site = try! SiteName("0147")

    init(_ version: NATSServer.Version = .debian) async throws {
        server = try await NATSServer(version)
        link = try NATSLink(NATSLink.Options(servers: [server.url], clientName: "office"))
        jetStream = JetStream(link, timeout: .seconds(60))
        try await setUp()
    }

    /// Makes the streams.
    func setUp() async throws {
        try await eventually("the office to reach the hub") { link.isConnected }
        try await HubSetup(HubLayout(replicas: 1), at: jetStream).apply(changesExisting: false)
    }

    /// Kills the hub and starts it again; returns once the office is connected to the new one.
    func restartHub() async throws {
        try await server.kill()
        try await eventually("the office to notice") { !link.isConnected }
        try await server.start()
        try await eventually("the office to come back") { link.isConnected }
    }

    /// Takes all away that the hub has stored, and makes its streams anew.
    func wipeHub() async throws {
        try await server.kill()
        try await eventually("the office to notice") { !link.isConnected }
        try server.removeStore()
        try await server.start()
        try await setUp()
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
            last = try await report(key)
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

    /// The options of a kioskd at the site.
    func options(_ node: String) -> [String] {
        ["--fleet-hub", server.url, "--fleet-site", Self.site.text, "--fleet-node", node]
    }
}
