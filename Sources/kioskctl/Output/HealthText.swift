import PrintModel
import Terminal

/// The engine's health in the form of the monitoring plugins: one line, with performance data behind a bar.
enum HealthText {
    static func line(_ health: HealthReport) -> String {
        "KIOSKD \(word(health.status)) - \(summary(health)) | \(performance(health))"
    }

    /// The same for a daemon that could not be asked.
    static func line(_ status: HealthReport.Status, message: String) -> String {
        "KIOSKD \(word(status)) - \(clean(message))"
    }

    /// The same as JSON.
    static func report(_ status: HealthReport.Status, message: String) -> HealthReport {
        HealthReport(
            checks: [.init(code: "daemon-not-asked", status: status, message: message)], printersAvailable: 0,
            printersSaved: 0, jobsWaiting: 0, jobsUnconfirmed: 0, oldestWaitingSeconds: nil
        )
    }

    private static func word(_ status: HealthReport.Status) -> String {
        switch status {
        case .ok: "OK"
        case .warning: "WARNING"
        case .critical: "CRITICAL"
        case .unknown: "UNKNOWN"
        }
    }

    private static func summary(_ health: HealthReport) -> String {
        let troubles = health.checks.filter { $0.status != .ok }.sorted { $0.status.exitCode > $1.status.exitCode }
        let printers =
            "\(health.printersAvailable) of \(Quantities.count(health.printersSaved, "printer", "printers")) available"
        guard !troubles.isEmpty else {
            return "\(printers), \(Quantities.count(health.jobsWaiting, "job", "jobs")) waiting"
        }
        return ([printers] + troubles.map { clean($0.message) }).joined(separator: "; ")
    }

    /// `label=value;warning;critical;minimum` (Monitoring Plugins Development Guidelines, "Performance data").
    private static func performance(_ health: HealthReport) -> String {
        "printers_available=\(health.printersAvailable);;;0;\(health.printersSaved) "
            + "jobs_waiting=\(health.jobsWaiting);;;0 jobs_unconfirmed=\(health.jobsUnconfirmed);;;0 jobs_lost=\(health.jobsLost ?? 0);;;0 "
            + "oldest_waiting=\(health.oldestWaitingSeconds ?? 0)s;;;0"
    }

    /// One line, without the bar that begins the performance data.
    private static func clean(_ text: String) -> String {
        String(text.withoutControlCharacters.shown.map { $0 == "|" ? "/" : $0 })
    }
}
