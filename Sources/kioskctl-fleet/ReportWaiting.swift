import ArgumentParser
import KioskFleet
import KioskPrintModel
import KioskTerminal

/// What `kioskctl fleet print --wait` waits for.
enum WaitGoal: String, CaseIterable, ExpressibleByArgument {
    /// A kiosk has the job on its disk.
    case accepted
    /// Nothing more happens unless a person acts.
    case final

    func isMet(by report: FleetReport) -> Bool {
        switch report.stage {
        case .claimed: false
        case .accepted: self == .accepted
        case .unconfirmed, .ended, .refused: true
        }
    }

    /// The exit code for a job of which this was waited for.
    func exitCode(_ report: FleetReport) -> ExitCode {
        switch (report.stage, self) {
        case (.refused, _): report.error?.code == Self.canceled ? ExitStatus.jobCanceled : ExitStatus.failed
        // What became of it is not asked.
        case (_, .accepted), (.accepted, _), (.claimed, _): .success
        case (.unconfirmed, .final): ExitStatus.jobUnconfirmed
        case (.ended, .final): report.job.map(ExitStatus.code(of:)) ?? ExitStatus.failed
        }
    }

    /// The code of a job that was canceled before it came.
    private static let canceled = "job-canceled"
}

/// Waits until a kiosk has said of a job what is waited for.
struct ReportWaiting {
    let site: SiteName
    /// The role that the job was sent to.
    let role: RoleName
    let key: JobKey
    /// The sender's own key, for messages.
    let name: String
    let goal: WaitGoal

    private static let firstPause: Duration = .milliseconds(250)
    private static let longestPause: Duration = .seconds(1)

    /// The last report, which meets the goal unless the timeout has passed before; nil where there is none.
    func report(from session: HubSession, timeout: Duration?) async throws -> FleetReport? {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        var (last, pause, told): (FleetReport?, Duration, String?) = (nil, Self.firstPause, nil)
        defer { Console.progress("") }
        while true {
            do {
                last = try await session.report(of: key, at: site)?.report ?? last
                told = nil
            } catch let error as FleetError where error.isRetryable {
                // The job is at the hub: a hub that is away for a while loses nothing.
                if told != error.description { Console.writeMessage("\(error.description); asking on") }
                told = error.description
            }
            if let last, goal.isMet(by: last) || isOfAnother(last) { return last }
            guard deadline.map({ $0 > .now }) ?? true else { return last }
            Console.progress((last.map { ReportText.line($0, of: name) } ?? waitsForKiosk).terminalEscaped)
            try await Task.sleep(for: min(pause, deadline.map { ContinuousClock.now.duration(to: $0) } ?? pause))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Shows how it ended. Throws its exit code unless that is success.
    func show(_ report: FleetReport?, isQuiet: Bool) throws {
        if let report, isOfAnother(report) {
            throw CommandFailure(
                message:
                    "\(name): the site has had another job under this key, for the role \(report.job?.role?.rawValue ?? ""); use a new key for a new job"
            )
        }
        guard let report, goal.isMet(by: report) else {
            Console.writeMessage(
                "\(report.map { ReportText.line($0, of: name) } ?? waitsForKiosk); see `kioskctl fleet report --site \(site) --key \(name)`"
            )
            throw ExitStatus.jobUnsettled
        }
        let code = goal.exitCode(report)
        if code == .success {
            if !isQuiet { Console.writeLine(ReportText.line(report, of: name).terminalEscaped) }
            return
        }
        if !isQuiet { Console.writeMessage(ReportText.line(report, of: name)) }
        throw code
    }

    /// Whether a report tells of a job that was sent to another role: the hub takes one job of a key for each.
    private func isOfAnother(_ report: FleetReport) -> Bool { report.job?.role.map { $0 != role } ?? false }

    private var waitsForKiosk: String { "\(name): no kiosk of \(site) has taken it yet" }
}
