package import CoreMetrics
import KioskEngine
package import KioskPrintModel
import KioskPrometheusText
import Synchronization

/// Counts and times what the engine does, with metrics of swift-metrics that are made once for each role, printer and
/// way to end.
package final class EngineMetrics: EngineObserver {
    private let factory: any MetricsFactory
    private let roles = Mutex<[RoleName?: RoleMetrics]>([:])
    private let printers = Mutex<[PrinterID: PrinterMetrics]>([:])
    private let ends = Mutex<[End: Counter]>([:])
    private let syncTime: Timer
    private let stateReasons = Mutex<Set<String>>([])

    private struct RoleMetrics: Sendable {
        let accepted: Counter
        let unconfirmed: Counter
        let retries: Counter
        let failovers: Counter
        let acceptTime: Timer
        let firstByteTime: Timer
        let endTime: Timer
    }

    private struct PrinterMetrics: Sendable {
        let attempts: Counter
        let bytes: Counter
    }

    private struct End: Hashable, Sendable {
        let role: RoleName?
        let state: JobState
        let evidence: Evidence?
        let reason: String
    }

    /// Ends of different kinds that are told apart; the reasons of further ones, which come from printers, are `other`.
    private static let maximumEnds = 500

    /// State reasons that are told apart, and the length of one in bytes: printers may invent them, too.
    private static let maximumStateReasons = 200
    private static let maximumStateReasonLength = 100

    package init(factory: any MetricsFactory) {
        self.factory = factory
        syncTime = Timer(label: MetricCatalogue.syncTime.name, factory: factory)
    }

    // MARK: What happens

    package func jobAccepted(_ job: Job, after duration: Duration) {
        let role = metrics(of: job.role)
        role.accepted.increment()
        role.acceptTime.recordNanoseconds(duration.nanoseconds)
    }

    package func attemptBegan(_ job: Job, after earlier: PrinterID?) {
        guard let printer = job.printer else { return }
        metrics(of: printer).attempts.increment()
        guard let earlier else { return }
        let role = metrics(of: job.role)
        role.retries.increment()
        if earlier != printer { role.failovers.increment() }
    }

    package func firstByteSent(to role: RoleName?, after duration: Duration) {
        metrics(of: role).firstByteTime.recordNanoseconds(duration.nanoseconds)
    }

    package func attemptEnded(_ job: Job, bytes: Int64) {
        guard let printer = job.printer else { return }
        metrics(of: printer).bytes.increment(by: bytes)
    }

    package func jobUnconfirmed(_ job: Job) { metrics(of: job.role).unconfirmed.increment() }

    package func jobSettled(_ job: Job, after duration: Duration?) {
        count(End(role: job.role, state: job.state, evidence: job.evidence, reason: job.stateReasons.first ?? ""))
        if let duration { metrics(of: job.role).endTime.recordNanoseconds(duration.nanoseconds) }
    }

    package func committed(in duration: Duration) { syncTime.recordNanoseconds(duration.nanoseconds) }

    // MARK: Series

    private func metrics(of role: RoleName?) -> RoleMetrics {
        roles.withLock { roles in
            if let known = roles[role] { return known }
            let labels = [("role", role?.rawValue ?? "")]
            func counter(_ family: MetricFamily) -> Counter {
                Counter(label: family.name, dimensions: labels, factory: factory)
            }
            func timer(_ family: MetricFamily) -> Timer {
                Timer(label: family.name, dimensions: labels, factory: factory)
            }
            let new = RoleMetrics(
                accepted: counter(MetricCatalogue.jobsAccepted), unconfirmed: counter(MetricCatalogue.jobsUnconfirmed),
                retries: counter(MetricCatalogue.retries), failovers: counter(MetricCatalogue.failovers),
                acceptTime: timer(MetricCatalogue.acceptTime), firstByteTime: timer(MetricCatalogue.firstByteTime),
                endTime: timer(MetricCatalogue.endTime))
            roles[role] = new
            return new
        }
    }

    private func metrics(of printer: PrinterID) -> PrinterMetrics {
        printers.withLock { printers in
            if let known = printers[printer] { return known }
            let labels = [("printer", printer.rawValue)]
            let new = PrinterMetrics(
                attempts: Counter(label: MetricCatalogue.attempts.name, dimensions: labels, factory: factory),
                bytes: Counter(label: MetricCatalogue.bytes.name, dimensions: labels, factory: factory))
            printers[printer] = new
            return new
        }
    }

    private func count(_ end: End) {
        ends.withLock { ends in
            var end = end
            if ends[end] == nil, ends.count >= Self.maximumEnds {
                end = End(role: end.role, state: end.state, evidence: end.evidence, reason: "other")
            }
            let counter =
                ends[end]
                ?? Counter(
                    label: MetricCatalogue.jobsSettled.name,
                    dimensions: [
                        ("role", end.role?.rawValue ?? ""), ("state", end.state.rawValue),
                        ("evidence", end.evidence?.rawValue ?? ""), ("reason", end.reason),
                    ], factory: factory)
            ends[end] = counter
            return counter
        }
        .increment()
    }

    /// A state reason of a printer as a label's value: `other` for a long one, and for what comes once there are too many.
    func label(ofStateReason keyword: String) -> String {
        guard keyword.utf8.count <= Self.maximumStateReasonLength else { return "other" }
        return stateReasons.withLock { known in
            if !known.contains(keyword) {
                guard known.count < Self.maximumStateReasons else { return "other" }
                known.insert(keyword)
            }
            return keyword
        }
    }

    /// Makes the series of a role and a printer before anything happens: a counter that begins at 1 shows no increase.
    func prepare(roles: [RoleName], printers: [PrinterID]) {
        for role in roles { _ = metrics(of: role) }
        for printer in printers { _ = metrics(of: printer) }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}
