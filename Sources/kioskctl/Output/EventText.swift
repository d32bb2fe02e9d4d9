import KioskPrintModel
import KioskTerminal

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
