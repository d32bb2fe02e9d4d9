import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

struct HealthCommand: AsyncParsableCommand {
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

    func run() async throws {
        var options = KioskClient.Options()
        options.connectTimeout = .seconds(timeout)
        options.answerTimeout = .seconds(timeout)
        let client = KioskClient(socket: connection.location, options: options)
        do {
            let health = try await client.health()
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
