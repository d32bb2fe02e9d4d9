import ArgumentParser
import KioskFleet
import KioskPrintModel
import KioskTerminal

/// `kioskctl fleet health`: how all kiosks are, as a monitoring plugin.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Say how the kiosks of a fleet are, as a monitoring plugin.",
        discussion: """
            Writes a line with counts and performance data, and a line for each kiosk, the worst first. Ends with \
            0 OK, 1 WARNING, 2 CRITICAL or 3 UNKNOWN, by the worst kiosk. A kiosk that has said nothing for 3 minutes \
            is silent, which is CRITICAL. No kiosk at all is UNKNOWN, and so is a hub that cannot be asked.

            EXAMPLES
              kioskctl fleet health
              kioskctl fleet health --site 0147
              kioskctl fleet health --json
            """
    )

    @Option(
        help: ArgumentHelp("Judge by the kiosks of this site alone.", valueName: "name"), transform: SiteOptions.site)
    var site: SiteName?

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func run() async throws {
        let filter = site.map { FleetSubject.statusFilter(of: $0) } ?? FleetSubject.statusFilter
        let read = try await hub.withHub { session in
            try await session.retrying { try await KioskList.read(of: filter, from: session.jetStream) }
        }
        let health = FleetHealth(read.statements, at: read.hubTime)
        try output.json ? Console.write(json: health) : Console.write(FleetHealthText.lines(health))
        throw ExitCode(health.status.exitCode)
    }
}
