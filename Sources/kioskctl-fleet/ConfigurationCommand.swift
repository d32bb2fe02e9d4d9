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
        let sites = SiteList()
        let desired = site.map { FleetSubject.desired($0).text } ?? FleetSubject.desiredFilter
        let reported = site.map { FleetSubject.reported($0).text } ?? FleetSubject.reportedFilter
        let status = site.map { FleetSubject.statusFilter(of: $0) } ?? FleetSubject.statusFilter
        for (filter, stream) in [(desired, HubLayout.desired), (reported, HubLayout.reported)] {
            try await session.jetStream.readLastMessages(of: filter, in: stream) { await sites.add($0, $1) }
        }
        let hubTime = try await session.jetStream.readLastMessages(of: status, in: HubLayout.status) {
            await sites.add($0, $1)
        }
        return await sites.found(at: hubTime)
    }
}

/// The configuration of a site, as JSON.
struct SiteConfiguration: Encodable {
    var site: String
    /// `applied`, `waiting`, `refused`, `no-report`, or `none` where the hub has no configuration for it.
    var state: String
    /// The revision at the hub.
    var desired: UInt64?
    /// What its kiosk has said last; nil where no kiosk has said anything.
    var report: ConfigurationReport?
    /// Whether the kiosk has said nothing of itself for longer than it should; nil where that is not known.
    var silent: Bool?
}

/// What the hub has of sites.
private actor SiteList {
    private var desired: [String: UInt64] = [:]
    private var reports: [String: ConfigurationReport] = [:]
    private var lastHeard: [String: Int64] = [:]

    func add(_ message: HubMessage, _ position: StoredPosition) {
        switch FleetSubject(message.subject) {
        case .desired(let site): desired[site.text] = message.isDeletion ? nil : position.sequence
        // One that cannot be read is of another version, and says nothing here.
        case .reported(let site): reports[site.text] = try? ConfigurationReport(message)
        case .status(let site, _) where !message.isDeletion:
            lastHeard[site.text] = max(lastHeard[site.text] ?? 0, position.storedAt)
        default: return
        }
    }

    func found(at time: Int64?) -> [SiteConfiguration] {
        Set(desired.keys).union(reports.keys).sorted().map { site in
            let report = reports[site]
            let silence = Int64(KioskStatus.silence) * 1_000_000_000
            return SiteConfiguration(
                site: site, state: Self.state(desired[site], report), desired: desired[site], report: report,
                silent: time.flatMap { time in lastHeard[site].map { time - $0 > silence } })
        }
    }

    private static func state(_ desired: UInt64?, _ report: ConfigurationReport?) -> String {
        guard let desired else { return "none" }
        guard let report else { return "no-report" }
        if report.desired == desired, report.error != nil { return "refused" }
        return report.applied == desired ? "applied" : "waiting"
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
            let color: Style.Color = site.state == "applied" ? .green : site.state == "refused" ? .red : .yellow
            let drift: Table.Cell = site.report?.drift == true ? .init("drift", .yellow) : .init(nil)
            let kiosk = site.report.map { "\($0.node)\(site.silent == true ? " (silent)" : "")" }
            let error = site.report?.error.map { "line \($0.line), column \($0.column): \($0.text)" }
            table.add([
                .init(site.site), .init(site.desired.map { "\($0)" }), .init(site.report?.applied.map { "\($0)" }),
                .init(site.state, color), drift, .init(kiosk), .init(error?.terminalEscaped),
            ])
        }
        return table.text(style)
    }
}
