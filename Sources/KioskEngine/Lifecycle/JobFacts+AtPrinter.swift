import PrintModel

/// While the printer has it or may have it.
extension JobFacts {
    mutating func decideAtPrinter(_ event: JobEvent, _ circumstances: JobCircumstances) -> JobDecision? {
        switch (stage, event) {
        case (_, .reported(let report)) where !report.state.isFinal:
            let before = self
            stage = isWhole ? .following : .found
            note(report)
            return self == before ? .nothing : .storeSoon
        case (_, .ended(let report, let isTakenBack)):
            guard report.state.isFinal else {
                return doubt(
                    circumstances, because: "\(printerInWords) stopped telling of the job before it had ended.")
            }
            return settle(report, isTakenBack: isTakenBack, circumstances)
        case (.following, .failed(let error)):
            if FailureDecision(error) == .doubt { return doubt(circumstances, because: error.message) }
            // However the watching failed, the printer took the job: it can never be sent again for that.
            return ask(as: .unwatched, message: error.message)
        case (_, .askingFailed(let error)):
            if Self.isAnswer(error.code) { return doubt(circumstances, because: error.message) }
            return askAgain(message: error.message)
        case (_, .interrupted(let message)):
            return askAgain(message: message)
        case (.doubtful, .located(let remoteJob)), (.unwatched, .located(let remoteJob)):
            stage = isWhole ? .following : .found
            // A printer may only know that it was cancelled in the middle; that it has the job, it says when it is
            // followed.
            note(JobReport(state: .processing, evidence: .sent, remoteJob: remoteJob))
            return .follow(remoteJob)
        case (.doubtful, .notLocated):
            return goBack(
                circumstances, message: "\(printerInWords) was asked and does not have the job; it is sent again")
        case (.unwatched, .notLocated):
            // It took all of it, so that it is gone does not mean that it was not printed.
            return doubt(circumstances, because: "\(printerInWords) had taken the job and does not have it any more.")
        case (.doubtful, .cannotBeAsked(let reason)), (.unwatched, .cannotBeAsked(let reason)):
            return doubt(circumstances, because: reason)
        case (_, .cancelRequested):
            return requestCancel()
        default:
            return nil
        }
    }

    /// The transport said that the printer took the whole document.
    private var isWhole: Bool { stage == .following || stage == .unwatched }

    private var printerInWords: String { sentTo?.description ?? job.printer?.description ?? "The printer" }

    private mutating func askAgain(message: String?) -> JobDecision {
        ask(as: isWhole ? .unwatched : .doubtful, message: message)
    }

    /// The printer answers, and the answer will not get better. (Other obstacles will, when somebody acts.)
    private static func isAnswer(_ code: TransportError.Code) -> Bool {
        switch code {
        case .outcomeUnknown, .protocolViolation, .notSupported, .printerFailed, .jobRefused, .formatRefused,
            .printerNotFound,
            .accessDenied:
            true
        default: false
        }
    }

    // MARK: The printer's word

    mutating func note(_ report: JobReport) {
        job.remoteJob = report.remoteJob ?? job.remoteJob
        raiseEvidence(to: report.evidence)
        // The printer's own "pending" is our "processing": the job left our queue.
        job.state = report.state == .processingStopped ? .processingStopped : .processing
        let reasons = report.reasons.isEmpty ? [isCancelRequested ? Self.canceling : "job-printing"] : report.reasons
        job.stateReasons = isCancelRequested && !reasons.contains(Self.canceling) ? reasons + [Self.canceling] : reasons
        job.message = report.message
    }

    mutating func raiseEvidence(to evidence: Evidence) {
        job.evidence = max(job.evidence ?? evidence, evidence)
    }

    /// The printer said the last word.
    mutating func settle(_ report: JobReport, isTakenBack: Bool, _ circumstances: JobCircumstances) -> JobDecision {
        // A spooler that tells no more than that a job is gone, and agreed to cancel it, has canceled it.
        if isTakenBack, report.state == .completed, report.evidence <= .accepted { return cancel(circumstances) }
        if !isWhole {
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
