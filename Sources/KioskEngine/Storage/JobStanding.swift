import PrintModel

/// What a stored job tells of its way so far; compared with what it is to be, it gives the steps between.
struct JobStanding: Hashable, Sendable {
    var stage: JobStage.Stored
    var state: JobState
    var reasons: String
    var attempts: Int
    var remoteJob: String?
    var isUnconfirmed: Bool
    var isCancelRequested: Bool

    init(_ facts: JobFacts) {
        stage = facts.stage.stored
        state = facts.job.state
        reasons = facts.job.stateReasons.joined(separator: " ")
        attempts = facts.job.attempts
        remoteJob = facts.job.remoteJob?.identifier
        isUnconfirmed = facts.job.isUnconfirmed
        isCancelRequested = facts.isCancelRequested
    }

    init(
        stage: JobStage.Stored, state: JobState, reasons: String, attempts: Int, remoteJob: String?,
        isUnconfirmed: Bool,
        isCancelRequested: Bool
    ) {
        self.stage = stage
        self.state = state
        self.reasons = reasons
        self.attempts = attempts
        self.remoteJob = remoteJob
        self.isUnconfirmed = isUnconfirmed
        self.isCancelRequested = isCancelRequested
    }
}

extension JobStanding {
    /// The steps that lead from here to `facts`. Acceptance and the end are no steps: the job itself tells of them.
    func steps(to facts: JobFacts, at now: Timestamp) -> [JobStep] {
        let (job, next) = (facts.job, JobStanding(facts))
        var steps: [JobStep] = []
        func add(_ kind: JobStep.Kind, at time: Timestamp = now, attempt: Int? = nil, message: String? = nil) {
            steps.append(
                JobStep(
                    kind, at: time, printer: job.printer, attempt: attempt, evidence: job.evidence, message: message)
            )
        }
        if next.attempts > attempts { add(.sending, at: facts.sentAt ?? now, attempt: next.attempts) }
        if let remoteJob = next.remoteJob, remoteJob != self.remoteJob {
            add(.taken, at: min(now, job.completedAt ?? now), message: "as its job \(remoteJob)")
        }
        if next.isCancelRequested, !isCancelRequested { add(.cancelRequested) }
        guard next.stage != .done else { return steps }
        if next.state == .processingStopped, state != .processingStopped {
            add(.stopped, message: job.message ?? next.reasons)
        }
        if next.state == .processing, state == .processingStopped { add(.resumed) }
        if next.reasons == Self.asking, reasons != Self.asking { add(.asking, message: job.message) }
        switch (stage, next.stage) {
        case (.held, .waiting): add(.released)
        case (_, .held) where stage != .held: add(.held, message: job.message)
        case (.sending, .waiting), (.following, .waiting):
            add(next.isUnconfirmed && !isUnconfirmed ? .unconfirmed : .waiting, message: job.message)
        default: break
        }
        return steps
    }

    private static let asking = "printer-asked-for-job"
}

extension JobFacts {
    /// That sending began with the acceptance; nil where the job waits first.
    var firstSending: JobStep? {
        guard let sentAt, stage.stored == .sending else { return nil }
        return JobStep(.sending, at: sentAt, printer: job.printer, attempt: job.attempts)
    }
}
