import ArgumentParser
import KioskFleet

/// The options of a kiosk that belongs to a fleet.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take jobs for the site from this NATS server or cluster, tls://hub.example:4222; repeat it for each of its servers (default: the kiosk belongs to no fleet).",
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
            "Trust a hub whose certificate these authorities have signed, a PEM file (default: the system's).",
            valueName: "path"))
    var fleetAuthorities: String?

    func validate() throws {
        guard !fleetHub.isEmpty else {
            guard fleetSite == nil, fleetNode == nil, !fleetPair, fleetCredentials == nil, fleetAuthorities == nil
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
        let node = if let fleetNode { fleetNode } else { try machineName() }
        var link: NATSLink.Options
        do {
            link = try HubAddress(fleetHub).link(
                as: "kioskd \(site) \(node)", credentials: fleetCredentials, authorities: fleetAuthorities)
        } catch {
            throw StartError(.usage, "--fleet-hub: \(error)")
        }
        link.inboxPrefix = KioskRights.inboxPrefix(of: site)
        return FleetMembership(site: site, node: node, isPaired: fleetPair, link: link)
    }

    /// The first label: a machine keeps it when it gets another domain.
    private func machineName() throws(StartError) -> NodeName {
        let host = MachineNames.current().names.first ?? ""
        guard let node = try? NodeName(String(host.prefix { $0 != "." })) else {
            throw StartError(.usage, "this machine's name \"\(host)\" is no kiosk's name; name one with --fleet-node")
        }
        return node
    }
}
