public import PrintModel

/// What a caller wants printed, without the document itself.
public struct JobRequest: Hashable, Sendable {
    /// The role to print to; or nil, with `printer` named.
    public var role: RoleName?
    /// A printer named directly, instead of a role or as one of the role's.
    public var printer: PrinterID?
    /// What people will see in listings and at the printer.
    public var name: String
    public var user: String?
    /// Nil lets the document's first bytes decide.
    public var format: DocumentFormat?
    public var ticket: Ticket
    /// The same key with the same content is the same job, however often it is sent.
    public var idempotencyKey: String?
    /// Whose key it is; keys of different callers never meet.
    public var caller: String?
    /// What the caller may print beyond text and receipts.
    public var rights: CallerRights
    /// The user id that the job belongs to, and the name that it shows where `user` is nil.
    public var owner: UInt32?
    public var ownerName: String?

    public init(
        role: RoleName? = nil, printer: PrinterID? = nil, name: String, user: String? = nil,
        format: DocumentFormat? = nil, ticket: Ticket = Ticket(), idempotencyKey: String? = nil, caller: String? = nil,
        rights: CallerRights = .rawDocuments, owner: UInt32? = nil, ownerName: String? = nil
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
    }
}

/// Which jobs to list: those that match every given part, newest first.
public struct JobFilter: Hashable, Sendable {
    public var role: RoleName?
    public var printer: PrinterID?
    public var states: Set<JobState>?
    /// Only jobs that were accepted at this moment or later.
    public var since: Timestamp?
    /// Only jobs that were accepted before this moment.
    public var until: Timestamp?
    /// Only jobs in whose name this occurs; a to z in any case.
    public var name: String?
    /// The user whose jobs are listed; nil: every user's.
    public var owner: UInt32?
    /// Only jobs with a smaller id: the next page after a page's last.
    public var before: Int64?
    /// 1 to 1,000.
    public var limit: Int

    public init(
        role: RoleName? = nil, printer: PrinterID? = nil, states: Set<JobState>? = nil, since: Timestamp? = nil,
        until: Timestamp? = nil, name: String? = nil, owner: UInt32? = nil, before: Int64? = nil, limit: Int = 100
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
