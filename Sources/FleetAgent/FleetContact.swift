import Glibc
package import KioskFleet
package import KioskPrintModel
import Synchronization

/// When the hub last knew how the kiosk is, for the kiosk's own health check: the office sees it as silent after the
/// same time.
package final class FleetContact: Sendable {
    private struct State {
        /// Nil before the first time.
        var reachedAt: ContinuousClock.Instant?
        var problem: String?
        /// When the kiosk's login ends, in seconds since 1970; nil: never, or nobody knows.
        var loginEnd: Int64?
        /// Why the kiosk cannot take the login that its office has renewed.
        var loginProblem: String?
    }
    private let state = Mutex(State())
    private let site: SiteName
    private let start: ContinuousClock.Instant

    /// `start`: when the kiosk began.
    package init(of site: SiteName, start: ContinuousClock.Instant = .now) { (self.site, self.start) = (site, start) }

    func reached(at now: ContinuousClock.Instant = .now) {
        state.withLock { ($0.reachedAt, $0.problem) = (now, nil) }
    }

    /// When the hub last knew how the kiosk is; nil: not since the kiosk began.
    package var reachedAt: ContinuousClock.Instant? { state.withLock(\.reachedAt) }

    /// What did not work since then.
    package var problem: String? { state.withLock(\.problem) }

    /// When the kiosk's login ends, in seconds since 1970; nil: never, or nobody knows. Who made the login may have
    /// written any number.
    package var loginEnd: Int64? { state.withLock(\.loginEnd) }

    /// Something did not work. The last such thing is told.
    package func failed(_ problem: String) { state.withLock { $0.problem = problem } }

    /// Says when the kiosk's login ends, in seconds since 1970; nil: never, or nobody knows.
    package func setLoginEnd(_ time: Int64?) { state.withLock { $0.loginEnd = time } }

    /// Says why the kiosk cannot take the login that its office has renewed; nil: there is none, or it has.
    func setLoginProblem(_ problem: String?) { state.withLock { $0.loginProblem = problem } }

    /// Warnings; no more than that, since the kiosk prints all the same. `date` is in seconds since 1970.
    package func checks(
        at now: ContinuousClock.Instant = .now, date: Int64 = Int64(time(nil))
    ) -> [HealthReport.Check] {
        reachability(state.withLock { $0 }, at: now) + loginChecks(on: date)
    }

    /// Those of them that say something to the office too, once it is reached.
    package func loginChecks(on date: Int64 = Int64(time(nil))) -> [HealthReport.Check] {
        let state = state.withLock { $0 }
        return end(state, on: date) + renewal(state)
    }

    /// How long before its end a login is warned of, in seconds.
    private static let loginWarning: Int64 = 30 * 86_400

    private func end(_ state: State, on date: Int64) -> [HealthReport.Check] {
        guard let end = state.loginEnd, end < date + Self.loginWarning else { return [] }
        let days = (max(end, date) - date) / 86_400
        let when =
            end <= date ? "has ended" : days == 0 ? "ends today" : "ends in \(days) \(days == 1 ? "day" : "days")"
        let advice =
            end <= date
            ? "have it admitted again: `kioskctl fleet join`"
            : "have the office renew it: `kioskctl fleet renew`"
        return [
            HealthReport.Check(
                code: "fleet-credentials-expire", subject: site.text, status: .warning,
                message: "the kiosk's login at its fleet's hub \(when); \(advice)")
        ]
    }

    /// A warning where the kiosk has a new login and cannot keep it.
    private func renewal(_ state: State) -> [HealthReport.Check] {
        guard let problem = state.loginProblem else { return [] }
        return [
            HealthReport.Check(
                code: "fleet-credentials-stay", subject: site.text, status: .warning,
                message:
                    "the office has renewed the kiosk's login, and its file of credentials stays as it is: \(problem); it has to be a file that kioskd may replace, in a folder that it may write to"
            )
        ]
    }

    /// A warning where the hub has heard nothing for as long as makes a kiosk silent.
    private func reachability(_ state: State, at now: ContinuousClock.Instant) -> [HealthReport.Check] {
        let seconds = (state.reachedAt ?? start).duration(to: now).components.seconds
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
