import ArgumentParser
import KioskFleet
import KioskTerminal

/// `kioskctl fleet configuration`: which configuration each site has, and which it should have.
struct ConfigurationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration",
        abstract: "Show which configuration sites should have, and which they have.",
        discussion: """
            APPLIED is what a site's kiosk has put in force last. DRIFT says that somebody has edited its registry \
            since. A kiosk that has said nothing for 3 minutes is silent.

            EXAMPLES
              kioskctl fleet configuration
              kioskctl fleet configuration --site 0147
              kioskctl fleet configuration --json
            """
    )

    @Option(help: ArgumentHelp("Show this site alone.", valueName: "name"), transform: SiteOptions.site)
    var site: SiteName?

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func run() async throws {
        let found = try await hub.withHub { session in
            try await session.retrying { try await read(session) }
        }
        try output.json ? Console.write(json: ["sites": found]) : Console.write(ConfigurationText.table(found))
    }

    private func read(_ session: HubSession) async throws -> [SiteConfiguration] {
        let status = site.map { FleetSubject.statusFilter(of: $0) } ?? FleetSubject.statusFilter
        let kiosks = try await KioskList.read(of: status, from: session.jetStream)
        return try await SiteConfigurations.read(of: site, saidBy: kiosks, from: session.jetStream)
    }
}

/// The configurations of sites, for people.
enum ConfigurationText {
    static func table(_ sites: [SiteConfiguration], _ style: Style = .current) -> String {
        guard !sites.isEmpty else { return "the hub has no configuration; write some with `kioskctl fleet apply`\n" }
        var table = Table([
            .init(heading: "SITE"), .init(heading: "DESIRED"), .init(heading: "APPLIED"), .init(heading: "STATE"),
            .init(heading: "DRIFT"), .init(heading: "KIOSK"), .init(heading: "ERROR"),
        ])
        for site in sites {
            let color: Style.Color = site.state == .applied ? .green : site.state == .refused ? .red : .yellow
            let drift: Table.Cell = site.report?.drift == true ? .init("drift", .yellow) : .init(nil)
            let kiosk = site.report.map { "\($0.node)\(site.silent == true ? " (silent)" : "")" }
            let error = site.report?.error.map { "line \($0.line), column \($0.column): \($0.text)" }
            table.add([
                .init(site.site), .init(site.desired.map { "\($0)" }), .init(site.report?.applied.map { "\($0)" }),
                .init(site.state.rawValue, color), drift, .init(kiosk), .init(error?.terminalEscaped),
            ])
        }
        return table.text(style)
    }
}
