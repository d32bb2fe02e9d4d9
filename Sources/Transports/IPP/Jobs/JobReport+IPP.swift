import IPPCodec
import PrintModel

extension JobReport {
    /// What is asked of a job.
    static let requestedAttributes =
        ["job-name", "job-state", "job-state-reasons", "job-state-message", "number-of-documents"] + progress
    /// How much of a job came to the printer and to paper.
    private static let progress = [
        "job-k-octets", "job-k-octets-processed", "job-impressions-completed", "job-media-sheets-completed",
    ]

    /// From a job's attributes; nil when they hold no job state.
    init?(_ attributes: IPPGroup, job: RemoteJob?) {
        guard let number = attributes["job-state"]?.integer, let state = JobState(ippEnum: number) else { return nil }
        let reasons =
            attributes["job-state-reasons"]?.strings.prefix(32).map(\.cleaned).filter { $0 != "none" && !$0.isEmpty }
            ?? []
        let message = attributes["job-state-message"]?.string?.cleaned
        let hasGotNothing = Self.progress.allSatisfy { (attributes[$0]?.integer ?? 0) == 0 }
        if state == .completed, attributes["number-of-documents"]?.integer == 0, hasGotNothing {
            // A job that was created and got no document, since whoever made it was cut off: the printer closes it
            // after a while, and calls that completed (RFC 8011 §5.3.7.1, multiple-operation-time-out-action). CUPS
            // counts no documents either once it has removed the files of a job that it printed, and still has the
            // job's size.
            self.init(
                state: .aborted, reasons: reasons.contains(Self.interrupted) ? reasons : reasons + [Self.interrupted],
                evidence: .sent,
                remoteJob: job,
                message: "the printer closed the job without a document, so that nothing of it was printed")
            return
        }
        self.init(
            state: state, reasons: reasons, evidence: Self.evidence(of: state, reasons: reasons), remoteJob: job,
            message: message.flatMap { $0.isEmpty ? nil : $0 }
        )
    }

    /// RFC 8011 §5.3.8's word for a job that was not submitted whole.
    private static let interrupted = "submission-interrupted"

    /// What a state proves. `completed` means that all media sheets came out (RFC 8011 §5.3.7: "…and all of the job
    /// media sheets have been successfully stacked in the appropriate output bin"), unless the reasons (§5.3.8) weaken
    /// it: `queued-in-device` is a spooler that passed the job on and looks no further, `job-completed-with-errors` a
    /// printer that worked through the data but not all of it to paper.
    static func evidence(of state: JobState, reasons: [String]) -> Evidence {
        guard state == .completed else { return .accepted }
        if reasons.contains("queued-in-device") { return .accepted }
        return reasons.contains("job-completed-with-errors") ? .processed : .printed
    }
}

extension JobState {
    /// RFC 8011 §5.3.7.
    init?(ippEnum number: Int32) {
        switch number {
        case 3: self = .pending
        case 4: self = .pendingHeld
        case 5: self = .processing
        case 6: self = .processingStopped
        case 7: self = .canceled
        case 8: self = .aborted
        case 9: self = .completed
        default: return nil
        }
    }
}
