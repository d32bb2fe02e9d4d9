import PrintModel

/// The life of one job, from its acceptance to its end: a state machine without I/O.
///
/// The engine hands in what happened and carries out what it answers. Nothing else changes a job's stage, state,
/// reasons or evidence: the facts can be read everywhere and written here alone. `docs/delivery.md` shows the whole of
/// it.
struct JobLife: Hashable, Sendable {
    private(set) var facts: JobFacts

    /// A job that is about to be accepted.
    init(accepting job: Job, isPinned: Bool) {
        facts = JobFacts(job: job, isPinned: isPinned)
    }

    /// A job as it was stored.
    init(restoring facts: JobFacts) { self.facts = facts }

    /// The number that the queue gave it when it was stored.
    mutating func number(_ id: Int64) { facts.job.id = id }

    /// The numbers of the jobs that were stored with it, and its own.
    mutating func join(_ group: [Int64]) { facts.job.group = group }

    /// What its printer lacks, said once.
    mutating func remark(_ remarks: [String]) {
        let known = facts.job.remarks ?? []
        let new = remarks.filter { !known.contains($0) }
        if !new.isEmpty { facts.job.remarks = known + new }
    }

    /// The machine's clock was set: the job's times are told in the new time, and it keeps the time that it had left.
    mutating func clockMoved(by duration: Duration) {
        facts.job.createdAt = facts.job.createdAt.advanced(by: duration)
        facts.job.processingAt = facts.job.processingAt?.advanced(by: duration)
        facts.job.expiresAt = facts.job.expiresAt.advanced(by: duration)
        facts.sentAt = facts.sentAt?.advanced(by: duration)
    }

    /// The clock cannot say when it was sent: nothing that a printer tells of times may prove anything about it.
    mutating func forgetWhenSent() { facts.sentAt = nil }

    /// Says what happened; returns what is to be done now. After an error the life is as it was.
    mutating func handle(_ event: JobEvent, in circumstances: JobCircumstances) throws(IllegalTransition) -> JobDecision
    {
        var next = facts
        guard let decision = next.decide(after: event, in: circumstances) else {
            throw IllegalTransition(job: facts.job.id, stage: facts.stage, event: event.name)
        }
        facts = next
        return decision
    }
}
