import ArgumentParser
import Glibc
import KioskAPIMessages
import KioskPrintModel
import KioskTerminal

/// The end of the program: the text to show and the exit code.
struct Failure {
    private var text: String
    private var code: ExitCode

    init(_ error: any Error) {
        switch error {
        case let code as ExitCode:
            self.init(text: "", code: code)
        case let error as KioskClientError:
            self.init(text: Self.lines(error), code: Self.code(error))
        case let problem as Problem:
            self.init(text: Self.lines(problem.description, problem.problems), code: ExitStatus.failed)
        case let error as DocumentSourceError:
            self.init(text: Console.messageLine(error.description), code: ExitStatus.failed)
        case let error as CommandFailure:
            self.init(text: Console.messageLine(error.message), code: error.code)
        case is CancellationError:
            self.init(text: Console.messageLine("interrupted"), code: ExitStatus.interrupted)
        default:
            self.init(parsing: error)
        }
    }

    private init(text: String, code: ExitCode) {
        self.text = text
        self.code = code
    }

    /// An error of the argument parser: help, the version, or a mistake in the command line.
    private init(parsing error: any Error) {
        code = Kioskctl.exitCode(for: error)
        let message = Kioskctl.fullMessage(for: error)
        text = message.hasPrefix("Error: ") ? "kioskctl: \(message.dropFirst("Error: ".count))" : message
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    }

    /// Shows the text and ends the program. Help and the version, which are successes, go to standard output. For a
    /// monitoring plugin whatever keeps it from asking, such as a mistake in the command line, is UNKNOWN.
    func end(asPlugin isPlugin: Bool) -> Never {
        if code == .success { Console.write(text) } else { Console.writeError(text) }
        let isFailedPlugin = isPlugin && code != .success && !text.isEmpty
        exit(isFailedPlugin ? HealthReport.Status.unknown.exitCode : code.rawValue)
    }

    private static func lines(_ message: String, _ findings: [Problem.Finding]?) -> String {
        let rest = (findings ?? []).map(\.description).filter { $0 != message }
        return Console.messageLine(message) + rest.map(Console.messageLine).joined()
    }

    private static func lines(_ error: KioskClientError) -> String {
        lines(error.message, error.problem?.problems)
    }

    private static func code(_ error: KioskClientError) -> ExitCode {
        switch error.code {
        case _ where error.problem.map(\.isAboutRights) == true: ExitStatus.noPermission
        case _ where error.retryAfter != nil: ExitStatus.tryAgain
        case .daemonNotRunning, .daemonBusy, .timedOut, .connectionLost, .socketUnusable, .hostUnreachable:
            ExitStatus.unavailable
        case .permissionDenied: ExitStatus.noPermission
        default: ExitStatus.failed
        }
    }
}

extension Problem {
    /// Whether it says that the caller may not do this: also where nobody knows who asks (RFC 9110 §15.5.2).
    fileprivate var isAboutRights: Bool { code == .notAllowed || status == 401 || status == 403 }
}

// MARK: - Findings in documents

extension Problem.Finding {
    /// The finding with the document's file name: `order.receipt:3:5: …`
    func inFile(_ file: String) -> Problem.Finding {
        var finding = self
        finding.file = file == "-" ? "standard input" : file
        return finding
    }
}

extension KioskClientError {
    /// The error with the file name in its findings, if they are about the document.
    func inFile(_ file: String) -> KioskClientError {
        guard let problem, problem.code == .documentInvalid || problem.code == .notAllowed,
            let findings = problem.problems, !findings.isEmpty
        else { return self }
        var error = self
        error.problem?.problems = findings.map { $0.inFile(file) }
        // The message repeats the finding; it may go on with what is not about the document.
        let rest = findings.count == 1 ? message.dropPrefix(findings[0].description) : nil
        error.message = (error.problem?.problems?.first?.description ?? message) + (rest ?? "")
        return error
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
