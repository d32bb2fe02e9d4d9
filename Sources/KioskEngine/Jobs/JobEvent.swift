import PrintModel

/// Something that happens to a job.
enum JobEvent: Hashable, Sendable {
    // MARK: On the way to the printer

    /// A printer is free for it.
    case routed
    /// The engine is about to send it there; stored before a byte leaves.
    case began(SavedPrinter)
    /// The printer is busy and took nothing; it is asked again soon.
    case wasBusy
    /// Document bytes are on their way.
    case tookBytes
    /// The printer has given it a name by which it can be asked for.
    case named(RemoteJob)
    /// The printer took the whole document, and says so much of it. `isTakenBack`: it had agreed to cancel it.
    case taken(JobReport, isTakenBack: Bool)
    /// The delivery, or the watching after it, failed.
    case failed(TransportError)
    /// Something of our own ended the attempt: the disk, a stop of the engine. In words, where there are any.
    case interrupted(String?)
    /// The document could not be prepared for the printer for the moment, through no fault of its own.
    case notPrepared(String)
    /// The stored document is gone, found out before anything was sent.
    case documentLost(String)
    /// No printer will ever take it: a keyword for the reason, and words.
    case unprintable(by: PrinterID?, reason: String, message: String)

    // MARK: At the printer

    /// The printer says how it does; not final.
    case reported(JobReport)
    /// The printer's last word. `isTakenBack`: it had agreed to cancel it.
    case ended(JobReport, isTakenBack: Bool)
    /// The printer was asked, and has it under this name.
    case located(RemoteJob)
    /// The printer was asked, and certainly does not have it.
    case notLocated
    /// The printer could not be asked, or does not know.
    case askingFailed(TransportError)
    /// There is nobody to ask: the printer was removed, became another, or does not come back. Why, in words.
    case cannotBeAsked(String)

    // MARK: People and time

    case cancelRequested
    /// An operator lets a held job be printed again.
    case released
    /// It is not worth printing any more.
    case expired

    /// As errors and the documentation call it.
    var name: String {
        switch self {
        case .routed: "routed"
        case .began: "began"
        case .wasBusy: "was busy"
        case .tookBytes: "took bytes"
        case .named: "named"
        case .taken: "taken"
        case .failed: "failed"
        case .interrupted: "interrupted"
        case .notPrepared: "not prepared"
        case .documentLost: "document lost"
        case .unprintable: "unprintable"
        case .reported: "reported"
        case .ended: "ended"
        case .located: "located"
        case .notLocated: "not located"
        case .askingFailed: "asking failed"
        case .cannotBeAsked: "cannot be asked"
        case .cancelRequested: "cancel requested"
        case .released: "released"
        case .expired: "expired"
        }
    }
}

/// What the engine has to do after an event.
enum JobDecision: Hashable, Sendable {
    case nothing
    /// Store the change with others, soon.
    case storeSoon
    /// Store it durably, then send the document.
    case send
    /// Send it to the same printer again, soon.
    case sendAgainSoon
    /// Put it in the queue.
    case queue
    /// This printer will never take it: put it in the queue for others, or end it as unprintable.
    case queueForOthers
    /// Watch it at the printer.
    case follow(RemoteJob)
    /// Ask the printer for it, as soon as it answers.
    case ask
    /// Stop the attempt that runs, and tell the printer.
    case stop
    /// Store it, and wait for an operator.
    case hold
    /// Store it: this is its end.
    case settle
}

/// What an event's consequences depend on besides the job itself.
struct JobCircumstances: Hashable, Sendable {
    var now: Timestamp
    /// What the job's role wants where nobody can know whether it was printed.
    var unconfirmed: Role.UnconfirmedPolicy
    /// How often a job in doubt is printed again before it is held after all.
    var maximumReprints: Int
}

/// An event that cannot happen to a job at its stage: a fault of the engine. The job is as it was.
struct IllegalTransition: Error, Hashable, Sendable, CustomStringConvertible {
    var job: Int64
    var stage: JobStage
    /// The event's name.
    var event: String

    var description: String {
        "job \(job) is \(stage.rawValue), where \"\(event)\" cannot happen; it stays as it is. This is a fault of the engine, please report it"
    }
}
