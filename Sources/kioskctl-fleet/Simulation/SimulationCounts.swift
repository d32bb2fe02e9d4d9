import KioskFleet
import Synchronization

/// What a simulated fleet has seen so far, of all its sites together.
final class SimulationCounts: Sendable {
    struct Values: Hashable, Sendable {
        /// Jobs that kiosks have accepted.
        var taken = 0
        /// Jobs that came to a kiosk's queue again, which knew their keys.
        var repeated = 0
        /// Jobs that have come out on paper.
        var printed = 0
        /// Jobs that kiosks have refused, such as those that came too late.
        var refused = 0
        /// Reports that the hub has stored of jobs that are under way.
        var reportedAccepted = 0
        /// … and of jobs whose end was told: printed, canceled or refused.
        var reportedEnd = 0
        /// Jobs that came out of a printer that had printed their key before.
        var doubled = 0
        /// Jobs that came out after one with a higher number at the end of its key.
        var outOfOrder = 0
        /// Failures that the kiosks' logs tell of, such as a hub that does not answer.
        var problems = 0
        var lastProblem: String?
    }

    private let values = Mutex(Values())
    /// By their subjects, the reports of which nobody knows yet whether the hub has stored them.
    private let open = Mutex([String: FleetReport]())

    /// The counts as they are now.
    var current: Values { values.withLock { $0 } }

    func add(_ change: (inout Values) -> Void) { values.withLock { change(&$0) } }

    /// A kiosk sends a report.
    func sent(_ report: FleetReport, to subject: String) { open.withLock { $0[subject] = report } }

    /// The hub has said that it has a report. It is counted once, and only where a kiosk of the simulation has sent it.
    func stored(_ report: FleetReport, at subject: String) {
        let isNew = open.withLock { open in
            guard open[subject] == report else { return false }
            open[subject] = nil
            return true
        }
        guard isNew else { return }
        add { counts in
            if report.stage.isFinal { counts.reportedEnd += 1 } else { counts.reportedAccepted += 1 }
        }
    }
}
