import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Say how printing does, as a monitoring plugin.",
        discussion: """
            Writes one line with performance data, and ends with 0 OK, 1 WARNING, 2 CRITICAL or 3 UNKNOWN. A daemon \
            that is not running or does not answer is CRITICAL.

            EXAMPLES
              kioskctl health
              kioskctl health --json
            """
    )

    @Option(name: .shortAndLong, help: ArgumentHelp("Seconds after which no answer is CRITICAL.", valueName: "seconds"))
    var timeout = 10

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (1...3600).contains(timeout) else {
            throw ValidationError("--timeout is \(timeout); write seconds from 1 to 3600.")
        }
    }

    func run() throws {
        var options = BlockingClient.Options()
        options.connectTimeout = .seconds(timeout)
        options.responseTimeout = .seconds(timeout)
        let client = BlockingClient(address: try connection.choice.address(), options: options)
        do {
            let health = try client.perform(.health())
            try output.json ? Console.write(json: health) : Console.writeLine(HealthText.line(health))
            throw ExitCode(health.status.exitCode)
        } catch let error as KioskClientError {
            let status = Self.status(error.code)
            if output.json {
                try Console.write(json: HealthText.report(status, message: error.message))
            } else {
                Console.writeLine(HealthText.line(status, message: error.message))
            }
            throw ExitCode(status.exitCode)
        }
    }

    private static func status(_ code: KioskClientError.Code) -> HealthReport.Status {
        switch code {
        case .daemonNotRunning, .daemonBusy, .timedOut, .connectionLost: .critical
        default: .unknown
        }
    }
}

/// Formats the engine's health as monitoring plugins do: one line, with performance data after a bar.
enum HealthText {
    static func line(_ health: HealthReport) -> String {
        "KIOSKD \(word(health.status)) - \(summary(health)) | \(performance(health))"
    }

    /// The line for a daemon that did not respond.
    static func line(_ status: HealthReport.Status, message: String) -> String {
        "KIOSKD \(word(status)) - \(clean(message))"
    }

    /// The report for a daemon that did not respond, for JSON.
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
        let findings = health.checks.filter { $0.status != .ok }.sorted { $0.status.exitCode > $1.status.exitCode }
        let printers =
            "\(health.printersAvailable) of \(Quantities.count(health.printersSaved, "printer", "printers")) available"
        guard !findings.isEmpty else {
            let waiting = "\(printers), \(Quantities.count(health.jobsWaiting, "job", "jobs")) waiting"
            return ([waiting] + health.checks.map { clean($0.message) }).joined(separator: "; ")
        }
        return ([printers] + findings.map { clean($0.message) }).joined(separator: "; ")
    }

    /// `label=value;warning;critical;minimum` (Monitoring Plugins Development Guidelines, "Performance data").
    private static func performance(_ health: HealthReport) -> String {
        "printers_available=\(health.printersAvailable);;;0;\(health.printersSaved) "
            + "jobs_waiting=\(health.jobsWaiting);;;0 jobs_unconfirmed=\(health.jobsUnconfirmed);;;0 jobs_lost=\(health.jobsLost ?? 0);;;0 "
            + "oldest_waiting=\(health.oldestWaitingSeconds ?? 0)s;;;0"
    }

    /// The text on one line, without the bar that begins the performance data.
    private static func clean(_ text: String) -> String {
        String(text.withoutControlCharacters.terminalEscaped.map { $0 == "|" ? "/" : $0 })
    }
}

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Read the registry file again.",
        discussion: """
            A file with errors is refused with all of them, and the last good registry stays in force.

            EXAMPLES
              kioskctl reload
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        try connection.client.perform(.reloadRegistry())
        try output.json ? Console.write(json: ["reloaded": true]) : Console.writeLine("the registry is reloaded")
    }
}
