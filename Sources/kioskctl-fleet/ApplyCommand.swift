import ArgumentParser
import Glibc
import KioskFleet
import KioskTerminal

/// `kioskctl fleet apply`: the printers and roles of sites, from a folder.
struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Set up the printers and roles of sites.",
        discussion: """
            SITE.yaml in the folder is the registry of a site, as its kiosk has it in printers.yaml. Each is checked \
            before anything is sent, and what differs from the hub is shown. Kiosks that run with \
            --fleet-configuration take it then. With --canary the first sites are written, and the others only once \
            those have applied it and are not CRITICAL. What somebody else has written meanwhile is not overwritten.

            EXAMPLES
              kioskctl fleet apply --dir fleet --dry-run
              kioskctl fleet apply --dir fleet --site 0147 --yes --wait
              kioskctl fleet apply --dir fleet --canary 1% --yes --json
            """
    )

    @Option(help: ArgumentHelp("The folder of SITE.yaml.", valueName: "folder"), completion: .directory)
    var dir: String

    @Option(
        help: ArgumentHelp("Only this site; repeat it for each.", valueName: "name"), transform: SiteOptions.site)
    var site: [SiteName] = []

    @Option(
        help: ArgumentHelp(
            "Write so many sites first, a number or a share such as 1%, and wait for them.", valueName: "sites"),
        transform: CanaryShare.init)
    var canary: CanaryShare?

    @Flag(help: "Write without asking.")
    var yes = false

    @Flag(help: "Show what differs, and write nothing.")
    var dryRun = false

    @Flag(help: "Wait until all sites have applied it.")
    var wait = false

    @Option(
        help: ArgumentHelp("Seconds to wait for kiosks at most, each time that is waited.", valueName: "seconds"))
    var waitTimeout = 600

    @Option(name: .customLong("as"), help: ArgumentHelp("Who applies it (default: user@host).", valueName: "name"))
    var who: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func validate() throws {
        guard !(yes && dryRun) else { throw ValidationError("--dry-run writes nothing; leave out --yes.") }
        guard (1...86_400).contains(waitTimeout) else {
            throw ValidationError("--wait-timeout is \(waitTimeout); write seconds from 1 to 86400.")
        }
    }

    func run() async throws {
        let folder = try ConfigurationFolder(dir, sites: site)
        try await hub.withHub { session in
            var rollout = try await ConfigurationRollout(folder, at: session)
            if !output.json { ApplyText.showDifferences(rollout.sites) }
            if !dryRun, !rollout.changes.isEmpty {
                try confirm(rollout.changes.count)
                try await write(&rollout, at: session)
            }
            if output.json {
                try Console.write(json: ["sites": rollout.sites])
            } else if !dryRun {
                Console.write(ApplyText.table(rollout.sites))
            }
            guard !dryRun else { return }
            if rollout.sites.contains(where: { $0.state == .failed }) { throw ExitStatus.failed }
            let isWaited = wait || canary != nil && rollout.sites.contains { $0.state == .untouched }
            if isWaited, rollout.sites.contains(where: { $0.state == .written }) { throw ExitStatus.jobUnsettled }
        }
    }

    private func confirm(_ count: Int) throws {
        guard !yes else { return }
        let sites = Quantities.count(count, "site", "sites")
        guard let answer = Console.ask("Write the configuration of \(sites)? [y/N] ") else {
            throw CommandFailure(message: "nothing was written; add --yes to write the configuration of \(sites)")
        }
        guard ["y", "yes"].contains(answer.lowercased()) else {
            throw CommandFailure(message: "nothing was written")
        }
    }

    private func write(_ rollout: inout ConfigurationRollout, at session: HubSession) async throws {
        let (changes, who) = (rollout.changes, who ?? Self.userAndHost())
        let first = canary.map { $0.count(of: changes.count) } ?? 0
        for batch in [Array(changes.prefix(first)), Array(changes.dropFirst(first))] where !batch.isEmpty {
            for (number, index) in batch.enumerated() {
                Console.progress("writing \(rollout.sites[index].site), \(number + 1) of \(batch.count)")
                guard try await rollout.write(index, as: who, at: session) else { return Console.progress("") }
            }
            Console.progress("")
            guard wait || batch.count == first && batch.first == changes.first else { continue }
            try await rollout.wait(for: batch, at: session, until: .now + .seconds(waitTimeout))
            guard batch.allSatisfy({ rollout.sites[$0].state == .applied }) else { return }
        }
    }

    private static func userAndHost() -> String {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "uid \(geteuid())"
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return user }
        return "\(user)@\(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))"
    }
}

/// How many sites are written first: a number of them or a share.
struct CanaryShare: Sendable {
    private let number: Int
    private let isPercent: Bool

    @Sendable init(_ text: String) throws {
        isPercent = text.hasSuffix("%")
        let digits = isPercent ? text.dropLast() : text[...]
        guard digits.utf8.count <= 6, let number = Int(digits), number > 0, !isPercent || number <= 100 else {
            throw ValidationError("write a number of sites from 1, or 1% to 100%")
        }
        self.number = number
    }

    /// At least one.
    func count(of sites: Int) -> Int { min(sites, isPercent ? max(1, (sites * number + 99) / 100) : number) }
}

/// What `apply` shows to people.
enum ApplyText {
    static func showDifferences(_ sites: [ConfigurationRollout.Site], _ style: Style = .current) {
        for site in sites where site.state != .unchanged {
            Console.writeLine(
                style.bold("--- \(site.site) at the hub (\(site.old.map { "revision \($0)" } ?? "none"))"))
            Console.writeLine(style.bold("+++ \(site.site)"))
            for line in site.diff {
                let color: Style.Color? = line.hasPrefix("+") ? .green : line.hasPrefix("-") ? .red : nil
                Console.writeLine(style.paint(line.terminalEscaped, color))
            }
        }
        let changed = sites.count { $0.state != .unchanged }
        Console.writeLine(
            "\(Quantities.count(changed, "site differs", "sites differ")), \(sites.count - changed) as at the hub")
    }

    static func table(_ sites: [ConfigurationRollout.Site], _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "SITE"), .init(heading: "STATE"), .init(heading: "REVISION"), .init(heading: "ERROR"),
        ])
        for site in sites where site.state != .unchanged {
            let color: Style.Color =
                switch site.state {
                case .applied, .written, .unchanged: .green
                case .untouched: .yellow
                case .failed: .red
                }
            table.add([
                .init(site.site.text), .init(site.state.rawValue, color),
                .init((site.new ?? site.old).map { "\($0)" }), .init(site.error?.terminalEscaped),
            ])
        }
        return sites.allSatisfy { $0.state == .unchanged } ? "" : table.text(style)
    }
}
