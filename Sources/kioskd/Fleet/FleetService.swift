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
    /// The health of the whole daemon, as its own API tells it.
    let health: @Sendable () async -> HealthReport
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { await runUntilCancelled() }
    }

    private func runUntilCancelled() async {
        let records: FleetRecords
        let link: NATSLink
        do {
            records = try FleetRecords(path: "\(stateDirectory)/fleet.sqlite")
            link = try NATSLink(membership.link)
        } catch {
            // Local printing goes on.
            logger.error("the kiosk takes no part in its fleet: \(error); correct it and start kioskd again")
            membership.contact.gaveUp("\(error)")
            try? await Task.sleep(for: .seconds(Int64.max))
            return
        }
        let agent = FleetAgent(
            .init(site: membership.site, node: membership.node, version: Version.text), link: link, records: records,
            kiosk: EngineKiosk(engine, health: health), contact: membership.contact, logger: logger)
        await agent.run()
        link.close()
    }
}

/// Who a kiosk is in its fleet, how it reaches the hub, and whether it does.
struct FleetMembership: Sendable {
    let site: SiteName
    let node: NodeName
    let link: NATSLink.Options
    let contact: FleetContact

    init(site: SiteName, node: NodeName, link: NATSLink.Options) {
        (self.site, self.node, self.link) = (site, node, link)
        contact = FleetContact(of: site)
    }
}
