import KioskAPI
import KioskEngine
import KioskFleet
import KioskFleetAgent
import Logging
import ServiceLifecycle

/// The kiosk's part in a fleet, from the connection to the hub to its end. Nothing waits for it: a kiosk prints all the
/// same while its hub is away.
struct FleetService: Service {
    let options: FleetOptions
    let site: SiteName
    let node: NodeName
    let stateDirectory: String
    let engine: PrintEngine
    let logger: Logger

    /// Nil where the kiosk belongs to no fleet.
    init?(_ options: FleetOptions, stateDirectory: String, engine: PrintEngine, logger: Logger) throws(StartError) {
        guard let (site, node) = try options.identity() else { return nil }
        (self.options, self.site, self.node) = (options, site, node)
        (self.stateDirectory, self.engine, self.logger) = (stateDirectory, engine, logger)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await runUntilCancelled() }
    }

    private func runUntilCancelled() async {
        let records: FleetRecords
        let link: NATSLink
        do {
            records = try FleetRecords(path: "\(stateDirectory)/fleet.sqlite")
            link = try NATSLink(options.link(as: "kioskd \(site) \(node)", of: site))
        } catch {
            // Local printing goes on.
            logger.error("the kiosk takes no part in its fleet: \(error); correct it and start kioskd again")
            try? await Task.sleep(for: .seconds(Int64.max))
            return
        }
        let agent = FleetAgent(
            .init(site: site, node: node, version: Version.text), link: link, records: records,
            kiosk: EngineKiosk(engine), logger: logger)
        await agent.run()
        link.close()
    }
}
