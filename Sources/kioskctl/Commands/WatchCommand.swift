import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

/// `kioskctl watch`: prints the engine's events as they happen.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what happens, as it happens.",
        discussion: """
            Goes on when the daemon restarts, and misses nothing that the daemon still keeps. Ctrl-C ends it. With \
            --json each event is one line.

            EXAMPLES
              kioskctl watch
              kioskctl watch --role receipt --json
              kioskctl watch --after 1200
            """
    )

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Only jobs sent to this role.", valueName: "role"),
        completion: Completion.roles, transform: Arguments.role)
    var role: RoleName?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Only this printer and its jobs.", valueName: "id"),
        completion: Completion.printers, transform: Arguments.printer)
    var printer: PrinterID?

    @Option(help: ArgumentHelp("Begin behind the event with this id.", valueName: "event"))
    var after: EngineEvent.ID?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        // An outage is reported once, however often connecting again fails.
        var isOutageReported = false
        do {
            try Interruption.cancelling {
                try connection.client.events(after: after) { error in
                    if !isOutageReported { Console.writeMessage("\(error.message); waiting for it") }
                    isOutageReported = true
                } show: { event in
                    isOutageReported = false
                    if shows(event) { try write(event) }
                    return true
                }
            }
        } catch is CancellationError {
            throw ExitStatus.interrupted
        }
    }

    private func shows(_ event: EngineEvent) -> Bool {
        if let role {
            guard event.job?.role == role || event.printer?.roles.contains(role) == true else { return false }
        }
        if let printer {
            guard event.job?.printer == printer || event.printer?.printer.id == printer else { return false }
        }
        return true
    }

    private func write(_ event: EngineEvent) throws {
        try output.json ? Console.write(json: event, oneLine: true) : Console.writeLine(EventText.line(event))
    }
}
