import PrintModel

/// What is known of a job: what everyone sees, and what only its life needs.
struct JobFacts: Hashable, Sendable {
    var job: Job
    var stage = JobStage.waiting
    /// Sent to one printer and no other.
    let isPinned: Bool
    /// How often it was printed again because its fate was unknown.
    var reprints = 0
    /// When the present attempt began to send; for the question whether a printer's history proves anything.
    var sentAt: Timestamp?
    /// The device that the present attempt went to: a printer's URL may change under its id.
    var sentTo: PrinterURL?
    /// The printer is to stop it, as soon as it can be told.
    var isCancelRequested = false

    init(job: Job, isPinned: Bool) {
        self.job = job
        self.isPinned = isPinned
    }

    /// Nil where the event cannot happen at this stage; the facts are worth nothing then.
    mutating func decide(after event: JobEvent, in circumstances: JobCircumstances) -> JobDecision? {
        switch stage {
        case .waiting, .held: decideAtRest(event, circumstances)
        case .routed, .contacting, .sending: decideOnItsWay(event, circumstances)
        case .following, .found, .doubtful, .unwatched: decideAtPrinter(event, circumstances)
        case .done: nil
        }
    }

    // MARK: Ends

    mutating func end(as state: JobState, _ reasons: [String], _ message: String?, at now: Timestamp) -> JobDecision {
        stage = .done
        job.state = state
        job.stateReasons = reasons
        job.message = message
        job.completedAt = now
        return .settle
    }

    mutating func cancel(_ circumstances: JobCircumstances, message: String? = nil) -> JobDecision {
        end(as: .canceled, ["job-canceled-by-user"], message, at: circumstances.now)
    }

    mutating func expire(_ circumstances: JobCircumstances) -> JobDecision {
        let reason = job.message.map { " (\($0))" } ?? ""
        let message =
            job.isUnconfirmed
            ? "whether it was printed cannot be known, and it was no longer worth printing before it could be printed again"
            : "no printer could print it while it was worth printing\(reason)"
        return end(as: .canceled, ["job-expired"], message, at: circumstances.now)
    }

    // MARK: Ways back

    /// Nothing of it is on paper, or it is to be printed again: it waits in its old place, unless nobody wants it any
    /// more.
    mutating func goBack(_ circumstances: JobCircumstances, message: String?) -> JobDecision {
        if isCancelRequested { return cancel(circumstances) }
        job.message = message
        if job.expiresAt <= circumstances.now { return expire(circumstances) }
        wait(for: ["job-incoming-retry"])
        return .queue
    }

    mutating func wait(for reasons: [String]) {
        stage = .waiting
        sentAt = nil
        sentTo = nil
        job.state = .pending
        job.stateReasons = reasons
        job.bytesSent = 0
        job.remoteJob = nil
        if !isPinned { job.printer = nil }
    }

    /// The printer may have it: it is asked, and nothing is sent before it has answered.
    mutating func ask(as stage: JobStage, message: String?) -> JobDecision {
        self.stage = stage
        job.stateReasons = ["printer-asked-for-job"]
        job.message = message
        return .ask
    }

    /// Nobody can tell whether it was printed: the role's policy decides, and the job says so from now on.
    mutating func doubt(_ circumstances: JobCircumstances, because reason: String) -> JobDecision {
        job.isUnconfirmed = true
        let message = "\(Self.sentence(reason)) Whether the job was printed cannot be known."
        if isCancelRequested {
            return end(
                as: .aborted, ["unconfirmed"], "\(message) It was to be canceled, and is not printed again.",
                at: circumstances.now)
        }
        switch circumstances.unconfirmed {
        case .reprint where reprints < circumstances.maximumReprints:
            reprints += 1
            return goBack(circumstances, message: "\(message) It is printed again, as the role asks.")
        case .drop:
            return end(
                as: .aborted, ["unconfirmed"], "\(message) It is not printed again, as the role asks.",
                at: circumstances.now)
        case .hold, .reprint:
            stage = .held
            job.state = .pendingHeld
            job.stateReasons = ["unconfirmed"]
            job.message = "\(message) Look at the paper, then release it (prints again) or cancel it."
            return .hold
        }
    }

    /// What a transport says ends as it likes.
    private static func sentence(_ words: String) -> String {
        words.last.map { ".!?".contains($0) } ?? true ? words : "\(words)."
    }
}
