/// A print job, as the engine stores it and every interface shows it.
public struct Job: Hashable, Sendable, Codable, Identifiable {
    /// Ascending in the order of acceptance, from 1.
    public var id: Int64
    public var name: String
    /// The role that it was sent to; nil when it was sent to a printer.
    public var role: RoleName?
    /// The printer that prints it or last tried to; before that the printer that the caller named, if any.
    public var printer: PrinterID?
    /// The name of the user who printed it, for people and printers.
    public var user: String?
    /// The user id of its owner, who may see, cancel and reprint it. Nil where it has no owner: the program that embeds
    /// the engine sent it, or an older version that did not store owners.
    public var owner: UInt32?
    public var format: DocumentFormat
    /// The document's size in bytes.
    public var documentLength: Int64
    public var ticket: Ticket
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
    public var remoteJob: RemoteJob?
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
    /// True where this is only the view of other users (`withheld`); else nil.
    public var isWithheld: Bool?

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
    case pending
    case pendingHeld = "pending-held"
    case processing
    case processingStopped = "processing-stopped"
    case canceled
    case aborted
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
