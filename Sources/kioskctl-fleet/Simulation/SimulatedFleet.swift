import KioskFleet

/// Many sites of a fleet in one process, each with a connection of its own to the hub.
struct SimulatedFleet: Sendable {
    let counts = SimulationCounts()
    private let sites: [SimulatedSite]

    /// The sites' names are `prefix` and a number of at least four digits. Throws `invalid-name` for a prefix that no
    /// site's name can begin with.
    init(
        prefix: String, numbers: Range<Int>, hub: NATSLink.Options, printTime: Duration
    ) throws(FleetError) {
        var sites: [SimulatedSite] = []
        for number in numbers {
            let digits = "\(number)"
            let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
            let name = try SiteName(prefix + zeros + digits)
            sites.append(SimulatedSite(name, hub: hub, printTime: printTime, counts: counts))
        }
        self.sites = sites
    }

    var siteCount: Int { sites.count }
    var connectedCount: Int { sites.count { $0.isConnected } }

    /// Connects one site after another, and runs all of them until the task is cancelled. Throws where the process has no
    /// memory for them.
    func run() async throws {
        try await withThrowingTaskGroup { group in
            for site in sites {
                // A site that does not come in tries again by itself.
                try? await site.connect()
                try Task.checkCancellation()
                group.addTask { try await site.run() }
            }
            try await group.waitForAll()
        }
    }
}
