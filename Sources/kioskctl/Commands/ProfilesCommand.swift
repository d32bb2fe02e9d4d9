import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct ProfilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "List, show and check what is known of models of printers.",
        subcommands: [ProfilesListCommand.self, ProfilesShowCommand.self, ProfilesCheckCommand.self],
        defaultSubcommand: ProfilesListCommand.self
    )
}

struct ProfilesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the daemon's profiles.",
        discussion: """
            EXAMPLES
              kioskctl profiles list
              kioskctl profiles list --language zpl
            """
    )

    @Option(
        help: ArgumentHelp("Only profiles of printers that take this language.", valueName: "language"),
        completion: .list(PrintingSettings.Language.allCases.map(\.rawValue)), transform: Arguments.language)
    var language: PrintingSettings.Language?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        let profiles = try connection.client.perform(.profiles()).profiles.filter {
            language == nil || $0.printing?.language == language
        }
        if output.json { return try Console.write(json: ProfileList(profiles: profiles)) }
        Console.write(ProfileText.table(profiles))
        if profiles.isEmpty {
            Console.writeMessage(
                language == nil ? "no profiles are installed; start kioskd with --profiles" : "there is no such profile"
            )
        }
    }
}

struct ProfilesShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all that a profile says, with what it inherits.",
        discussion: """
            EXAMPLES
              kioskctl profiles show epson-tm
              kioskctl profiles show generic-80mm --json
            """
    )

    @Argument(help: ArgumentHelp("The profile.", valueName: "name"), completion: Completion.profiles)
    var name: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        let profile = try connection.client.perform(.profile(name))
        try output.json ? Console.write(json: profile) : Console.write(ProfileText.details(profile))
    }
}

/// `kioskctl profiles check`: runs `kioskd --check-profiles`, which reads YAML. The daemon need not run.
struct ProfilesCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether profiles are valid, and where they are not.",
        discussion: """
            Files are checked as they would be in the folder of installed profiles, which \
            they may inherit from and replace. Ends with 78 where one is not valid.

            EXAMPLES
              kioskctl profiles check
              kioskctl profiles check till.yaml
              kioskctl profiles check --profiles ./profiles --json
            """
    )

    @Argument(
        help: ArgumentHelp("Profiles, or folders of them (default: the installed ones).", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var files: [String] = []

    @Option(
        help: ArgumentHelp("The folder of profiles in place of the installed one.", valueName: "folder"),
        completion: .directory)
    var profiles: String?

    @Flag(help: "Write JSON: the names of the profiles, and every problem with its place.")
    var json = false

    func run() throws {
        let folder = profiles.map { ["--profiles", $0] } ?? []
        let arguments = ["--check-profiles"] + folder + (json ? ["--json"] : []) + (files.isEmpty ? [] : ["--"] + files)
        try SiblingProgram.exec("kioskd", arguments, role: "reads profiles")
    }
}

/// Formats profiles for people.
enum ProfileText {
    static func table(_ profiles: [PrinterProfile], _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "PROFILE"), .init(heading: "LANGUAGE"), .init(heading: "DOTS", isNumber: true),
            .init(heading: "DPI", isNumber: true),
            .init(heading: "PAPER"), .init(heading: "FOR"),
        ])
        for profile in profiles {
            let printing = profile.printing
            table.add([
                .init(profile.name), .init(printing?.language.rawValue), .init(printing.map { "\($0.dots)" }),
                .init(printing.map { "\($0.dpi)" }),
                .init(printing?.paperWidth.map { "\($0) mm" }), .init(profile.description),
            ])
        }
        return table.text(style)
    }

    static func details(_ profile: PrinterProfile, _ style: Style = .current) -> String {
        var details = Details(profile.name)
        details.add("for", profile.description)
        details.add("inherits", profile.inherits)
        details.add("job types", profile.jobTypes?.description)
        for pattern in profile.match { details.add("matches", pattern.text) }
        details.add("command sets", profile.commandSets.map(\.text).joined(separator: ", "))
        if let printing = profile.printing { add(printing, to: &details) }
        if let device = profile.device { add(device, to: &details) }
        for quirk in profile.quirks {
            details.add("quirk", "\(quirk.name.rawValue): \(quirk.value) (\(quirk.why); \(quirk.source))")
        }
        details.add(
            "lpr",
            profile.lpr.map {
                [$0.dialect?.rawValue, $0.conversion?.rawValue].compactMap(\.self).joined(separator: ", ")
            })
        return details.text(style)
    }

    private static func add(_ printing: PrintingSettings, to details: inout Details) {
        details.add("language", printing.language.rawValue)
        details.add(
            "dots",
            "\(printing.dots) across, \(printing.dpi) an inch" + (printing.paperWidth.map { ", paper \($0) mm" } ?? ""))
        let columns = printing.dots / max(printing.fontA.width, 1)
        details.add(
            "fonts",
            "\(printing.fontA) (\(columns) a line)"
                + (printing.fontB.map { ", \($0) (\(printing.dots / max($0.width, 1)) a line)" } ?? ""))
        let pages = printing.codePages.sorted { $0.value < $1.value }
        details.add("code pages", pages.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", "))
        details.add("codes", printing.symbologies.map(\.rawValue).joined(separator: ", "))
        let cuts = printing.cuts.map(\.rawValue).joined(separator: ", ")
        details.add("cuts", cuts.isEmpty ? "none: fed \(printing.tearFeed) dots to tear" : cuts)
        details.add("pictures", printing.textOnly ? "none" : printing.raster.method?.rawValue ?? "yes")
        details.add("drawers", printing.drawers > 0 ? "\(printing.drawers)" : nil)
        details.add("colors", printing.colors.count > 1 ? printing.colors.map(\.rawValue).joined(separator: ", ") : nil)
        details.add("buzzer", printing.buzzer ? "yes" : nil)
        details.add("stored logos", printing.storedLogos?.rawValue)
        details.add("upside down", printing.upsideDown ? "yes" : nil)
        details.add("label", printing.label.map { "\($0.width) x \($0.height) mm, gap \($0.gap) mm" })
        for source in printing.sources { details.add("source", source) }
    }

    private static func add(_ device: DeviceSettings, to details: inout Details) {
        details.add("asked in", device.language?.rawValue)
        details.add("confirms by", device.completion?.rawValue)
    }
}
