public import KioskPrintModel

/// What a caller wants printed, without the document itself.
public struct JobRequest: Hashable, Sendable {
    /// The role to print to; or nil, with `printer` named.
    public var role: RoleName?
    /// A printer named directly, instead of a role or as one of the role's.
    public var printer: PrinterID?
    /// What people will see in listings and at the printer.
    public var name: String
    /// The name of the user that the job shows, as the caller gives it.
    public var user: String?
    /// Nil lets the document's first bytes decide.
    public var format: DocumentFormat?
    /// What the job asks for beside its document; filled up from the role's defaults.
    public var ticket: Ticket
    /// The same key with the same content is the same job, however often it is sent.
    public var idempotencyKey: String?
    /// Whose key it is; keys of different callers never meet.
    public var caller: String?
    /// How long it has been on its way to the engine, in whole seconds: it expires so much sooner. What is repeated may
    /// have another.
    public var age = 0
    /// Why it may be on paper already: another kiosk had accepted it, and cannot be asked. Its role then decides as about
    /// any job whose fate nobody can know. Nil for a job that nobody else had.
    public var doubt: String?
    /// What the caller may print beyond text and receipts.
    public var rights: CallerRights
    /// The user id that the job belongs to, and the name that it shows where `user` is nil.
    public var owner: JobOwner?
    /// The owner's name.
    public var ownerName: String?
    /// What tells this request from others in the job, the events and the log.
    public var requestID: String?

    public init(
        role: RoleName? = nil, printer: PrinterID? = nil, name: String, user: String? = nil,
        format: DocumentFormat? = nil, ticket: Ticket = Ticket(), idempotencyKey: String? = nil, caller: String? = nil,
        rights: CallerRights = .rawDocuments, owner: JobOwner? = nil, ownerName: String? = nil,
        requestID: String? = nil
    ) {
        self.role = role
        self.printer = printer
        self.name = name
        self.user = user
        self.format = format
        self.ticket = ticket
        self.idempotencyKey = idempotencyKey
        self.caller = caller
        self.rights = rights
        self.owner = owner
        self.ownerName = ownerName
        self.requestID = requestID
    }
}

/// Which jobs to list: those that match every given part, newest first.
public struct JobFilter: Hashable, Sendable {
    /// The role that the job was sent to.
    public var role: RoleName?
    /// The printer that has or had the job.
    public var printer: PrinterID?
    /// The states of which a job must have one.
    public var states: Set<JobState>?
    /// Only jobs that were accepted at this moment or later.
    public var since: Timestamp?
    /// Only jobs that were accepted before this moment.
    public var until: Timestamp?
    /// Only jobs in whose name this occurs; a to z in any case.
    public var name: String?
    /// The user whose jobs are listed; nil: every user's.
    public var owner: JobOwner?
    /// Only jobs with a smaller id: the next page after a page's last.
    public var before: Int64?
    /// 1 to 1,000.
    public var limit: Int

    public init(
        role: RoleName? = nil, printer: PrinterID? = nil, states: Set<JobState>? = nil, since: Timestamp? = nil,
        until: Timestamp? = nil, name: String? = nil, owner: JobOwner? = nil, before: Int64? = nil, limit: Int = 100
    ) {
        self.role = role
        self.printer = printer
        self.states = states
        self.since = since
        self.until = until
        self.name = name
        self.owner = owner
        self.before = before
        self.limit = limit
    }
}

extension JobRequest {
    /// The caller whose keys lead to their jobs for 8 days, and not for one: a fleet's hub may deliver a job again as
    /// long as it keeps it.
    public static let fleetCaller = "fleet"
    /// The caller of jobs that are taken over from another kiosk, where their sender's key is none that is known here.
    public static let standbyCaller = "standby"

    /// Everything but the document and the PIN that makes two requests the same: a stored digest of four digits would
    /// be the digits.
    func contentKey() throws -> String {
        let parts = [
            role?.rawValue, printer?.rawValue, name, user, format?.mimeType,
            try TicketColumn.text(of: ticket.withoutSecrets),
        ]
        return try ContentDigest.hexadecimal(of: Array(parts.map { $0 ?? "" }.joined(separator: "\u{0}").utf8))
    }
}

/// The user who asks for something to be done with a job or a printer, and what they may do.
public struct Requester: Hashable, Sendable {
    /// Whose the jobs are that they send; nil for the program that embeds the engine.
    public var owner: JobOwner?
    /// The name that their jobs have as `user`.
    public var name: String?
    /// What they may print beyond text and receipts, whoever sent it first.
    public var rights: CallerRights
    /// Whether everybody's jobs are theirs to see and to act on.
    public var sharesEveryJob: Bool
    /// Whether they are an operator: may print in another's name, and contact a printer that waits after a lasting
    /// failure.
    public var isOperator: Bool

    public init(
        owner: JobOwner?, name: String? = nil, rights: CallerRights, sharesEveryJob: Bool = false,
        isOperator: Bool = false
    ) {
        self.owner = owner
        self.name = name
        self.rights = rights
        self.sharesEveryJob = sharesEveryJob
        self.isOperator = isOperator
    }

    /// The program that embeds the engine, which may do all.
    public static let program = Requester(owner: nil, rights: .all, isOperator: true)

    /// Whether the job is theirs to see with name and content, and to act on.
    public func owns(_ job: Job) -> Bool { isOperator || sharesEveryJob || (owner != nil && job.owner == owner) }

    /// The job as they may see it.
    public func view(of job: Job) -> Job { owns(job) ? job : job.withheld }

    /// The event as they may see it; nil where it tells nothing then.
    public func view(of event: EngineEvent) -> EngineEvent? {
        guard let job = event.job, !owns(job) else { return event }
        // Of the document, which is not theirs.
        guard event.kind != .jobProgress else { return nil }
        var event = event
        event.job = job.withheld
        return event
    }

    /// Throws where the job is another user's. `doing` completes "… can" in the message: "cancel it".
    func check(_ job: Job, doing: String) throws(EngineError) {
        guard !owns(job) else { return }
        throw EngineError(.jobForbidden, "job \(job.id) is another user's; its owner and operators can \(doing)")
    }
}
