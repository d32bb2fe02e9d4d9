import ArgumentParser
import KioskTerminal

/// The command line of the print engine.
@main
struct Kioskctl: ParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "kioskctl",
        abstract: "Print to saved printers by role, and look after them.",
        discussion: """
            Talks to kioskd over its Unix socket: --socket, --state-dir, $KIOSKD_SOCKET, \
            $XDG_RUNTIME_DIR/kioskd/kioskd.sock where it exists, else /run/kioskd/kioskd.sock. With --host or \
            $KIOSKCTL_HOST, over TLS to another machine: its token is in --token-file or $KIOSKCTL_TOKEN, the \
            fingerprint of its key in --host-fingerprint or $KIOSKCTL_FINGERPRINT.

            EXAMPLES
              kioskctl print receipt.txt --role receipt --wait
              kioskctl preview order.receipt
              kioskctl discover --usb
              kioskctl printers add till-1 ipp://192.0.2.10/ipp/print --role receipt
              kioskctl health

            EXIT CODES
              0    done; with --wait: the job completed
              1    refused or failed
              3    the job failed
              4    the job was canceled
              5    the job is unconfirmed: paper may have come out or not
              6    the job is not settled yet (--timeout)
              64   the command line is not understood
              69   kioskd is not running, or does not answer
              75   too much is asked at once; try again
              77   this user or token may not do this, or not use kioskd's socket
              130  interrupted
            `kioskctl health` ends with 0 OK, 1 WARNING, 2 CRITICAL or 3 UNKNOWN instead.
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Jobs",
                subcommands: [
                    PrintCommand.self, PreviewCommand.self, JobsCommand.self, JobCommand.self, CancelCommand.self,
                    ReleaseCommand.self,
                    ReprintCommand.self,
                ]
            ),
            CommandGroup(
                name: "Printers",
                subcommands: [
                    PrintersCommand.self, DiscoverCommand.self, RolesCommand.self, ProfilesCommand.self,
                    ReloadCommand.self,
                ]
            ),
            CommandGroup(name: "Backup", subcommands: [ExportCommand.self, ImportCommand.self]),
            CommandGroup(name: "Access", subcommands: [AdminCommand.self, TokensCommand.self, AuditCommand.self]),
            CommandGroup(
                name: "Looking on",
                subcommands: [HealthCommand.self, DoctorCommand.self, ServerCommand.self, WatchCommand.self]),
            CommandGroup(name: "Many kiosks", subcommands: [FleetCommand.self]),
            CommandGroup(name: "Trying out", subcommands: [SimulateCommand.self]),
        ]
    )

    static func main() {
        do {
            switch PlainCommandLine(CommandLine.arguments.dropFirst()) {
            case .version: return Console.writeLine(version)
            case .print(let request): return try request.run()
            case nil: break
            }
            try execHelpOfSibling()
            var command = try parseAsRoot()
            try command.run()
        } catch {
            Failure(error).end(asPlugin: isPlugin)
        }
    }

    /// Whether monitoring has called: `kioskctl health`, or `kioskctl fleet health`.
    private static var isPlugin: Bool {
        let words = Array(CommandLine.arguments.dropFirst().prefix(2))
        let health = HealthCommand.configuration.commandName
        return words.first == health || words == [FleetCommand.configuration.commandName, health]
    }

    /// The parser knows only the names of these commands: their help is in other programs.
    private static func execHelpOfSibling() throws {
        let words = CommandLine.arguments.dropFirst()
        guard words.first == "help" else { return }
        let rest = words.dropFirst(2) + ["--help"]
        switch words.dropFirst().first {
        case SimulateCommand.configuration.commandName: try SimulateCommand.exec(Array(rest))
        case FleetCommand.configuration.commandName: try FleetCommand.exec(Array(rest))
        default: return
        }
    }
}

/// `kioskctl simulate`: replaces this process with `kioskctl-simulate`. The simulated printer serves TLS, and loading
/// OpenSSL would cost each start of this program, which a till makes for each receipt, as much as printing the receipt.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a simulated printer on loopback until Ctrl-C."
    )

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func run() throws { try Self.exec(arguments) }

    static func exec(_ arguments: [String]) throws -> Never {
        // A fleet's kiosks need what its offices need.
        if arguments.first == FleetCommand.configuration.commandName {
            try FleetCommand.exec(["simulate"] + arguments.dropFirst())
        }
        try SiblingProgram.exec("kioskctl-simulate", arguments, role: "is the simulated printer")
    }
}

/// `kioskctl fleet`: replaces this process with `kioskctl-fleet`, which links libnats and with it OpenSSL.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Send jobs to the kiosks of a fleet through its hub, and look after the hub."
    )

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func run() throws { try Self.exec(arguments) }

    static func exec(_ arguments: [String]) throws -> Never {
        try SiblingProgram.exec("kioskctl-fleet", arguments, role: "talks to the fleet's hub")
    }
}
