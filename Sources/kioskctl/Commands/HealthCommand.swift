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
            that is not running is CRITICAL; one that does not answer in time is UNKNOWN. With --role, a role whose \
            first choice prints is OK, one that prints on a fallback a WARNING. docs/health.md has every code.

            EXAMPLES
              kioskctl health
              kioskctl health --role receipt --waiting-critical 600
              kioskctl health --printer till-1 --contact
              kioskctl health --host https://till-7.example --token-file monitor.token
              kioskctl health --json
            """
    )

    @Option(help: ArgumentHelp("Judge by this role alone.", valueName: "role"), transform: Arguments.role)
    var role: RoleName?

    @Option(help: ArgumentHelp("Judge by this printer alone.", valueName: "printer"), transform: Arguments.printer)
    var printer: PrinterID?

    @Flag(help: "Contact the printers now; else what is known counts, which takes milliseconds.")
    var contact = false

    @Option(
        help: ArgumentHelp("A job that waits for so long is a WARNING (default: 300).", valueName: "seconds"))
    var waitingWarning: Int?

    @Option(help: ArgumentHelp("A job that waits for so long is CRITICAL (default: never).", valueName: "seconds"))
    var waitingCritical: Int?

    @Option(
        help: ArgumentHelp(
            "So many unconfirmed jobs that nobody decided about are CRITICAL, fewer a WARNING (default: 1).",
            valueName: "n"))
    var unconfirmedCritical: Int?

    @Option(
        help: ArgumentHelp(
            "A certificate or token that ends within so many days is a WARNING (default: 21).", valueName: "days"))
    var expiryWarning: Int?

    @Option(
        help: ArgumentHelp("Less free space for the queue is a WARNING (default: 16).", valueName: "MiB"))
    var freeSpaceWarning: Int?

    @Option(name: .shortAndLong, help: ArgumentHelp("Seconds after which no answer is UNKNOWN.", valueName: "seconds"))
    var timeout = 10

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (1...3600).contains(timeout) else {
            throw ValidationError("--timeout is \(timeout); write seconds from 1 to 3600.")
        }
        guard role == nil || printer == nil else {
            throw ValidationError("Name a role or a printer, not both.")
        }
    }

    func run() throws {
        do {
            let health = try BlockingClient(address: connection.choice.address(), options: options).perform(call)
            try output.json ? Console.write(json: health) : Console.writeLine(HealthText.line(health, query))
            throw ExitCode(health.status.exitCode)
        } catch let error as KioskClientError {
            try end(Self.status(error.code), error.message)
        } catch let error as CommandFailure {
            try end(.unknown, error.message)
        }
    }

    private var query: HealthQuery {
        var query = HealthQuery()
        query.role = role
        query.printer = printer
        // The daemon's answer has to be here in time too.
        query.contact = contact ? min(max(1, timeout - 2), HealthQuery.maximumContact) : nil
        query.waitingWarning = waitingWarning
        query.waitingCritical = waitingCritical
        query.unconfirmedCritical = unconfirmedCritical
        query.expiryWarning = expiryWarning
        query.freeSpaceWarning = freeSpaceWarning
        return query
    }

    /// All of the time is in `options`: what watches expects an end within `timeout`, contact or not.
    private var call: APICall<HealthReport> {
        var call = APICall<HealthReport>.health(query)
        call.wait = 0
        return call
    }

    private var options: BlockingClient.Options {
        var options = BlockingClient.Options()
        (options.connectTimeout, options.hostConnectTimeout) = (.seconds(timeout), .seconds(timeout))
        options.responseTimeout = .seconds(timeout)
        options.totalTimeout = .seconds(timeout)
        return options
    }

    /// Ends without a report from the daemon.
    private func end(_ status: HealthReport.Status, _ message: String) throws -> Never {
        if output.json {
            try Console.write(json: HealthText.report(status, message: message))
        } else {
            Console.writeLine(HealthText.line(status, message: message))
        }
        throw ExitCode(status.exitCode)
    }

    private static func status(_ code: KioskClientError.Code) -> HealthReport.Status {
        switch code {
        case .daemonNotRunning, .daemonBusy, .connectionLost: .critical
        default: .unknown
        }
    }
}

/// Formats the engine's health as monitoring plugins do: one line, with performance data after a bar.
enum HealthText {
    static func line(_ health: HealthReport, _ query: HealthQuery = HealthQuery()) -> String {
        "KIOSKD \(word(health.status)) - \(summary(health)) | \(performance(health, query))"
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

    /// `label=value;warning;critical;minimum;maximum` (Monitoring Plugins Development Guidelines, "Performance data"),
    /// with the thresholds that the command line gave.
    private static func performance(_ health: HealthReport, _ query: HealthQuery) -> String {
        func text(_ threshold: Int?) -> String { threshold.map { "\($0)" } ?? "" }
        return "printers_available=\(health.printersAvailable);;;0;\(health.printersSaved) "
            + "jobs_waiting=\(health.jobsWaiting);;;0 "
            + "jobs_unconfirmed=\(health.jobsUnconfirmed);;\(text(query.unconfirmedCritical));0 "
            + "jobs_lost=\(health.jobsLost ?? 0);;;0 "
            + "oldest_waiting=\(health.oldestWaitingSeconds ?? 0)s;\(text(query.waitingWarning));\(text(query.waitingCritical));0"
    }

    /// The text on one line, without the bar that begins the performance data.
    private static func clean(_ text: String) -> String {
        // By scalars, as monitoring reads it: a bar and an accent behind it are one `Character`.
        String(
            String.UnicodeScalarView(
                text.withoutControlCharacters.terminalEscaped.unicodeScalars.map { $0 == "|" ? "/" : $0 }))
    }
}
