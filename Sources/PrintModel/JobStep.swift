/// One step in a job's life, with its evidence: a line of its timeline.
public struct JobStep: Hashable, Sendable, Codable {
    public var time: Timestamp
    public var kind: Kind
    /// The printer that it is about.
    public var printer: PrinterID?
    /// Counted from 1, where sending began.
    public var attempt: Int?
    /// What was known by then.
    public var evidence: Evidence?
    /// A sentence for people, or the printer's keywords where there is none.
    public var message: String?
    /// The job that this one prints again, or that prints this one again.
    public var job: Job.ID?

    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case accepted
        /// Sending to a printer began: bytes may reach paper from here on.
        case sending
        /// The printer took the job and named it.
        case taken
        case stopped, resumed
        /// The printer may have the job and is asked about it.
        case asking
        /// Nobody can tell whether it was printed.
        case unconfirmed
        /// No byte can have reached paper: it waits again.
        case waiting
        case held, released
        case cancelRequested = "cancel-requested"
        /// Another job prints its document again.
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
