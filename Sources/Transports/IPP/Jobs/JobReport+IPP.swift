import IPPCodec
import PrintModel

extension JobReport {
    /// The attributes to request of a job.
    static let requestedAttributes =
        ["job-name", "job-state", "job-state-reasons", "job-state-message", "number-of-documents"] + progress
    /// The attributes that count how much of a job reached the printer and the paper.
    private static let progress = [
        "job-k-octets", "job-k-octets-processed", "job-impressions-completed", "job-media-sheets-completed",
    ]

    /// Reads a job's attributes; nil where they hold no job state.
    init?(_ attributes: IPPGroup, job: RemoteJob?) {
        guard let number = attributes["job-state"]?.integer, let state = JobState(ippEnum: number) else { return nil }
        let reasons =
            attributes["job-state-reasons"]?.strings.prefix(32).map(\.cleaned).filter { $0 != "none" && !$0.isEmpty }
            ?? []
        let message = attributes["job-state-message"]?.string?.cleaned
        let receivedNothing = Self.progress.allSatisfy { (attributes[$0]?.integer ?? 0) == 0 }
        if state == .completed, attributes["number-of-documents"]?.integer == 0, receivedNothing {
            // A job that was created and never got a document, since its client was cut off: the printer closes it
            // after a while, and calls that completed (RFC 8011 §5.3.7.1, multiple-operation-time-out-action). CUPS
            // also counts no documents once it has removed the files of a job that it printed, but still has the job's
            // size.
            self.init(
                state: .aborted, reasons: reasons.contains(Self.interrupted) ? reasons : reasons + [Self.interrupted],
                evidence: .sent,
                remoteJob: job,
                message: "the printer closed the job without a document, so nothing of it was printed")
            return
        }
        self.init(
            state: state, reasons: reasons, evidence: Self.evidence(of: state, reasons: reasons), remoteJob: job,
            message: message.flatMap { $0.isEmpty ? nil : $0 }
        )
    }

    /// RFC 8011 §5.3.8: the job was not submitted completely.
    private static let interrupted = "submission-interrupted"

    /// What a state proves. `completed` means that all media sheets came out (RFC 8011 §5.3.7: "…and all of the job
    /// media sheets have been successfully stacked in the appropriate output bin"), unless the reasons (§5.3.8) weaken
    /// it: `queued-in-device` means a spooler that passed the job on and knows no more, `job-completed-with-errors` a
    /// printer that worked through the data but put not all of it on paper.
    static func evidence(of state: JobState, reasons: [String]) -> Evidence {
        guard state == .completed else { return .accepted }
        if reasons.contains("queued-in-device") { return .accepted }
        return reasons.contains("job-completed-with-errors") ? .processed : .printed
    }
}

extension JobState {
    /// RFC 8011 §5.3.7.
    fileprivate init?(ippEnum number: Int32) {
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
