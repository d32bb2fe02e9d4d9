import PrintModel

/// While the engine brings it to a printer.
extension JobFacts {
    mutating func decideOnItsWay(_ event: JobEvent, _ circumstances: JobCircumstances) -> JobDecision? {
        switch (stage, event) {
        case (.routed, .began(let printer)):
            // What waited for a printer all night is not printed in the morning.
            if job.expiresAt <= circumstances.now { return expire(circumstances) }
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
        case (.contacting, .documentLost(let message)):
            return end(as: .aborted, ["document-access-error"], message, at: circumstances.now)
        case (.routed, _):
            return nil
        case (_, .wasBusy):
            stage = .contacting
            job.remoteJob = nil
            return .sendAgainSoon
        case (_, .tookBytes):
            stage = .sending
            return .nothing
        case (_, .named(let remoteJob)):
            guard job.remoteJob != remoteJob else { return .nothing }
            job.remoteJob = remoteJob
            return .storeSoon
        case (_, .taken(let report, let isTakenBack)):
            return take(report, isTakenBack: isTakenBack, circumstances)
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

    private mutating func take(_ report: JobReport, isTakenBack: Bool, _ circumstances: JobCircumstances) -> JobDecision
    {
        stage = .following
        job.bytesSent = job.documentLength
        // A transport that cannot follow says its most at once.
        guard !report.state.isFinal, let remoteJob = report.remoteJob else {
            return settle(report, isTakenBack: isTakenBack, circumstances)
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
            return doubt(circumstances, because: error.message)
        }
    }

    mutating func requestCancel() -> JobDecision {
        isCancelRequested = true
        job.stateReasons = [Self.canceling]
        return .stop
    }

    /// RFC 8011 §5.3.8's words.
    private static let unprepared = "resources-are-not-ready"
    static let canceling = "processing-to-stop-point"
}
