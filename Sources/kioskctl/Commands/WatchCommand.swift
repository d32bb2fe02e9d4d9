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

/// Reports an interruption of the events once, however often connecting again fails.
private final class Outage: Sendable {
    private let isReported = Mutex(false)

    @Sendable func began(_ error: KioskClientError) {
        let isNew = isReported.withLock { isReported in
            defer { isReported = true }
            return !isReported
        }
        if isNew { Console.writeMessage("\(error.message); waiting for it") }
    }

    func ended() { isReported.withLock { $0 = false } }
}

/// Formats events for people, a line for each: `2026-11-21T03:40:00.123Z  job 12  completed on till-1: …`.
enum EventText {
    static func line(_ event: EngineEvent, _ style: Style = .current) -> String {
        let (subject, text, color) = parts(event)
        return "\(style.paint(event.time.description, .gray))  \(subject)  \(style.paint(text.terminalEscaped, color))"
    }

    private static func parts(_ event: EngineEvent) -> (subject: String, text: String, color: Style.Color?) {
        if let job = event.job {
            return ("job \(job.id)", text(event.kind, job), event.kind == .jobChanged ? JobText.color(job) : nil)
        }
        if let status = event.printer {
            let why = PrinterText.why(status.availability)
            let state = status.availability.state.rawValue
            return (
                "\(status.printer.id)", why.isEmpty ? state : "\(state): \(why)", PrinterText.color(status.availability)
            )
        }
        switch event.kind {
        case .registryReloaded: return ("registry", "reloaded", nil)
        case .registryRefused: return ("registry", "refused: \(event.message ?? "see `kioskctl health`")", .red)
        case .resync: return ("events", "earlier ones are no longer kept; see `kioskctl jobs`", .yellow)
        case .jobCreated, .jobChanged, .jobProgress, .printerChanged:
            return ("events", event.message ?? event.kind.rawValue, nil)
        }
    }

    private static func text(_ kind: EngineEvent.Kind, _ job: Job) -> String {
        switch kind {
        case .jobCreated:
            return "accepted for \(job.role?.rawValue ?? job.printer?.rawValue ?? "printing"): \(JobText.name(job))"
        case .jobProgress:
            return JobText.step(job).map { "\($0) of \(Quantities.bytes(job.documentLength))" }
                ?? "sent \(Quantities.bytes(job.bytesSent)) of \(Quantities.bytes(job.documentLength))"
        default:
            let prefix = "job \(job.id) "
            let outcome = JobText.outcome(job)
            return outcome.hasPrefix(prefix) ? String(outcome.dropFirst(prefix.count)) : outcome
        }
    }
}
