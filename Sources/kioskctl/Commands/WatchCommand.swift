import ArgumentParser
import KioskAPI
import PrintModel
import Synchronization
import Terminal

struct WatchCommand: AsyncParsableCommand {
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

    func run() async throws {
        let (client, command) = (connection.client, self)
        let outage = Outage()
        let events = client.events(after: after, interrupted: outage.began)
        do {
            try await Interruption.cancelling {
                for try await event in events {
                    outage.ended()
                    if command.shows(event) { try command.write(event) }
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

/// Tells once that events are interrupted, however often connecting again fails.
private final class Outage: Sendable {
    private let isTold = Mutex(false)

    @Sendable func began(_ error: KioskClientError) {
        let isNew = isTold.withLock { isTold in
            defer { isTold = true }
            return !isTold
        }
        if isNew { Console.note("\(error.message); waiting for it") }
    }

    func ended() { isTold.withLock { $0 = false } }
}
