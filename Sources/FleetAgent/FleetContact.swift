package import KioskFleet
package import KioskPrintModel
import Synchronization

/// When the hub last knew how the kiosk is, for the kiosk's own health check: the office sees it as silent after the
/// same time.
package final class FleetContact: Sendable {
    private struct State {
        var last: ContinuousClock.Instant
        var problem: String?
    }
    private let state: Mutex<State>
    private let site: SiteName

    /// `start`: when the kiosk began.
    package init(of site: SiteName, start: ContinuousClock.Instant = .now) {
        self.site = site
        state = Mutex(State(last: start))
    }

    func reached(at now: ContinuousClock.Instant = .now) {
        state.withLock { ($0.last, $0.problem) = (now, nil) }
    }

    /// Something did not work. The last such thing is told.
    package func failed(_ problem: String) { state.withLock { $0.problem = problem } }

    /// A warning where the hub has heard nothing for as long as makes a kiosk silent; it is no more than that, since
    /// the kiosk prints all the same.
    package func checks(at now: ContinuousClock.Instant = .now) -> [HealthReport.Check] {
        let state = state.withLock { $0 }
        let seconds = state.last.duration(to: now).components.seconds
        guard seconds >= KioskStatus.silence else { return [] }
        let why = state.problem.map { ": \($0)" } ?? ""
        return [
            HealthReport.Check(
                code: "fleet-unreachable", subject: site.text, status: .warning,
                message:
                    "the kiosk of the site \"\(site)\" has not reached its fleet's hub for \(seconds / 60) min\(why); it prints all the same"
            )
        ]
    }
}
