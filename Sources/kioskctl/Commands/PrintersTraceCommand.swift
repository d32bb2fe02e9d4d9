import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct PrintersTraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Show what goes over the wire to a printer, as it happens.",
        discussion: """
            Shows what is said to the printer and what it says, and the steps of its jobs, until the time is over or \
            Ctrl-C. Passwords and keys are never shown, and of a document only its number of bytes, unless the printer \
            or its host sends a part of it back. Times are UTC. With --json each event is one line. For root, kioskd's \
            own user and members of its --admin-group. Ends with 69 when kioskd stops.

            EXAMPLES
              kioskctl printers trace till-1
              kioskctl printers trace till-1 --for 1h --json > trace.jsonl
            """
    )

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long: 90s, 10m, up to 24h (default: 10m).", valueName: "time"),
        completion: .list(["1m", "10m", "1h"]), transform: Arguments.traceTime)
    var seconds: Int?

    @OptionGroup var printer: NamedPrinter

    func run() throws {
        let isJSON = printer.output.json
        let time = Duration.seconds(seconds ?? APILimits.standardTrace)
        var isComplete = false
        do {
            try Interruption.cancelling {
                try printer.client.trace(printer.id, for: time) { event in
                    try isJSON
                        ? Console.write(json: event, oneLine: true) : Console.writeLine(TraceText.line(event))
                    isComplete = event.kind == .end
                }
            }
        } catch is CancellationError {
            throw ExitStatus.interrupted
        } catch let error as KioskClientError where error.code == .connectionLost {
            isComplete = false
        }
        // A daemon that stops ends the response, too, but tells no end of the trace.
        guard isComplete else {
            throw CommandFailure(
                message: "kioskd stopped, and the trace with it; start kioskd, then trace again",
                code: ExitStatus.unavailable)
        }
    }
}

/// Formats a trace for people, a line for each event: `12:03:07.412 ipp  → Print-Job #17 …`.
enum TraceText {
    static func line(_ event: TraceEvent, _ style: Style = .current) -> String {
        let time = style.paint(String(event.time.description.dropFirst(11).prefix(12)), .gray)
        switch event.kind {
        case .trace:
            let source = (event.source ?? "").terminalEscaped
            let padding = String(repeating: " ", count: max(0, 4 - source.count))
            return "\(time) \(source)\(padding) \((event.message ?? "").terminalEscaped)"
        case .dropped:
            let lines = Quantities.count(event.count ?? 0, "line is", "lines are")
            return "\(time) \(style.paint("\(lines) missing: they were not read in time", .yellow))"
        case .end:
            return "\(time) \(style.paint("end: \((event.message ?? "").terminalEscaped)", .gray))"
        }
    }
}
