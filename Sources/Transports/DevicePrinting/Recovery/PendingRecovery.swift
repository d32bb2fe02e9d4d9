import PrintModel

/// The recovery that a printer needs before its next job, after one that was aborted.
package enum PendingRecovery: Hashable, Sendable {
    case none
    /// The pipe must be made usable again; the printer took nothing.
    case restoring
    /// The job was aborted within its data. `missing` is the number of bytes that the printer did not get.
    case resynchronising(missing: Int)

    /// Adds a need. Needs only grow until the recovery is done.
    package mutating func add(_ other: PendingRecovery) {
        switch (self, other) {
        case (.resynchronising(let known), .resynchronising(let more)):
            self = .resynchronising(missing: max(known, more))
        case (.none, _), (.restoring, .resynchronising): self = other
        case (.restoring, _), (.resynchronising, _): break
        }
    }

    /// The need after a job that failed. A document that the printer has completely is printed as a whole and needs no
    /// recovery, except that a printer that is stopped can still discard it when the job was cancelled.
    init(after job: RunningJob, _ failure: DeliveryFailure, settings: DeviceSettings, isStopped: Bool) {
        guard failure.taken > 0 else {
            self = .restoring
            return
        }
        let canDiscard = failure.kind == .cancelled && settings.recovery == .clearBuffers && isStopped
        let isPrinted = failure.kind == .disconnected || failure.kind == .cancelled && !canDiscard
        self = job.isSent && isPrinted ? .none : .resynchronising(missing: max(0, job.documentLength - job.taken))
    }
}

/// A resynchronisation under way: the actions of a `Resynchroniser` that are still to be done.
struct RecoveryRun: Sendable {
    private var resynchroniser: Resynchroniser
    private var actions: [Resynchroniser.Action]

    init(_ resynchroniser: Resynchroniser) {
        var resynchroniser = resynchroniser
        actions = resynchroniser.start()
        self.resynchroniser = resynchroniser
    }

    /// Removes the next action; nil while there is none.
    mutating func next() -> Resynchroniser.Action? { actions.isEmpty ? nil : actions.removeFirst() }

    mutating func received(_ reply: EscPosReply) { actions += resynchroniser.received(reply) }

    mutating func timedOut() { actions += resynchroniser.timedOut() }
}
