import KioskPrintModel

/// The whole status of a job: the `Job` that everybody sees and what only its life needs, with the transitions that
/// `JobLife` makes.
struct JobStatus: Hashable, Sendable {
    var job: Job
    var stage = JobStage.waiting
    /// Sent to one printer and no other.
    let isPinned: Bool
    /// How often it was printed again because its fate was unknown.
    var reprints = 0
    /// The end of its pause before it is printed again; nil where it waits for none.
    var notBefore: Timestamp?
    /// When the present attempt began to send; for the question whether a printer's history proves anything.
    var sentAt: Timestamp?
    /// The device that the present attempt went to: a printer's URL may change under its id.
    var sentTo: PrinterURL?
    /// The printer is to stop it, as soon as it can be told.
    var isCancelRequested = false
    /// The copies that the engine made by sending the document once for each; nil as long as the printer makes them, or
    /// the document holds them.
    var copiesMade: CopiesMade?

    init(job: Job, isPinned: Bool) {
        self.job = job
        self.isPinned = isPinned
    }

    /// Nil where the event cannot happen at this stage; the status is worth nothing then.
    mutating func decide(after event: JobEvent, in circumstances: JobCircumstances) -> JobDecision? {
        switch stage {
        case .waiting, .held: decideAtRest(event, circumstances)
        case .routed, .contacting, .sending: decideOnItsWay(event, circumstances)
        case .following, .found, .doubtful, .unwatched: decideAtPrinter(event, circumstances)
        case .done: nil
        }
    }

    // MARK: Ends

    private mutating func end(
        as state: JobState, _ reasons: [String], _ message: String?, at now: Timestamp
    ) -> JobDecision {
        stage = .done
        job.state = state
        job.stateReasons = reasons
        job.message = state == .completed ? message : withCopies(message)
        job.completedAt = now
        // Nobody needs its secrets any more.
        job.ticket = job.ticket.withoutSecrets
        return .settle
    }

    private mutating func cancel(_ circumstances: JobCircumstances, message: String? = nil) -> JobDecision {
        end(as: .canceled, ["job-canceled-by-user"], message, at: circumstances.now)
    }

    private mutating func expire(_ circumstances: JobCircumstances) -> JobDecision {
        let reason = job.message.map { " (\($0))" } ?? ""
        let message =
            job.isUnconfirmed
            ? "whether it was printed cannot be known, and it was no longer worth printing before it could be printed again"
            : "no printer could print it while it was worth printing\(reason)"
        return end(as: .canceled, ["job-expired"], message, at: circumstances.now)
    }

    /// The message with the number of copies that were made before the job ended otherwise; no more is certain.
    private func withCopies(_ message: String?) -> String? {
        guard let made = copiesMade?.count, made > 0, let copies = job.ticket.copies else { return message }
        let count = "\(made) of \(copies) copies \(made == 1 ? "was" : "were") made before"
        return message.map { "\($0) (\(count))" } ?? count
    }

    /// Whether one copy more was made, and others are left.
    private mutating func nextCopy(after report: JobReport, _ circumstances: JobCircumstances) -> JobDecision? {
        guard var made = copiesMade, let copies = job.ticket.copies else { return nil }
        made.add(report.evidence)
        copiesMade = made
        guard made.count < copies else {
            // All of them: no copy proves more than the least proven one.
            job.evidence = made.evidence
            return nil
        }
        if isCancelRequested { return cancel(circumstances) }
        guard job.expiresAt > circumstances.now else {
            return end(as: .canceled, ["job-expired"], "it was no longer worth printing", at: circumstances.now)
        }
        return goBack(
            circumstances, message: "\(made.count) of \(copies) copies \(made.count == 1 ? "is" : "are") made")
    }

    // MARK: Ways back

    /// Nothing of it is on paper, or it is to be printed again: it waits in its old place, unless nobody wants it any
    /// more.
    private mutating func goBack(_ circumstances: JobCircumstances, message: String?) -> JobDecision {
        if isCancelRequested { return cancel(circumstances) }
        job.message = message
        if job.expiresAt <= circumstances.now { return expire(circumstances) }
        wait(for: ["job-incoming-retry"])
        return .queue
    }

    private mutating func wait(for reasons: [String]) {
        stage = .waiting
        notBefore = nil
        sentAt = nil
        sentTo = nil
        job.state = .pending
        job.stateReasons = reasons
        job.bytesSent = 0
        job.remoteJob = nil
        if !isPinned { job.printer = nil }
    }

    /// The printer may have it: it is asked, and nothing is sent before it has answered.
    private mutating func ask(as stage: JobStage, message: String?) -> JobDecision {
        self.stage = stage
        job.stateReasons = ["printer-asked-for-job"]
        job.message = message
        return .ask
    }

    /// Nobody can tell whether it was printed: the role's policy decides, and the job says so from now on.
    ///
    /// `isUnanswerable`: nobody could tell after another attempt either, so one more is the most that is made.
    private mutating func doubt(
        _ circumstances: JobCircumstances, because reason: String, isUnanswerable: Bool = false
    ) -> JobDecision {
        job.isUnconfirmed = true
        let message = "\(Self.sentence(reason)) Whether the job was printed cannot be known."
        if isCancelRequested {
            return end(
                as: .aborted, ["unconfirmed"], "\(message) It was to be canceled, and is not printed again.",
                at: circumstances.now)
        }
        switch circumstances.unconfirmed {
        case .reprint where reprints < min(circumstances.maximumReprints, isUnanswerable ? 1 : .max):
            reprints += 1
            let decision = goBack(circumstances, message: "\(message) It is printed again, as the role asks.")
            return decision == .queue ? .queueLater : decision
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

/// While nothing is done with it: in the queue, or held.
extension JobStatus {
    private mutating func decideAtRest(_ event: JobEvent, _ circumstances: JobCircumstances) -> JobDecision? {
        switch (stage, event) {
        case (.waiting, .routed):
            stage = .routed
            return .nothing
        case (.waiting, .unprintable(let printer, let reason, let message)):
            job.printer = job.printer ?? printer
            return end(as: .aborted, [reason], message, at: circumstances.now)
        case (.waiting, .expired):
            return expire(circumstances)
        case (.waiting, .cancelRequested), (.held, .cancelRequested):
            return cancel(circumstances)
        case (.held, .released(let name)):
            reprints = 0
            wait(for: [])
            job.message = name.map { "\($0) had it printed again." }
            // The operator wants it now, whatever its first expiry said.
            job.expiresAt = max(job.expiresAt, circumstances.now.advanced(bySeconds: Self.expiryAfterRelease))
            return .queue
        case (.held, .confirmed(let name)):
            // The doubt stays on record, and so does the printer's evidence: a person's word is neither.
            return end(
                as: .completed, Self.finalReasons(of: .completed),
                "\(name ?? "Somebody") said that it came out; the printer never confirmed it.", at: circumstances.now)
        default:
            return nil
        }
    }

    /// How long a job that was released may wait for a printer, in seconds.
    private static let expiryAfterRelease = 600
}

/// While the engine brings it to a printer.
extension JobStatus {
    private mutating func decideOnItsWay(_ event: JobEvent, _ circumstances: JobCircumstances) -> JobDecision? {
        switch (stage, event) {
        case (.routed, .began(let printer, let sendsDocumentPerCopy)):
            // What waited for a printer all night is not printed in the morning.
            if job.expiresAt <= circumstances.now { return expire(circumstances) }
            // Once begun, it goes on so, also where another printer makes the rest: what is asked for after a crash is
            // always one copy.
            if sendsDocumentPerCopy, copiesMade == nil { copiesMade = CopiesMade() }
            begin(on: printer, at: circumstances.now)
            return .send
        case (.routed, .cancelRequested):
            return cancel(circumstances)
        case (.routed, .interrupted(let message)), (.contacting, .interrupted(let message)):
            return goBack(circumstances, message: message)
        case (.contacting, .notPrepared(let message)):
            let decision = goBack(circumstances, message: message)
            if decision == .queue {
                job.stateReasons = [Self.unprepared]
                // Sending was not begun after all.
                job.attempts -= 1
            }
            return decision
        case (.sending, .interrupted(let message)):
            return ask(as: .doubtful, message: message)
        case (.contacting, .renderingFailed(let message, let bytesSent)),
            (.sending, .renderingFailed(let message, let bytesSent)):
            if isCancelRequested { return cancel(circumstances) }
            job.bytesSent = bytesSent
            return end(as: .aborted, [Self.unprintable], message, at: circumstances.now)
        case (.contacting, .documentLost(let message)):
            return end(as: .aborted, ["document-access-error"], message, at: circumstances.now)
        case (.routed, _):
            return nil
        case (_, .wasBusy(let message)):
            stage = .contacting
            job.remoteJob = nil
            job.message = message
            return .sendAgainSoon
        case (_, .acceptedBytes):
            stage = .sending
            job.message = nil
            return .nothing
        case (_, .named(let remoteJob)):
            guard job.remoteJob != remoteJob else { return .nothing }
            job.remoteJob = remoteJob
            return .storeSoon
        case (_, .accepted(let report, let isCancelAgreed)):
            return accept(report, isCancelAgreed: isCancelAgreed, circumstances)
        case (_, .failed(let error)):
            return fail(error, circumstances)
        case (_, .cancelRequested):
            return requestCancel()
        default:
            return nil
        }
    }

    /// Puts down that a byte may reach this printer's paper from now on.
    private mutating func begin(on printer: SavedPrinter, at now: Timestamp) {
        stage = .contacting
        notBefore = nil
        sentAt = now
        sentTo = printer.url
        job.printer = printer.id
        job.state = .processing
        job.stateReasons = ["job-outgoing"]
        job.message = nil
        job.attempts += 1
        job.bytesSent = 0
        job.remoteJob = nil
        // What an earlier attempt proved says nothing of this one.
        job.evidence = nil
        if job.processingAt == nil { job.processingAt = now }
    }

    private mutating func accept(
        _ report: JobReport, isCancelAgreed: Bool, _ circumstances: JobCircumstances
    ) -> JobDecision {
        stage = .following
        job.bytesSent = job.documentLength
        // A transport that cannot follow says its most at once.
        guard !report.state.isFinal, let remoteJob = report.remoteJob else {
            return settle(report, isCancelAgreed: isCancelAgreed, circumstances)
        }
        note(report)
        return .follow(remoteJob)
    }

    private mutating func fail(_ error: TransportError, _ circumstances: JobCircumstances) -> JobDecision {
        job.bytesSent = error.bytesAccepted
        // All of it left us, whatever became of it.
        if error.bytesAccepted >= job.documentLength { raiseEvidence(to: .sent) }
        switch FailureDecision(error) {
        case .retrySoon, .passOver:
            return goBack(circumstances, message: error.message)
        case .refused:
            let decision = goBack(circumstances, message: error.message)
            return decision == .queue ? .queueForOthers : decision
        case .ask:
            return ask(as: .doubtful, message: error.message)
        case .follow(let remoteJob):
            job.remoteJob = remoteJob
            return ask(as: .doubtful, message: error.message)
        case .abort:
            if isCancelRequested { return cancel(circumstances) }
            return end(as: .aborted, ["document-access-error"], error.message, at: circumstances.now)
        case .doubt:
            return doubt(circumstances, because: error.message, isUnanswerable: error.isUnanswerable)
        }
    }

    private mutating func requestCancel() -> JobDecision {
        isCancelRequested = true
        job.stateReasons = [Self.canceling]
        return .stop
    }

    /// RFC 8011 §5.3.8's words.
    private static let unprepared = "resources-are-not-ready"
    private static let unprintable = "document-unprintable-error"
    private static let canceling = "processing-to-stop-point"
}

/// While the printer has it or may have it.
extension JobStatus {
    private mutating func decideAtPrinter(_ event: JobEvent, _ circumstances: JobCircumstances) -> JobDecision? {
        switch (stage, event) {
        case (_, .reported(let report)) where !report.state.isFinal:
            let before = self
            stage = stage.isWhole ? .following : .found
            note(report)
            return self == before ? .nothing : .storeSoon
        case (.following, .formatRejected(let message)):
            return goBack(circumstances, message: message)
        case (_, .ended(let report, let isCancelAgreed)):
            guard report.state.isFinal else {
                return doubt(
                    circumstances, because: "\(printerInWords) stopped telling of the job before it had ended.")
            }
            return settle(report, isCancelAgreed: isCancelAgreed, circumstances)
        case (.following, .failed(let error)):
            if FailureDecision(error) == .doubt {
                return doubt(circumstances, because: error.message, isUnanswerable: error.isUnanswerable)
            }
            // However the watching failed, the printer took the job: it can never be sent again for that.
            return ask(as: .unwatched, message: error.message)
        case (_, .askingFailed(let error)):
            if Self.isFinalResponse(error.code) {
                let isUnanswerable = error.isUnanswerable || error.code != .outcomeUnknown
                return doubt(circumstances, because: error.message, isUnanswerable: isUnanswerable)
            }
            return askAgain(message: error.message)
        case (_, .interrupted(let message)):
            return askAgain(message: message)
        case (.doubtful, .located(let remoteJob)), (.unwatched, .located(let remoteJob)):
            stage = stage.isWhole ? .following : .found
            // A printer may only know that it was cancelled in the middle; that it has the job, it says when it is
            // followed.
            note(JobReport(state: .processing, evidence: .sent, remoteJob: remoteJob))
            return .follow(remoteJob)
        case (.doubtful, .notLocated):
            return goBack(
                circumstances, message: "\(printerInWords) was asked and does not have the job; it is sent again")
        case (.unwatched, .notLocated):
            // It accepted all of it, so that it is gone does not mean that it was not printed.
            return doubt(
                circumstances, because: "\(printerInWords) had accepted the job and does not have it any more.")
        case (.doubtful, .cannotBeAsked(let reason)), (.unwatched, .cannotBeAsked(let reason)):
            return doubt(circumstances, because: reason, isUnanswerable: true)
        case (_, .cancelRequested):
            return requestCancel()
        default:
            return nil
        }
    }

    private var printerInWords: String { sentTo?.description ?? job.printer?.description ?? "The printer" }

    private mutating func askAgain(message: String?) -> JobDecision {
        ask(as: stage.isWhole ? .unwatched : .doubtful, message: message)
    }

    /// The printer responds, and the response will not get better. (Other obstacles will, when somebody acts.)
    private static func isFinalResponse(_ code: TransportError.Code) -> Bool {
        switch code {
        case .outcomeUnknown, .protocolViolation, .notSupported, .printerFailed, .jobRefused, .formatRefused,
            .printerNotFound,
            .accessDenied:
            true
        default: false
        }
    }

    // MARK: The printer's word

    private mutating func note(_ report: JobReport) {
        job.remoteJob = report.remoteJob ?? job.remoteJob
        raiseEvidence(to: report.evidence)
        // The printer's own "pending" is our "processing": the job left our queue.
        job.state = report.state == .processingStopped ? .processingStopped : .processing
        let reasons = report.reasons.isEmpty ? [isCancelRequested ? Self.canceling : "job-printing"] : report.reasons
        job.stateReasons = isCancelRequested && !reasons.contains(Self.canceling) ? reasons + [Self.canceling] : reasons
        job.message = report.message
    }

    private mutating func raiseEvidence(to evidence: Evidence) {
        job.evidence = max(job.evidence ?? evidence, evidence)
    }

    /// The printer said the last word.
    private mutating func settle(
        _ report: JobReport, isCancelAgreed: Bool, _ circumstances: JobCircumstances
    ) -> JobDecision {
        // A spooler that tells no more than that a job is gone, and agreed to cancel it, has canceled it.
        if isCancelAgreed, report.state == .completed, report.evidence <= .accepted { return cancel(circumstances) }
        if !stage.isWhole {
            if isCancelRequested, report.state == .completed, isKnownShort {
                return cancel(
                    circumstances, message: "It was canceled while it was sent; a part of it may be on paper.")
            }
            if !isCancelRequested, let doubt = doubtAboutCut(report) {
                return self.doubt(circumstances, because: doubt)
            }
        }
        let state = report.state.isFinal ? report.state : .completed
        raiseEvidence(to: report.evidence)
        job.remoteJob = report.remoteJob ?? job.remoteJob
        if state == .completed, let decision = nextCopy(after: report, circumstances) { return decision }
        var message = report.message
        if state == .aborted, message == nil, let printer = job.printer {
            message = "\(printer) gave the job up; look at the paper and the printer, then print it again"
        }
        return end(
            as: state, report.reasons.isEmpty ? Self.finalReasons(of: state) : report.reasons, message,
            at: circumstances.now)
    }

    /// Why the end of a job whose sending was cut off proves nothing; nil where it does.
    private func doubtAboutCut(_ report: JobReport) -> String? {
        // A printer of raster prints the pages that it has, and calls that completed.
        if report.state == .completed, job.pages != nil, job.bytesSent < job.documentLength {
            return
                "The job was cut off while it was sent page by page; the printer ended what it had of it as completed."
        }
        guard report.state == .aborted || report.state == .canceled || isKnownShort else { return nil }
        return "The connection broke while the job was sent, and the printer ended it as \(report.state.rawValue)."
    }

    /// The printer has less than the whole, as far as the transport could tell when the connection broke.
    private var isKnownShort: Bool { job.bytesSent > 0 && job.bytesSent < job.documentLength }

    /// RFC 8011 §5.3.8's words, for a printer that gave none.
    private static func finalReasons(of state: JobState) -> [String] {
        switch state {
        case .completed: ["job-completed-successfully"]
        case .canceled: ["job-canceled-at-device"]
        default: ["aborted-by-system"]
        }
    }
}

/// Copies that were made one by one, each by a job of its own at the printer.
struct CopiesMade: Hashable, Sendable {
    /// The number of copies that have ended.
    private(set) var count = 0
    /// The weakest evidence among them; nil before the first.
    private(set) var evidence: Evidence?

    /// None yet.
    init() {}

    /// Reads `text`; nil for anything else.
    init?(_ text: String) {
        let (number, word) = text.splitOnce(at: " ")
        guard let count = Int(number), (0...999).contains(count) else { return nil }
        let evidence = word.flatMap { Evidence(rawValue: String($0)) }
        guard (count == 0) == (evidence == nil), word == nil || evidence != nil else { return nil }
        (self.count, self.evidence) = (count, evidence)
    }

    /// `2 accepted`, as it is stored.
    var text: String { evidence.map { "\(count) \($0.rawValue)" } ?? "\(count)" }

    mutating func add(_ evidence: Evidence) {
        count += 1
        self.evidence = min(self.evidence ?? evidence, evidence)
    }
}
