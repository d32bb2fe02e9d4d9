import ArgumentParser
import Glibc
import KioskAPI
import PrintModel
import Terminal

/// What ended the program: what stands on standard error, and the exit code.
struct Failure {
    var text: String
    var code: ExitCode
    /// Help and version are answers, no failures.
    var isAnswer = false

    init(_ error: any Error) {
        switch error {
        case let code as ExitCode:
            self.init(text: "", code: code)
        case let error as KioskClientError:
            self.init(text: Self.lines(error), code: Self.code(error))
        case let problem as Problem:
            self.init(text: Self.lines(problem.description, problem.problems), code: ExitStatus.failed)
        case let error as DocumentSourceError:
            self.init(text: Console.line(error.description), code: ExitStatus.failed)
        case let error as CommandFailure:
            self.init(text: Console.line(error.message), code: error.code)
        case is CancellationError:
            self.init(text: Console.line("interrupted"), code: ExitStatus.interrupted)
        default:
            self.init(parsing: error)
        }
    }

    private init(text: String, code: ExitCode) {
        self.text = text
        self.code = code
    }

    /// What the argument parser throws: help, the version, or a mistake in the command line.
    private init(parsing error: any Error) {
        code = Kioskctl.exitCode(for: error)
        isAnswer = code == .success
        let message = Kioskctl.fullMessage(for: error)
        text = message.hasPrefix("Error: ") ? "kioskctl: \(message.dropFirst("Error: ".count))" : message
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    }

    /// A monitoring plugin's mistaken command line is UNKNOWN.
    func end(asPlugin isPlugin: Bool) -> Never {
        if isAnswer { Console.write(text) } else { Console.writeError(text) }
        exit(isPlugin && code == .validationFailure ? HealthReport.Status.unknown.exitCode : code.rawValue)
    }

    private static func lines(_ message: String, _ findings: [Problem.Finding]?) -> String {
        let rest = (findings ?? []).map(\.description).filter { $0 != message }
        return Console.line(message) + rest.map(Console.line).joined()
    }

    private static func lines(_ error: KioskClientError) -> String {
        lines(error.message, error.problem?.problems)
    }

    private static func code(_ error: KioskClientError) -> ExitCode {
        switch error.code {
        case _ where error.problem?.code == .notAllowed: ExitStatus.noPermission
        case _ where error.retryAfter != nil: ExitStatus.tryAgain
        case .daemonNotRunning, .daemonBusy, .timedOut, .connectionLost, .socketUnusable: ExitStatus.unavailable
        case .permissionDenied: ExitStatus.noPermission
        default: ExitStatus.failed
        }
    }
}

/// A command's own reason to fail: what happened, and what to do.
struct CommandFailure: Error {
    var message: String
    var code = ExitStatus.failed
}
