/// A print job, as the engine stores it and every interface shows it.
public struct Job: Hashable, Sendable, Codable, Identifiable {
    /// Ascending in the order of acceptance, from 1.
    public var id: Int64
    /// The name for people, as the caller gave it.
    public var name: String
    /// The role that it was sent to; nil when it was sent to a printer.
    public var role: RoleName?
    /// The printer that prints it or last tried to; before that the printer that the caller named, if any.
    public var printer: PrinterID?
    /// The name of the user who printed it, for people and printers.
    public var user: String?
    /// Its owner, who may see, cancel and reprint it. Nil where it has no owner: the program that embeds
    /// the engine sent it, or an older version that did not store owners.
    public var owner: JobOwner?
    /// The document's format.
    public var format: DocumentFormat
    /// The document's size in bytes.
    public var documentLength: Int64
    /// The number of pages that come out, as sides of sheets, of all copies together; nil where that is not known before
    /// it is printed, and for receipts.
    public var pages: Int?
    /// While it is sent page by page, how many pages the printer has at least a part of; else nil. Never stored.
    public var pagesBegun: Int?
    /// The settings that it is printed with, the role's defaults included.
    public var ticket: Ticket
    /// Its `job-state`.
    public var state: JobState
    /// Its `job-state-reasons`: keywords, those of RFC 8011 where it has one: `job-printing`, `printer-stopped`,
    /// `unconfirmed`, `job-expired` …
    public var stateReasons: [String]
    /// A sentence for people: why it waits, failed or is unconfirmed, and what to do.
    public var message: String?
    /// The strongest evidence of the latest attempt; nil before all of the document was sent.
    public var evidence: Evidence?
    /// Whether nobody can know if paper came out; stays true after an operator's decision.
    public var isUnconfirmed: Bool
    /// Document bytes sent to the printer in the present attempt.
    public var bytesSent: Int64
    /// The number of times that sending began.
    public var attempts: Int
    /// Its identifier at the printer, once the printer accepted it.
    public var remoteJob: RemoteJob?
    /// When the engine accepted it.
    public var createdAt: Timestamp
    /// When sending began first.
    public var processingAt: Timestamp?
    /// When the state became final.
    public var completedAt: Timestamp?
    /// When it expires.
    public var expiresAt: Timestamp
    /// The job whose document this one prints again.
    public var origin: ID?
    /// The jobs that one request created, one for each printer of its role, including this one; nil for a single job.
    public var group: [ID]?
    /// The parts of its document that were ignored, with line and column, and the features that its printer lacked; nil
    /// where there are none.
    public var remarks: [String]?
    /// The id of the request that made it: what its sender gave as `X-Request-ID`, or what the daemon made. Nil where it
    /// is not known.
    public var requestID: String?
    /// True where this is only the view of other users (`withheld`); else nil.
    public var isWithheld: Bool?

    /// Creates a job that was just accepted: pending, with nothing sent.
    public init(
        id: Int64, name: String, role: RoleName?, printer: PrinterID?, user: String?, format: DocumentFormat,
        documentLength: Int64, ticket: Ticket, createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.printer = printer
        self.user = user
        self.format = format
        self.documentLength = documentLength
        self.ticket = ticket
        self.state = .pending
        self.stateReasons = []
        self.isUnconfirmed = false
        self.bytesSent = 0
        self.attempts = 0
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case id, name, role, printer, user, owner
        case format = "document-format"
        case documentLength = "document-length"
        case pages
        case pagesBegun = "pages-begun"
        case ticket
        case state = "job-state"
        case stateReasons = "job-state-reasons"
        case message, evidence
        case isUnconfirmed = "unconfirmed"
        case bytesSent = "bytes-sent"
        case attempts
        case remoteJob = "remote-job"
        case createdAt = "created-at"
        case processingAt = "processing-at"
        case completedAt = "completed-at"
        case expiresAt = "expires-at"
        case origin, group, remarks
        case requestID = "request-id"
        case isWithheld = "withheld"
    }

    /// Whether nothing more happens unless a person acts: it is final, or held because it is unconfirmed.
    public var isSettled: Bool { state.isFinal || (state == .pendingHeld && isUnconfirmed) }

    /// The job as other users see it: its id, role, printer, state and times. Its name is empty, and its document's
    /// length is 0.
    public var withheld: Job {
        var job = Job(
            id: id, name: "", role: role, printer: printer, user: nil, format: .octetStream, documentLength: 0,
            ticket: Ticket(),
            createdAt: createdAt, expiresAt: expiresAt)
        (job.state, job.stateReasons, job.evidence, job.isUnconfirmed, job.attempts) = (
            state, stateReasons, evidence, isUnconfirmed, attempts
        )
        (job.processingAt, job.completedAt, job.isWithheld) = (processingAt, completedAt, true)
        return job
    }
}

/// The `job-state` of a job (RFC 8011 §5.3.7).
public enum JobState: String, Hashable, Sendable, Codable, CaseIterable {
    /// It waits for its printer (3).
    case pending
    /// It waits for an operator (4).
    case pendingHeld = "pending-held"
    /// It is being sent or printed (5).
    case processing
    /// The printer stopped while it prints the job (6).
    case processingStopped = "processing-stopped"
    /// A person or program canceled it (7).
    case canceled
    /// It failed, or expired (8).
    case aborted
    /// It was printed, as far as its `evidence` tells (9).
    case completed

    /// Whether no other state can follow.
    public var isFinal: Bool {
        switch self {
        case .canceled, .aborted, .completed: true
        case .pending, .pendingHeld, .processing, .processingStopped: false
        }
    }
}

/// The evidence for the end of a job, weakest first. A transport never claims more than its protocol proves.
public enum Evidence: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// The bytes were sent.
    case sent
    /// A spooler or printer accepted the job.
    case accepted
    /// The device reports that it processed the data.
    case processed
    /// The device reports that paper came out.
    case printed

    /// Orders by strength.
    public static func < (left: Evidence, right: Evidence) -> Bool { left.strength < right.strength }

    private var strength: Int {
        switch self {
        case .sent: 0
        case .accepted: 1
        case .processed: 2
        case .printed: 3
        }
    }
}

// MARK: - The history of a job, and events

/// All steps of one job, oldest first.
public struct JobTimeline: Hashable, Sendable, Codable {
    /// The job.
    public var job: Job.ID
    /// Its steps, oldest first.
    public var steps: [JobStep]
    /// The number of steps in the middle of a long timeline that are no longer stored; nil for none.
    public var omitted: Int?
    /// The id of the request that made the job; nil where it is not known.
    public var requestID: String?

    /// Creates a timeline.
    public init(job: Job.ID, steps: [JobStep], omitted: Int? = nil, requestID: String? = nil) {
        self.job = job
        self.steps = steps
        self.omitted = omitted
        self.requestID = requestID
    }

    enum CodingKeys: String, CodingKey {
        case job, steps, omitted
        case requestID = "request-id"
    }

    /// The timeline as other users see it: the steps without their messages, and without the request's id.
    public var withheld: JobTimeline {
        var timeline = self
        timeline.requestID = nil
        for index in timeline.steps.indices { (timeline.steps[index].message, timeline.steps[index].job) = (nil, nil) }
        return timeline
    }
}

/// One step of a job's timeline, with its evidence.
public struct JobStep: Hashable, Sendable, Codable {
    /// When it happened.
    public var time: Timestamp
    /// What happened.
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

    /// The kinds of step.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The engine accepted and stored the job.
        case accepted
        /// Sending to a printer began: from now on bytes may reach paper.
        case sending
        /// The printer accepted the job and gave it an identifier.
        case acceptedByPrinter = "taken"
        /// The device stopped, or continues after a stop.
        case stopped, resumed
        /// The printer may have the job, and the engine asks it.
        case asking
        /// Nobody can know whether it was printed.
        case unconfirmed
        /// No byte can have reached paper; the job waits again.
        case waiting
        /// The job waits for an operator, or was released by one.
        case held, released
        /// Somebody asked to cancel it; the printer may still print it.
        case cancelRequested = "cancel-requested"
        /// Another job reprints its document.
        case reprinted
        /// The job became final.
        case completed, canceled, aborted
    }

    /// Creates a step.
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

/// An event of the engine; events are numbered in order.
public struct EngineEvent: Hashable, Sendable, Codable, Identifiable {
    /// Ascending, also across restarts.
    public var id: Int64
    /// When it happened.
    public var time: Timestamp
    /// What happened.
    public var kind: Kind
    /// The job as it was after the event; for the `job-…` kinds.
    public var job: Job?
    /// The printer as it was after the event; for `printer-changed`.
    public var printer: PrinterStatus?
    /// The problems of the file, for `registry-refused`.
    public var message: String?

    /// The kinds of event.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A job was accepted.
        case jobCreated = "job-created"
        /// Its state, reasons, printer or evidence changed.
        case jobChanged = "job-changed"
        /// Bytes were sent; nothing else changed. Never stored, and may be skipped under load.
        case jobProgress = "job-progress"
        /// A printer's state, description or settings changed.
        case printerChanged = "printer-changed"
        /// An edited registry is in force.
        case registryReloaded = "registry-reloaded"
        /// An edited registry was refused; the previous one stays in force.
        case registryRefused = "registry-refused"
        /// Events before this one are no longer stored: read jobs and printers again.
        case resync
    }

    /// Creates an event.
    public init(
        id: Int64, time: Timestamp, kind: Kind, job: Job? = nil, printer: PrinterStatus? = nil, message: String? = nil
    ) {
        self.id = id
        self.time = time
        self.kind = kind
        self.job = job
        self.printer = printer
        self.message = message
    }
}
