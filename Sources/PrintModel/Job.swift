/// A job as the engine knows it, and as every interface shows it.
public struct Job: Hashable, Sendable, Codable, Identifiable {
    /// Ascending in the order of acceptance, from 1.
    public var id: Int64
    public var name: String
    /// The role that it was sent to; nil when a printer was named instead.
    public var role: RoleName?
    /// The printer that has it or had it last; before that the printer that the caller named, if any.
    public var printer: PrinterID?
    /// The name of the user who printed it, for people and printers.
    public var user: String?
    /// The user id of who sent it: it is theirs to see, cancel and print again. Nil of a job that belongs to nobody:
    /// the program that embeds the engine sent it, or a version that did not keep it.
    public var owner: UInt32?
    public var format: DocumentFormat
    /// The document's size in bytes.
    public var documentLength: Int64
    public var ticket: Ticket
    public var state: JobState
    /// Keywords, RFC 8011's own where it has one: `job-printing`, `printer-stopped`, `unconfirmed`, `job-expired` …
    public var stateReasons: [String]
    /// A sentence for people: why it waits, failed or is unconfirmed, and what to do.
    public var message: String?
    /// The strongest evidence of the latest attempt; nil before all of the document left.
    public var evidence: Evidence?
    /// Whether paper may have come out without anyone being able to tell; stays true after an operator's decision.
    public var isUnconfirmed: Bool
    /// Document bytes that left for the printer in the present attempt.
    public var bytesSent: Int64
    /// How often sending was begun.
    public var attempts: Int
    public var remoteJob: RemoteJob?
    public var createdAt: Timestamp
    /// When sending began first.
    public var processingAt: Timestamp?
    /// When the state became final.
    public var completedAt: Timestamp?
    /// When it stops being worth printing.
    public var expiresAt: Timestamp
    /// The job whose document this one prints again.
    public var origin: ID?
    /// The jobs that one request made, a copy for each printer of its role, this one among them; nil of a job that is
    /// alone.
    public var group: [ID]?
    /// What its document says and was not heeded, with line and column, and what its printer lacked; nil where there is
    /// nothing to say.
    public var remarks: [String]?
    /// True where other users' view of the job is all that this is (`withheld`); else nil.
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

    /// Whether nothing more happens unless a person acts: final, or held because its fate is unknown.
    public var isSettled: Bool { state.isFinal || (state == .pendingHeld && isUnconfirmed) }

    /// The job as other users see it: its number, role, printer, state and times. Its name is empty, and its document's
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
