import ArgumentParser
import Glibc
import KioskDurableFiles
import KioskFleet
import KioskPrintModel
import KioskTerminal

/// An office's side of a fleet. `kioskctl fleet` replaces itself with this program.
@main
struct FleetProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        // The name that users type.
        commandName: "kioskctl fleet",
        abstract: "Send jobs to the kiosks of a fleet through its hub, and look after the hub.",
        discussion: """
            The hub is a NATS server or cluster with JetStream, which keeps jobs for kiosks that are away. It is named \
            by --hub or in $KIOSK_FLEET_HUB, with commas between its servers. docs/fleet.md has the rest.

            EXAMPLES
              export KIOSK_FLEET_HUB=tls://hub-1.example:4222,tls://hub-2.example:4222
              kioskctl fleet setup --apply --credentials office.creds
              kioskctl fleet print receipt.txt --site 0147 --role receipt
              kioskctl fleet report --site 0147 --key order-4711
              kioskctl fleet health
              kioskctl fleet exporter
              kioskctl fleet apply --dir fleet --canary 1%
              kioskctl fleet configuration

            EXIT CODES
              0    done; with --wait: the kiosk has the job, or it completed
              1    refused or failed; setup: the streams are not as wanted
              3    the job failed
              4    the job was canceled
              5    the job is unconfirmed: paper may have come out or not
              6    the kiosk has not said yet what is waited for (--wait-timeout)
              64   the command line is not understood
              69   the hub cannot be reached, or does not answer
              77   a file of keys or credentials that others can read, or that this
                   user must not read or write
            `kioskctl fleet health` ends with 0 OK, 1 WARNING, 2 CRITICAL or 3 UNKNOWN instead.
            """,
        subcommands: [
            SetupCommand.self, PrintCommand.self, CancelCommand.self, ReportCommand.self, HealthCommand.self,
            ExporterCommand.self, ApplyCommand.self, ConfigurationCommand.self, AuditCommand.self,
            SimulateFleetCommand.self,
        ],
        groupedSubcommands: [
            CommandGroup(
                name: "Who comes in",
                subcommands: [
                    AuthorityCommand.self, JoinCommand.self, AdmitCommand.self, RenewCommand.self, RevokeCommand.self,
                    KiosksCommand.self,
                ])
        ]
    )

    static func main() async {
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            end(error)
        }
    }

    /// Ends the program. Help goes to standard output; errors go to standard error, in kioskctl's form. For a monitoring
    /// plugin whatever keeps it from asking is UNKNOWN.
    private static func end(_ error: any Error) -> Never {
        let failure = Failure(error)
        if failure.code == .success { Console.write(failure.text) } else { Console.writeError(failure.text) }
        let isPlugin = CommandLine.arguments.dropFirst().first == HealthCommand.configuration.commandName
        let isFailedPlugin = isPlugin && failure.code != .success && !failure.text.isEmpty
        Glibc.exit(isFailedPlugin ? HealthReport.Status.unknown.exitCode : failure.code.rawValue)
    }
}

/// The end of the program: the text to show and the exit code.
private struct Failure {
    var text: String
    var code: ExitCode

    init(_ error: any Error) {
        switch error {
        case let code as ExitCode: (text, self.code) = ("", code)
        case let error as CommandFailure: (text, code) = (Console.messageLine(error.message), error.code)
        case let error as FleetError:
            text = Console.messageLine(error.description + error.hint)
            code = error.isRetryable ? ExitStatus.unavailable : ExitStatus.failed
        case let error as FileError:
            text = Console.messageLine(error.message)
            code = [EACCES, EPERM].contains(error.errno) ? ExitStatus.noPermission : ExitStatus.failed
        default:
            // Of the argument parser: help, or a mistake in the command line.
            let message = FleetProgram.fullMessage(for: error)
            text = message.hasPrefix("Error: ") ? "kioskctl: \(message.dropFirst("Error: ".count))" : message
            if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
            code = FleetProgram.exitCode(for: error)
        }
    }
}

extension FleetError {
    /// What to do, where this program's commands can help; empty where not.
    var hint: String {
        switch code {
        case .noResponders: " (`kioskctl fleet setup` shows its streams)"
        case _ where hubCode == JetStream.streamNotFound: "; make it with `kioskctl fleet setup --apply`"
        case .notPermitted: "; use other --credentials"
        case .noResponse: " (it does not answer either where this login has no right to ask)"
        default: ""
        }
    }
}

extension Console {
    /// Writes a value as indented JSON.
    static func write(json value: some Encodable) throws { writeLine(json: try FleetJSON.encode(value)) }
}
