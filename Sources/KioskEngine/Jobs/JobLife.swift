import KioskPrintModel

/// The life of one job, from its acceptance to its end: a state machine without I/O.
///
/// The engine hands in what happened and carries out the decision that it returns. Nothing else changes a job's stage,
/// state, reasons or evidence: the status can be read everywhere and written here alone. `docs/delivery.md` shows the
/// whole of it.
struct JobLife: Hashable, Sendable {
    private(set) var status: JobStatus

    /// A job that is about to be accepted.
    init(accepting job: Job, isPinned: Bool) {
        status = JobStatus(job: job, isPinned: isPinned)
    }

    /// A job as it was stored.
    init(restoring status: JobStatus) { self.status = status }

    /// It may be on paper already, and nobody can be asked. What becomes of it, `cannotBeAsked` decides at once.
    mutating func begin(inDoubt reason: String) {
        status.stage = .doubtful
        status.job.state = .processing
        status.job.stateReasons = ["printer-asked-for-job"]
        status.job.message = reason
    }

    /// The number that the queue gave it when it was stored.
    mutating func number(_ id: Int64) { status.job.id = id }

    /// The numbers of the jobs that were stored with it, and its own.
    mutating func join(_ group: [Int64]) { status.job.group = group }

    /// What its printer lacks, said once.
    mutating func remark(_ remarks: [String]) {
        let known = status.job.remarks ?? []
        let new = remarks.filter { !known.contains($0) }
        if !new.isEmpty { status.job.remarks = known + new }
    }

    /// How many pages will come out, where that is known.
    mutating func notePages(_ pages: Int?) { status.job.pages = pages ?? status.job.pages }

    /// The machine's clock was set: the job's times are told in the new time, and it keeps the time that it had left.
    mutating func clockMoved(by duration: Duration) {
        status.job.createdAt = status.job.createdAt.advanced(by: duration)
        status.job.processingAt = status.job.processingAt?.advanced(by: duration)
        status.job.expiresAt = status.job.expiresAt.advanced(by: duration)
        status.sentAt = status.sentAt?.advanced(by: duration)
        status.notBefore = status.notBefore?.advanced(by: duration)
    }

    /// It is printed again, and not before this.
    mutating func pause(until end: Timestamp) { status.notBefore = end }

    /// The clock cannot say when it was sent: nothing that a printer tells of times may prove anything about it.
    mutating func forgetWhenSent() { status.sentAt = nil }

    /// Says what happened; returns what is to be done now. After an error the life is as it was.
    mutating func handle(_ event: JobEvent, in circumstances: JobCircumstances) throws(IllegalTransition) -> JobDecision
    {
        var next = status
        guard let decision = next.decide(after: event, in: circumstances) else {
            throw IllegalTransition(job: status.job.id, stage: status.stage, event: event.name)
        }
        status = next
        return decision
    }
}

/// How far a job has come. A new start cannot know more than was stored, so each stage says what becomes of it then.
enum JobStage: String, Hashable, Sendable, CaseIterable {
    /// Accepted: on disk, and on no printer.
    case waiting
    /// It has a printer, and nothing was begun there.
    case routed
    /// "A byte may reach paper from now on" is on disk; nothing is known to have left yet.
    case contacting
    /// The printer accepts document bytes: they are on their way.
    case sending
    /// The printer took the whole document and is watched.
    case following
    /// Sending broke off: the printer may have none, a part or all of it, and is asked.
    case doubtful
    /// The printer was asked and has it, perhaps cut off; it is watched.
    case found
    /// The printer took the whole document, and the watching broke off; it is asked.
    case unwatched
    /// Its fate is unknown, and an operator decides.
    case held
    /// Final.
    case done

    /// No attempt runs, or one that only asks: the printer may have the job.
    var isInDoubt: Bool { self == .doubtful || self == .unwatched }

    /// The transport said that the printer took the whole document.
    var isWhole: Bool { self == .following || self == .unwatched }

    /// The transport's `deliver` is at work.
    var isOnItsWay: Bool { self == .contacting || self == .sending }

    /// The printer may be asked about the job, or watched with it.
    var isAtPrinter: Bool {
        switch self {
        case .following, .doubtful, .found, .unwatched: true
        case .waiting, .routed, .contacting, .sending, .held, .done: false
        }
    }

    /// What is stored of it: what a new start has to do about the job. The numbers stand in databases.
    enum Stored: Int, Sendable, CaseIterable {
        /// No byte can have reached paper: send.
        case waiting = 0
        /// Sending was begun, and perhaps cut off: ask the printer whether it has the job.
        case sending = 1
        /// The printer took all of it: follow it.
        case following = 2
        /// Wait for the operator.
        case held = 3
        /// Nothing.
        case done = 4

        /// Where a job stands after a new start.
        var atStart: JobStage {
            switch self {
            case .waiting: .waiting
            case .sending: .doubtful
            case .following: .unwatched
            case .held: .held
            case .done: .done
            }
        }
    }

    var stored: Stored {
        switch self {
        case .waiting, .routed: .waiting
        // A cut job that was found stays a cut job after a restart.
        case .contacting, .sending, .doubtful, .found: .sending
        case .following, .unwatched: .following
        case .held: .held
        case .done: .done
        }
    }
}

/// Something that happens to a job.
enum JobEvent: Hashable, Sendable {
    // MARK: On the way to the printer

    /// A printer is free for it.
    case routed
    /// The engine is about to send it there; stored before a byte leaves. `sendsDocumentPerCopy`: whether the document
    /// is sent once for each copy.
    case began(SavedPrinter, sendsDocumentPerCopy: Bool = false)
    /// The printer is busy and accepted nothing; it is asked again soon. In words, where that takes a while.
    case wasBusy(String?)
    /// The printer accepts document bytes: they are on their way.
    case acceptedBytes
    /// The printer has given it a name by which it can be asked for.
    case named(RemoteJob)
    /// The printer took the whole document, and says so much of it. `isCancelAgreed`: it had agreed to cancel it.
    case accepted(JobReport, isCancelAgreed: Bool)
    /// The delivery, or the watching after it, failed.
    case failed(TransportError)
    /// The printer gave it up over its format, with nothing of it on paper, and takes it in another. In words.
    case formatRejected(String)
    /// Something of our own ended the attempt: the disk, a stop of the engine. In words, where there are any.
    case interrupted(String?)
    /// The document could not be prepared for the printer for the moment, through no fault of its own.
    case notPrepared(String)
    /// The stored document is gone, found out before anything was sent.
    case documentLost(String)
    /// The document cannot be rendered to its end, on whatever printer. In words, with the pages that may be on paper.
    case renderingFailed(String, bytesSent: Int64)
    /// No printer will ever take it: a keyword for the reason, and words.
    case unprintable(by: PrinterID?, reason: String, message: String)

    // MARK: At the printer

    /// The printer says how it does; not final.
    case reported(JobReport)
    /// The printer's last word. `isCancelAgreed`: it had agreed to cancel it.
    case ended(JobReport, isCancelAgreed: Bool)
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
    /// An operator lets a held job be printed again. With the person's name, where it is known.
    case released(by: String? = nil)
    /// Somebody has seen a held job on paper. With the person's name, where it is known.
    case confirmed(by: String? = nil)
    /// It is not worth printing any more.
    case expired

    /// The event's name in errors and in the documentation.
    var name: String {
        switch self {
        case .routed: "routed"
        case .began: "began"
        case .wasBusy: "was busy"
        case .acceptedBytes: "accepted bytes"
        case .named: "named"
        case .accepted: "accepted"
        case .failed: "failed"
        case .formatRejected: "format rejected"
        case .interrupted: "interrupted"
        case .notPrepared: "not prepared"
        case .documentLost: "document lost"
        case .renderingFailed: "rendering failed"
        case .unprintable: "unprintable"
        case .reported: "reported"
        case .ended: "ended"
        case .located: "located"
        case .notLocated: "not located"
        case .askingFailed: "asking failed"
        case .cannotBeAsked: "cannot be asked"
        case .cancelRequested: "cancel requested"
        case .released: "released"
        case .confirmed: "confirmed"
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
    /// Put it in the queue after a pause, which grows with its reprints: whoever stands at the printer can look.
    case queueLater
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
