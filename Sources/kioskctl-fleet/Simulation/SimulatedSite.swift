import KioskFleet
import KioskFleetAgent
import Logging
import Synchronization

/// A site with one kiosk in memory: the link and the agent of `kioskd`, beside a simulated queue and printer.
final class SimulatedSite: Sendable {
    private let site: SiteName
    private let hub: NATSLink.Options
    private let kiosk: SimulatedKiosk
    private let counts: SimulationCounts
    private let link = Mutex<NATSLink?>(nil)

    private static let statusInterval: Duration = .seconds(60)

    init(_ site: SiteName, hub: NATSLink.Options, printTime: Duration, counts: SimulationCounts) {
        (self.site, self.counts) = (site, counts)
        var hub = hub
        hub.clientName = "simulated \(site)"
        hub.inboxPrefix = KioskRights.inboxPrefix(of: site)
        self.hub = hub
        kiosk = SimulatedKiosk(printTime: printTime, counts: counts)
    }

    var isConnected: Bool { link.withLock { $0?.isConnected ?? false } }

    /// Tries to connect. Throws `library-failed`, and `CancellationError`.
    func connect() async throws {
        let made = try await NATSLink.connect(hub)
        link.withLock { $0 = made }
    }

    /// Is a kiosk of the fleet until the task is cancelled, with a link of its own after one that has ended by itself.
    /// Throws where there is no memory for its records.
    func run() async throws {
        let agentSettings = try agentSettings()
        // What a kiosk has on its disk.
        let records = try FleetRecords(path: ":memory:")
        let contact = FleetContact(of: site)
        let logger = Logger(label: site.text) { [counts] _ in ProblemCounter(counts: counts) }
        await withTaskGroup { group in
            group.addTask { await self.kiosk.printJobs() }
            group.addTask {
                var pause = Backoff(upTo: .seconds(60))
                while !Task.isCancelled {
                    do {
                        try await self.takePart(agentSettings, records, contact, logger)
                    } catch is CancellationError {
                        return
                    } catch {
                        logger.warning("the kiosk takes no part in its fleet: \(error)")
                    }
                    do { try await pause.wait() } catch { return }
                }
            }
        }
    }

    private func agentSettings() throws(FleetError) -> FleetAgent.Settings {
        var settings = FleetAgent.Settings(site: site, node: try NodeName("kiosk-1"), version: "simulated")
        settings.statusInterval = Self.statusInterval
        // Its health never changes.
        settings.healthCheckInterval = Self.statusInterval
        return settings
    }

    /// Throws why the link has ended.
    private func takePart(
        _ settings: FleetAgent.Settings, _ records: FleetRecords, _ contact: FleetContact, _ logger: Logger
    ) async throws {
        if link.withLock({ $0 == nil }) { try await connect() }
        guard let link = link.withLock({ $0 }) else { return }
        defer {
            self.link.withLock { $0 = nil }
            link.close()
        }
        let agent = FleetAgent(
            settings, link: CountingLink(link: link, counts: counts), records: records, kiosk: kiosk, contact: contact,
            logger: logger)
        try await withThrowingTaskGroup { group in
            group.addTask { try await agent.run() }
            group.addTask { throw try await link.waitForEnd() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

/// The log of a simulated kiosk: ten thousand of them would say the same at once, so that problems are counted, and the
/// last one is kept.
private struct ProblemCounter: LogHandler {
    let counts: SimulationCounts
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    init(counts: SimulationCounts) { self.counts = counts }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level >= .warning else { return }
        let text = event.message.description
        counts.add { counts in
            counts.problems += 1
            counts.lastProblem = text
        }
    }
}
