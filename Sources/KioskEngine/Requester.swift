public import PrintModel

/// The user who asks for something to be done with a job or a printer, and what they may do.
public struct Requester: Hashable, Sendable {
    /// The user id; nil for the program that embeds the engine.
    public var user: UInt32?
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
        user: UInt32?, name: String? = nil, rights: CallerRights, sharesEveryJob: Bool = false, isOperator: Bool = false
    ) {
        self.user = user
        self.name = name
        self.rights = rights
        self.sharesEveryJob = sharesEveryJob
        self.isOperator = isOperator
    }

    /// The program that embeds the engine, which may do all.
    public static let program = Requester(user: nil, rights: .all, isOperator: true)

    /// Whether the job is theirs to see with name and content, and to act on.
    public func owns(_ job: Job) -> Bool { isOperator || sharesEveryJob || (user != nil && job.owner == user) }

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
