/// All steps of one job, oldest first.
public struct JobTimeline: Hashable, Sendable, Codable {
    public var job: Job.ID
    public var steps: [JobStep]
    /// The number of steps in the middle of a long timeline that are no longer stored; nil for none.
    public var omitted: Int?

    public init(job: Job.ID, steps: [JobStep], omitted: Int? = nil) {
        self.job = job
        self.steps = steps
        self.omitted = omitted
    }

    /// The timeline as other users see it: the steps without their messages.
    public var withheld: JobTimeline {
        var timeline = self
        for index in timeline.steps.indices { (timeline.steps[index].message, timeline.steps[index].job) = (nil, nil) }
        return timeline
    }
}

/// One step of a job's timeline, with its evidence.
public struct JobStep: Hashable, Sendable, Codable {
    public var time: Timestamp
    public var kind: Kind
    /// The printer of this step.
    public var printer: PrinterID?
    /// The number of the attempt, from 1; nil before sending began.
    public var attempt: Int?
    /// The evidence at that time.
    public var evidence: Evidence?
    /// A sentence for people, or the printer's keywords without one.
    public var message: String?
    /// The job that this one reprints, or that reprints this one.
    public var job: Job.ID?

    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case accepted
        /// Sending to a printer began: from now on bytes may reach paper.
        case sending
        /// The printer accepted the job and gave it an identifier.
        case taken
        case stopped, resumed
        /// The printer may have the job, and the engine asks it.
        case asking
        /// Nobody can know whether it was printed.
        case unconfirmed
        /// No byte can have reached paper; the job waits again.
        case waiting
        case held, released
        case cancelRequested = "cancel-requested"
        /// Another job reprints its document.
        case reprinted
        case completed, canceled, aborted
    }

    public init(
        _ kind: Kind, at time: Timestamp, printer: PrinterID? = nil, attempt: Int? = nil, evidence: Evidence? = nil,
        message: String? = nil, job: Job.ID? = nil
    ) {
        self.time = time
        self.kind = kind
        self.printer = printer
        self.attempt = attempt
        self.evidence = evidence
        self.message = message
        self.job = job
    }

    enum CodingKeys: String, CodingKey {
        case time
        case kind = "step"
        case printer, attempt, evidence, message, job
    }
}
