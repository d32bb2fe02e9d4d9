import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// What a kioskd at a real hub tells of its fleet by `GET /v1/fleet`.
@Suite struct KioskdFleetInformationTests {
    /// What the kiosk tells, once it is as `condition` says.
    @discardableResult
    private func information(
        _ daemon: KioskdFixture, _ what: String, _ condition: (FleetInformation) -> Bool
    ) async throws -> FleetInformation {
        let client = daemon.client()
        defer { client.close() }
        return try await eventuallyValue(what) {
            let information = try await client.fleet()
            return condition(information) ? information : nil
        }
    }

    @Test func `jobs, reports and the way to the hub are told, also while the hub is away`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri], arguments: office.options("kiosk-1"))
        try await office.send("order")
        let job = try await office.report("order", .ended).job
        try await office.send("no-role", to: "kitchen")
        try await office.report("no-role", .refused)
        let told = try await information(daemon, "all reports at the hub") {
            $0.connection.isConnected && $0.connection.lastReachedAt != nil && $0.reports?.waiting == 0
                && $0.jobs.count == 2
        }
        #expect(told.site == "0147" && told.node == "kiosk-1" && told.servers == [office.server.url])
        #expect(told.jobs.map(\.stage) == ["refused", "ended"], "\(daemon.log)")
        #expect(told.jobs.map(\.job) == [nil, job?.id])
        let key = try JobKey(idempotencyKey: "order")
        #expect(told.jobs.last?.key == key.text)
        #expect(told.takenUpTo == told.jobs.first?.storedAt && told.reports?.oldest == nil)
        #expect(told.pair == nil && told.loginEndsAt == nil)
        #expect(told.configuration == .init(mode: "off"))
        try await office.server.kill()
        let cut = try await information(daemon, "the broken connection") {
            !$0.connection.isConnected && $0.connection.problem != nil
        }
        #expect(cut.jobs == told.jobs && cut.takenUpTo == told.takenUpTo)
        try await office.server.start()
        try await information(daemon, "the next connection") { $0.connection.isConnected }
    }

    @Test func `reports wait while the hub is away, and are counted`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        try await printer.perform(.goOffline(milliseconds: nil))
        let daemon = try await KioskdFixture(printers: [printer.uri], arguments: office.options("kiosk-1"))
        try await office.send("order")
        try await office.report("order", .accepted)
        let accepted = try await information(daemon, "the report at the hub") { $0.reports?.waiting == 0 }
        try await office.server.kill()
        try await printer.perform(.goOnline)
        let waiting = try await information(daemon, "the report that waits") { $0.reports?.waiting == 1 }
        #expect(waiting.jobs.first?.stage == "ended")
        #expect(waiting.reports?.oldest == accepted.jobs.first?.storedAt)
    }

    @Test func `the office's configuration is told with its mistake`() async throws {
        let office = try await FleetOffice()
        let daemon = try await KioskdFixture(
            registry: "version: 1\n",
            arguments: office.options("kiosk-1") + [
                "--fleet-configuration", "managed", "--fleet-configuration-interval", "1",
            ])
        let writer = ConfigurationWriter(at: office.jetStream)
        let right = try await writer.write(Array("version: 1\n# right\n".utf8), for: FleetOffice.site, over: 0)
        try await information(daemon, "what is in force") {
            $0.configuration == .init(mode: "managed", desired: right, applied: right)
        }
        let text = "version: 1\nprinters:\n  - { id: till-1, nmae: x, url: \"ipp://localhost:9/ipp/print\" }\n"
        let wrong = try await writer.write(Array(text.utf8), for: FleetOffice.site, over: right)
        let told = try await information(daemon, "the mistake") { $0.configuration.error != nil }
        #expect(told.configuration.desired == wrong && told.configuration.applied == right)
        #expect(told.configuration.error?.line == 3 && told.configuration.error?.text.contains("nmae") == true)
        #expect(told.checks.contains { $0.code == "configuration-refused" })
        // The hub is not asked for what is in force.
        try await office.server.kill()
        try await daemon.kill()
        try await daemon.start()
        try await information(daemon, "what is in force, from the kiosk's own records") {
            $0.configuration == .init(mode: "managed", applied: right)
        }
    }

    @Test func `of a pair each tells which one takes the jobs`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        func kiosk(_ node: String) async throws -> KioskdFixture {
            try await KioskdFixture(printers: [printer.uri], arguments: office.options(node) + ["--fleet-pair"])
        }
        let first = try await kiosk("kiosk-1")
        try await information(first, "the lease") { $0.pair == .init(holder: "kiosk-1", takesJobs: true) }
        let second = try await kiosk("kiosk-2")
        // Mostly the first has it, unless it was held up.
        let pair = try await information(second, "a lease") { $0.pair?.holder != nil }.pair
        #expect(pair?.takesJobs == (pair?.holder == "kiosk-2"))
        try await first.kill()
        try await information(second, "the takeover") { $0.pair == .init(holder: "kiosk-2", takesJobs: true) }
    }

    @Test func `a kiosk that has never reached its hub says so, and one without a fleet that it has none`() async throws
    {
        let away = try await KioskdFixture(
            arguments: ["--fleet-hub", "nats://127.0.0.1:9", "--fleet-site", "0147", "--fleet-node", "kiosk-1"])
        let told = try await information(away, "its records") { $0.reports != nil }
        #expect(!told.connection.isConnected && told.connection.lastReachedAt == nil)
        #expect(told.jobs.isEmpty && told.takenUpTo == nil && told.reports == .init(waiting: 0))
        let alone = try await KioskdFixture()
        let refusal = await #expect(throws: KioskClientError.self) { try await alone.client().fleet() }
        #expect(refusal?.problem?.code == .notFound && refusal?.problem?.status == 404)
        #expect(refusal?.problem?.detail?.contains("--fleet-hub") == true)
    }
}
