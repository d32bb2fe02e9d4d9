import IPPCodec
import PrintModel

/// Searches a printer's job lists for one of our jobs, and judges what its absence proves. No I/O.
///
/// Absence is proof only where the printer has been on since before the job was sent, and its history reaches back as
/// far: a history that still holds an older job would hold ours too, since the oldest are removed first.
struct JobSearch {
    enum Verdict: Equatable {
        case found(RemoteJob)
        case absent
        /// The reason why, as the rest of a sentence.
        case unknown(String)
    }

    static let requestedAttributes = ["job-id", "job-name", "job-state", "time-at-creation"]

    /// Seconds: printers' clocks count whole ones.
    private static let slack: Int64 = 2

    let jobID: String
    /// The seconds between the first sending and now; nil where that is unknown.
    let secondsSinceSent: Int64?
    /// The printer's `printer-up-time` now (RFC 8011 §5.4.29); the times of its jobs are on the same scale.
    let upTime: Int64?

    func judge(waiting: [IPPGroup], ended: [IPPGroup]) -> Verdict {
        for job in waiting + ended where job["job-name"]?.strings.contains(where: isOurs) == true {
            if let id = job["job-id"]?.integer, id > 0 { return .found(RemoteJob(identifier: "\(id)")) }
        }
        guard let secondsSinceSent else { return .unknown("it is not known when the job was sent") }
        guard let upTime else { return .unknown("the printer does not say how long it has been on") }
        let sentAt = upTime - secondsSinceSent
        guard sentAt > Self.slack else { return .unknown("the printer was switched on only after the job was sent") }
        guard !(waiting + ended).contains(where: { isHidden($0, since: sentAt) }) else {
            return .unknown("the printer hides the names of its jobs")
        }
        guard ended.contains(where: { Self.creation($0).map { $0 < sentAt - Self.slack } ?? false }) else {
            return .unknown("the printer's job history does not reach back far enough")
        }
        return .absent
    }

    private func isOurs(_ name: String) -> Bool { JobName.matches(name, jobID: jobID) }

    /// Whether this job could be ours and does not show its name.
    private func isHidden(_ job: IPPGroup, since sentAt: Int64) -> Bool {
        guard job["job-name"]?.strings.isEmpty != false else { return false }
        return Self.creation(job).map { $0 >= sentAt - Self.slack } ?? true
    }

    private static func creation(_ job: IPPGroup) -> Int64? { job["time-at-creation"]?.integer.map(Int64.init) }
}

/// Makes and recognises the `job-name` of our jobs at a printer: the job's id, and the name that people gave it.
enum JobName {
    /// RFC 8011 §5.1.3: a name has at most 255 octets.
    private static let longest = 255

    /// The id comes first, so that a printer that cuts names keeps it.
    static func make(_ delivery: Delivery) -> String {
        let name = delivery.name.withoutControlCharacters
        return "\(delivery.jobID) \(name)".prefix(utf8Count: longest)
    }

    /// Whether a job with this name at the printer is the one with this id.
    static func matches(_ name: String, jobID: String) -> Bool {
        name.split(separator: " ").contains { $0 == jobID }
    }
}
