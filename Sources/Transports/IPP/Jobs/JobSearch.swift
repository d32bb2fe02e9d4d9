import IPPCodec
import PrintModel

/// Looks through a printer's job lists for one of ours, and judges what its absence proves. No I/O.
///
/// Absence is proof only where the printer has been on since before the job was sent, and its history reaches back as
/// far: a history that still holds an older job would hold ours, since the oldest go first.
struct JobSearch {
    enum Verdict: Equatable {
        case found(RemoteJob)
        case absent
        /// The rest of a sentence that says why.
        case unknown(String)
    }

    static let requestedAttributes = ["job-id", "job-name", "job-state", "time-at-creation"]

    /// Clocks of printers count whole seconds.
    private static let slack: Int64 = 2

    let jobID: String
    /// The seconds between the first sending and now; nil where that is not known.
    let secondsSinceSent: Int64?
    /// The printer's `printer-up-time` now (RFC 8011 §5.4.29), in which its jobs' times are counted.
    let upTime: Int64?

    func judge(waiting: [IPPGroup], ended: [IPPGroup]) -> Verdict {
        for job in waiting + ended where job["job-name"]?.strings.contains(where: isOurs) == true {
            if let id = job["job-id"]?.integer, id > 0 { return .found(RemoteJob(identifier: "\(id)")) }
        }
        guard let secondsSinceSent else { return .unknown("it is not known when the job was sent") }
        guard let upTime else { return .unknown("the printer does not say since when it is on") }
        let sentAt = upTime - secondsSinceSent
        guard sentAt > Self.slack else { return .unknown("the printer was switched on only after the job was sent") }
        guard !(waiting + ended).contains(where: { isHidden($0, since: sentAt) }) else {
            return .unknown("the printer hides the names of its jobs")
        }
        guard ended.contains(where: { Self.creation($0).map { $0 < sentAt - Self.slack } ?? false }) else {
            return .unknown("the printer's history does not reach back so far")
        }
        return .absent
    }

    private func isOurs(_ name: String) -> Bool { JobName.matches(name, jobID: jobID) }

    /// Whether this job could be ours, and does not tell its name.
    private func isHidden(_ job: IPPGroup, since sentAt: Int64) -> Bool {
        guard job["job-name"]?.strings.isEmpty != false else { return false }
        return Self.creation(job).map { $0 >= sentAt - Self.slack } ?? true
    }

    private static func creation(_ job: IPPGroup) -> Int64? { job["time-at-creation"]?.integer.map(Int64.init) }
}
