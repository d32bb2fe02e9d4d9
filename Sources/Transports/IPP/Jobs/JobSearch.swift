import Glibc
import KioskIPPCodec
import KioskPrintModel

/// Searches a printer's job lists for one of our jobs, and judges what its absence proves. No I/O.
///
/// Absence is proof only where the printer has been on since before the job was sent, and its history reaches back as
/// far: a history that still holds an older job would hold ours too, since the oldest are removed first.
struct JobSearch {
    enum Verdict: Equatable {
        case found(RemoteJob)
        case absent
        /// The reason why, as the rest of a sentence. `isUnanswerable`: the printer would know as little of the next.
        case unknown(String, isUnanswerable: Bool)
    }

    static let requestedAttributes = ["job-id", "job-name", "job-state", "time-at-creation"]

    /// Seconds: printers' clocks count whole ones.
    private static let slack: Int64 = 2

    let jobID: String
    /// The seconds between the first sending and now; nil where that is unknown.
    let secondsSinceSent: Int64?
    /// Whether the printer forgot the last job that was followed: what its history lacks proves nothing.
    var lacksJobHistory = false
    /// The printer's `printer-up-time` now (RFC 8011 §5.4.29); the times of its jobs are on the same scale.
    let upTime: Int64?

    func judge(waiting: [IPPGroup], ended: [IPPGroup]) -> Verdict {
        for job in waiting + ended where job["job-name"]?.strings.contains(where: isOurs) == true {
            if let id = job["job-id"]?.integer, id > 0 { return .found(RemoteJob(identifier: "\(id)")) }
        }
        guard let secondsSinceSent else {
            return .unknown("it is not known when the job was sent", isUnanswerable: false)
        }
        guard let upTime else {
            return .unknown("the printer does not say how long it has been on", isUnanswerable: true)
        }
        let sentAt = upTime - secondsSinceSent
        guard sentAt > Self.slack else {
            return .unknown("the printer was switched on only after the job was sent", isUnanswerable: false)
        }
        guard !(waiting + ended).contains(where: { isHidden($0, since: sentAt) }) else {
            return .unknown("the printer hides the names of its jobs", isUnanswerable: true)
        }
        guard !lacksJobHistory else {
            return .unknown("the printer forgets its jobs as soon as they have ended", isUnanswerable: true)
        }
        guard ended.contains(where: { Self.creation($0).map { $0 < sentAt - Self.slack } ?? false }) else {
            return .unknown("the printer's job history does not reach back far enough", isUnanswerable: true)
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

extension IPPClient {
    /// Finds the job of a delivery in the printer's job lists; nil where it is certain that the printer has none.
    /// `upTime`: the printer's `printer-up-time` now. Throws `.outcomeUnknown` where neither is certain.
    func locate(_ delivery: Delivery, upTime: Int64?) async throws(TransportError) -> RemoteJob? {
        let search = JobSearch(
            jobID: delivery.jobID,
            secondsSinceSent: delivery.sentAt.map {
                max(0, (Timestamp.now.millisecondsSince1970 - $0.millisecondsSince1970) / 1000)
            },
            lacksJobHistory: knowledge.lacksJobHistory, upTime: upTime
        )
        // Waiting jobs first: one that ends in between is in the second list.
        let waiting = try await jobs("not-completed", asking: delivery.user)
        let ended = try await jobs("completed", asking: delivery.user)
        switch search.judge(waiting: waiting, ended: ended) {
        case .found(let job): return job
        case .absent: return nil
        case .unknown(let why, let isUnanswerable): throw unknownJob(why, isUnanswerable: isUnanswerable)
        }
    }

    /// The printer's jobs: those waiting in the order in which they will end, those ended with the newest first
    /// (RFC 8011 §4.2.6.2), so that the limit cuts off the oldest.
    private func jobs(_ which: String, asking user: String?) async throws(TransportError) -> [IPPGroup] {
        let request = IPPRequest(
            operation: .getJobs, user: UserName.make(user),
            operationAttributes: [
                IPPAttribute("limit", .integer(Self.jobLimit)),
                IPPAttribute("requested-attributes", keywords: JobSearch.requestedAttributes),
                IPPAttribute("which-jobs", keyword: which),
            ],
            timeouts: deadlines.requestTimeouts
        )
        let response = try await send(request)
        // RFC 8011 §4.2.6.3: a printer without jobs may say so with an error.
        if response.message.status == .clientErrorNotFound { return [] }
        guard response.message.status.isSuccess else {
            throw unknownJob(
                "the printer does not list its jobs: \(error(response, request).message)", isUnanswerable: true)
        }
        return response.message.groups(.job)
    }

    private func unknownJob(_ why: String, isUnanswerable: Bool) -> TransportError {
        var error = TransportError(
            .outcomeUnknown, operation: "Get-Jobs",
            message:
                "\(printer): whether the printer accepted the job is unknown: \(why); check whether it printed"
        )
        error.isUnanswerable = isUnanswerable
        return error
    }

    private static let jobLimit: Int32 = 500
}

extension Timestamp {
    /// The system's clock, by which the engine notes when sending began.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
