import ArgumentParser
import KioskFleet

/// The options of a kiosk that belongs to a fleet.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take jobs for the site from this NATS server or cluster, such as tls://hub.example:4222: servers separated by commas, or one --fleet-hub for each (default: the kiosk belongs to no fleet).",
            valueName: "url"))
    var fleetHub: [String] = []

    @Option(
        help: ArgumentHelp("The site that the kiosk stands at, by its name in the fleet.", valueName: "name"),
        transform: { try SiteName($0) })
    var fleetSite: SiteName?

    @Option(
        help: ArgumentHelp(
            "The kiosk's name among those of its site (default: this machine's name).", valueName: "name"),
        transform: { try NodeName($0) })
    var fleetNode: NodeName?

    @Flag(
        help:
            "Share the site's jobs with another kiosk that has this option: the one takes them where the other cannot."
    )
    var fleetPair = false

    @Option(
        help: ArgumentHelp(
            "Log in at the hub with this file of a user JWT and an NKey's seed, which nobody else may read.",
            valueName: "path"))
    var fleetCredentials: String?

    @Option(
        help: ArgumentHelp(
            "Trust a hub whose certificate these authorities have signed, a PEM file (beside the system's).",
            valueName: "path"))
    var fleetAuthorities: String?

    @Option(
        help: ArgumentHelp(
            "Take printers and roles from the fleet's office: managed refuses edits at the site, shown takes them and tells the office.",
            valueName: "mode"))
    var fleetConfiguration = FleetConfigurationMode.off

    @Option(
        help: ArgumentHelp(
            "Ask the hub for the office's configuration after this time, and at most twice as much.",
            valueName: "seconds"))
    var fleetConfigurationInterval = 30

    func validate() throws {
        guard (1...3600).contains(fleetConfigurationInterval) else {
            throw ValidationError(
                "--fleet-configuration-interval is \(fleetConfigurationInterval); write seconds from 1 to 3600")
        }
        guard !fleetHub.isEmpty else {
            guard fleetSite == nil, fleetNode == nil, !fleetPair, fleetCredentials == nil, fleetAuthorities == nil,
                fleetConfiguration == .off
            else {
                throw ValidationError("the other options of the fleet are for --fleet-hub; name the hub")
            }
            return
        }
        guard fleetSite != nil else { throw ValidationError("--fleet-hub needs --fleet-site; name the kiosk's site") }
        let hub: HubAddress
        do {
            hub = try HubAddress(fleetHub)
        } catch {
            throw ValidationError("--fleet-hub: \(error)")
        }
        guard fleetAuthorities == nil || hub.isSecure else {
            throw ValidationError("--fleet-authorities is for TLS; write the hub as tls://host:4222")
        }
    }

    /// The kiosk's place in its fleet; nil where it belongs to none.
    func membership() throws(StartError) -> FleetMembership? {
        guard !fleetHub.isEmpty, let site = fleetSite else { return nil }
        let node = if let fleetNode { fleetNode } else { try NodeName.ofMachine(option: "--fleet-node") }
        var link: NATSLink.Options
        do {
            link = try HubAddress(fleetHub).link(
                as: "kioskd \(site) \(node)", credentials: fleetCredentials, authorities: fleetAuthorities)
        } catch {
            throw StartError(.usage, "--fleet-hub: \(error)")
        }
        link.inboxPrefix = KioskRights.inboxPrefix(of: site)
        return FleetMembership(
            site: site, node: node, isPaired: fleetPair, link: link, mode: fleetConfiguration.mode,
            interval: .seconds(fleetConfigurationInterval))
    }
}

/// Who sets up a kiosk's printers and roles.
enum FleetConfigurationMode: String, CaseIterable, ExpressibleByArgument {
    /// The fleet's office; edits at the site are refused.
    case managed
    /// The fleet's office; edits at the site are taken, and it is told of them.
    case shown
    /// The site alone.
    case off

    /// As it is reported; nil where nothing is.
    var mode: ConfigurationReport.Mode? {
        switch self {
        case .managed: .managed
        case .shown: .shown
        case .off: nil
        }
    }
}
