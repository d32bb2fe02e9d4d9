package import ArgumentParser
package import KioskPrintModel

/// An error of a command itself: what failed, and what to do.
package struct CommandFailure: Error {
    package var message: String
    package var code: ExitCode

    package init(message: String, code: ExitCode = ExitStatus.failed) { (self.message, self.code) = (message, code) }
}

/// The exit codes, as `kioskctl --help` lists them. Those above 63 are from sysexits(3).
package enum ExitStatus {
    package static let failed = ExitCode(1)
    package static let jobFailed = ExitCode(3)
    package static let jobCanceled = ExitCode(4)
    package static let jobUnconfirmed = ExitCode(5)
    package static let jobUnsettled = ExitCode(6)
    package static let unavailable = ExitCode(69)
    package static let tryAgain = ExitCode(75)
    package static let noPermission = ExitCode(77)
    /// 128 plus the number of SIGINT, as in shells.
    package static let interrupted = ExitCode(130)

    /// The exit code for a job that was waited for.
    package static func code(of job: Job) -> ExitCode {
        switch job.state {
        case .completed: .success
        case .canceled: jobCanceled
        case _ where job.isUnconfirmed: jobUnconfirmed
        case .aborted: jobFailed
        case .pending, .pendingHeld, .processing, .processingStopped: jobUnsettled
        }
    }
}
