import KioskAPI
import KioskEngine
import KioskFleet
import KioskFleetAgent
import KioskPrintModel
import Logging
import ServiceLifecycle

/// The kiosk's part in a fleet, from the connection to the hub to its end. Nothing waits for it: a kiosk prints all the
/// same while its hub is away.
struct FleetService: Service {
    let membership: FleetMembership
    let stateDirectory: String
    let engine: PrintEngine
    let editor: RegistryEditor
    /// The engine's health, and what else the office should know: without what only the API's health check adds, such
    /// as certificates and tokens.
    let health: @Sendable () async -> HealthReport
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { await runUntilCancelled() }
    }

    /// Begins anew whenever something ends it, such as a login that was refused: it may be valid again tomorrow.
    private func runUntilCancelled() async {
        var lastProblem: String?
        var pause = Backoff(upTo: Self.longestPause)
        while !Task.isCancelled {
            let begin = ContinuousClock.now
            do {
                try await takePart()
            } catch is CancellationError {
                return
            } catch {
                if FleetRecords.isDamage(error) { membership.state.setRecords(nil) }
                // Once, as long as it stays so. Local printing goes on.
                let problem = "\(error)"
                membership.contact.failed(problem)
                if problem != lastProblem { logger.warning("the kiosk takes no part in its fleet: \(problem)") }
                lastProblem = problem
            }
            if begin.duration(to: .now) > Self.longestPause { pause.reset() }
            do { try await pause.wait() } catch { return }
        }
    }

    private static let longestPause: Duration = .seconds(60)

    /// Throws why the link has ended.
    private func takePart() async throws {
        membership.state.setRecords(nil)
        let records = try FleetRecords(path: "\(stateDirectory)/fleet.sqlite")
        membership.state.setRecords(records)
        let logger = logger
        let link = try await NATSLink.connect(membership.link) { refusal in logger.warning("\(refusal)") }
        defer { link.close() }
        var settings = FleetAgent.Settings(
            site: membership.site, node: membership.node, version: Version.text)
        settings.isPaired = membership.isPaired
        let agent = FleetAgent(
            settings, link: link, records: records, kiosk: EngineKiosk(engine, health: health),
            fetcher: HTTPDocumentFetcher(), contact: membership.contact, state: membership.state,
            configuration: membership.configuration.map {
                ConfigurationKeeper(EngineConfigurator(editor), $0.state, each: $0.interval)
            }, login: membership.login, logger: logger)
        try await withThrowingTaskGroup { group in
            group.addTask { try await agent.run() }
            group.addTask { throw try await link.waitForEnd() }
            if let login = membership.login { group.addTask { try await login.watchEnd() } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

/// Who a kiosk is in its fleet, how it reaches the hub, and how its part in the fleet stands.
struct FleetMembership: Sendable {
    let site: SiteName
    let node: NodeName
    /// Whether another kiosk of the site shares its jobs.
    let isPaired: Bool
    let link: NATSLink.Options
    let contact: FleetContact
    /// Nil where the kiosk has no file of credentials.
    let login: LoginKeeper?
    let state = FleetState()
    /// Nil where the kiosk is set up at its site alone.
    let configuration: (state: ConfigurationState, interval: Duration)?

    /// `mode`: whose word counts for its printers and roles; nil where the office has none. The hub is then asked for
    /// them each one to two of `interval`.
    init(
        site: SiteName, node: NodeName, isPaired: Bool, link: NATSLink.Options, mode: ConfigurationReport.Mode?,
        interval: Duration
    ) {
        (self.site, self.node, self.isPaired, self.link) = (site, node, isPaired, link)
        contact = FleetContact(of: site)
        if case .credentials(let path) = link.authentication {
            login = LoginKeeper(path, contact)
        } else {
            login = nil
        }
        configuration = mode.map { (ConfigurationState(of: site, $0), interval) }
    }

    /// The findings for the health report.
    func checks() -> [HealthReport.Check] { contact.checks() + (configuration?.state.checks() ?? []) }
}
