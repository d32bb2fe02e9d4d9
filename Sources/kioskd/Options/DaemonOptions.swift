public import ArgumentParser
import Glibc
import KioskAPI
public import Logging

/// The options of `kioskd`'s command line.
struct DaemonOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep everything below this directory: socket, database and printers.yaml.", valueName: "dir"))
    var stateDir: String?

    @Option(help: ArgumentHelp("Listen at this Unix socket.", valueName: "path"))
    var socket: String?

    @OptionGroup(title: "Network") var network: NetworkOptions

    @OptionGroup(title: "Fleet") var fleet: FleetOptions

    @OptionGroup(title: "Mirrored jobs") var partner: PartnerOptions

    @Option(help: ArgumentHelp("Read and write printers and roles in this file.", valueName: "path"))
    var registry: String?

    @Option(
        help: ArgumentHelp(
            "Read logins and client certificates in this file, which nobody else may read (default: secrets.yaml beside printers.yaml).",
            valueName: "path"))
    var secrets: String?

    @Option(
        help: ArgumentHelp(
            "Read the printer profiles in this folder (default: share/kioskd/profiles of /usr/local or /usr).",
            valueName: "folder"))
    var profiles: String?

    @Option(help: ArgumentHelp("Who may connect, as the socket's octal mode.", valueName: "mode"))
    var socketMode = FileMode(rawValue: 0o660)

    @Option(help: ArgumentHelp("Give the socket to this group, by name or number.", valueName: "group"))
    var socketGroup: String?

    @Option(
        help: ArgumentHelp(
            "Let this group's members change printers, roles and trust too, by name or number (default: root and the daemon's own user only).",
            valueName: "group"))
    var adminGroup: String?

    @Option(
        help: ArgumentHelp(
            "Let this group's members open cash drawers with receipts, by name or number (default: as for changing printers).",
            valueName: "group"))
    var drawerGroup: String?

    @Option(
        help: ArgumentHelp(
            "Let this group's members put raw commands into receipts, which can do all that a printer can, by name or number (default: as for changing printers).",
            valueName: "group"))
    var commandGroup: String?

    @Option(
        help: ArgumentHelp(
            "Let only this group's members send raw documents (ESC/POS, ZPL and the like), which can open drawers too, by name or number; root, the daemon's own user and --admin-group may always (default: everybody who may connect).",
            valueName: "group"))
    var rawGroup: String?

    @Option(
        help: ArgumentHelp(
            "Let this group's members see, cancel, release and reprint everybody's jobs, and contact any printer at any time, by name or number (default: as for changing printers).",
            valueName: "group"))
    var operatorGroup: String?

    @Flag(help: "Let everybody who may connect see, cancel, release and reprint everybody's jobs (default: their own).")
    var sharedQueue = false

    @Option(help: ArgumentHelp("The same for this group's members only, by name or number.", valueName: "group"))
    var sharedQueueGroup: String?

    @Option(
        help: ArgumentHelp(
            "Run kiosk-draw, which reads pictures and text that others send, as this user, by name or number; for a daemon that runs as root (default: the daemon's own).",
            valueName: "user"))
    var drawUser: String?

    @Option(help: ArgumentHelp("The maximum length of a document: bytes, or with K, M or G.", valueName: "size"))
    var maxDocumentSize = ByteCount(rawValue: 1 << 30)

    @Option(help: ArgumentHelp("Close a connection on which nothing moves for so long.", valueName: "seconds"))
    var idleTimeout = 60

    @Option(help: "What is logged: trace, debug, info, notice, warning, error or critical.")
    var logLevel = Logger.Level.info

    @Option(help: "How it is logged: text, which the journal gets with fields, or json, an object a line.")
    var logFormat = LogFormat.text

    @Flag(help: "Say whether the registry is valid, or the exports that are named, and exit.")
    var check = false

    @Flag(
        help:
            "Say whether profiles are valid, and exit: those of the files or folders that are named, else the installed ones."
    )
    var checkProfiles = false

    @Flag(help: "Say what is wrong with the installation and how to mend it, and exit; see kioskctl doctor.")
    var doctor = false

    @Option(help: ArgumentHelp("With --doctor: say whether this user may print.", valueName: "user"))
    var forUser: String?

    @Flag(help: "With --check-profiles or --doctor: say it as JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "With --check and an export: open its secrets with the first line of this file, - for standard input.",
            valueName: "file"))
    var passphraseFile: String?

    @Argument(
        help: ArgumentHelp(
            "With --check-profiles: profiles as they would be installed; with --check: exports.", valueName: "file"))
    var files: [String] = []

    func validate() throws {
        guard check || checkProfiles || files.isEmpty else {
            throw ValidationError("\"\(files[0])\" is for --check and --check-profiles only")
        }
        guard check && !files.isEmpty || passphraseFile == nil else {
            throw ValidationError("--passphrase-file is for --check and an export")
        }
        guard checkProfiles || doctor || !json else {
            throw ValidationError("--json is for --check-profiles and --doctor only")
        }
        guard doctor || forUser == nil else { throw ValidationError("--for-user is for --doctor only") }
        guard !sharedQueue || sharedQueueGroup == nil else {
            throw ValidationError(
                "--shared-queue is for everybody and --shared-queue-group for a group; name one of them")
        }
        // The service manager's sockets may be TCP's (`PassedSockets`).
        guard partner.partner == nil || !network.listen.isEmpty || getenv("LISTEN_FDS") != nil else {
            throw ValidationError("--partner needs --listen: the partner has to reach this kiosk; name an address")
        }
        guard (1...86_400).contains(idleTimeout) else {
            throw ValidationError("--idle-timeout is \(idleTimeout); write seconds from 1 to 86400")
        }
    }
}

/// A file's permissions, read from octal digits.
struct FileMode: RawRepresentable, ExpressibleByArgument, CustomStringConvertible {
    var rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init?(argument: String) {
        guard argument.utf8.count <= 4, let value = UInt32(argument, radix: 8), value <= 0o777 else { return nil }
        rawValue = value
    }

    var description: String {
        let digits = String(rawValue, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
    var defaultValueDescription: String { description }
}

/// A count of bytes, read from digits with an optional binary unit.
struct ByteCount: RawRepresentable, ExpressibleByArgument, CustomStringConvertible {
    var rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }

    init?(argument: String) {
        let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = argument.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int64(unit == nil ? argument[...] : argument.dropLast()), number > 0 else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow else { return nil }
        rawValue = value
    }

    var description: String {
        for (unit, letter) in [(Int64(1) << 30, "G"), (1 << 20, "M"), (1 << 10, "K")] where rawValue % unit == 0 {
            return "\(rawValue / unit)\(letter)"
        }
        return "\(rawValue)"
    }
    var defaultValueDescription: String { description }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
