import ArgumentParser
import KioskFleet
import KioskTerminal

/// `kioskctl fleet report`: what a kiosk has said of a job.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show what a site has said last of a job.",
        discussion: """
            The hub keeps reports for 30 days. It ends with 1 where no kiosk has said anything of the job.

            EXAMPLES
              kioskctl fleet report --site 0147 --key order-4711
              kioskctl fleet report --site 0147 --key order-4711 --json
            """
    )

    @OptionGroup var site: SiteOptions

    @Option(help: ArgumentHelp("The key that the job was sent under.", valueName: "key"))
    var key: String

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func run() async throws {
        let token = try JobKey(idempotencyKey: key)
        let found = try await hub.withHub { session in
            try await session.retrying { try await session.report(of: token, at: site.site) }
        }
        guard let (report, storedAt) = found else {
            throw CommandFailure(
                message:
                    "no kiosk of \(site.site) has said anything of the job \(key) yet; send it again under its key if that lasts"
            )
        }
        guard !output.json else { return try Console.write(json: report) }
        Console.write(ReportText.details(report, of: key, at: site.site, storedAt: storedAt))
    }
}
