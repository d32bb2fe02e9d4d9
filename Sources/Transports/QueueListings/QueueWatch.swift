package import KioskPrintModel

/// The state machine that follows one job in a queue: when to query again, and when the job has left. Has no I/O and no
/// clock.
package struct QueueWatch {
    /// The result of a query.
    package enum QueryResult {
        case listing(QueueListing)
        /// The host cannot be queried just now.
        case failed(TransportError)
    }

    package enum Action: Hashable, Sendable {
        /// Publish the report if there is one, and query again after the pause.
        case wait(Duration, reporting: JobReport?)
        case finish(JobReport)
        case giveUp(String)
    }

    private let job: LprJobID
    private let deadlines: Deadlines
    private var last: JobReport?
    private var lostSince: Duration?
    private var unclearSince: Duration?

    /// How long a job is followed that cannot be seen.
    package struct Deadlines: Sendable {
        /// How long the queue's host may be unreachable.
        package var lostHost: Duration
        /// How long the listing may be unreadable.
        package var unclearQueue: Duration

        package init(lostHost: Duration, unclearQueue: Duration) {
            (self.lostHost, self.unclearQueue) = (lostHost, unclearQueue)
        }
    }

    package init(_ job: LprJobID, deadlines: Deadlines) {
        self.job = job
        self.deadlines = deadlines
    }

    /// Returns what to do next. `elapsed` is the time since following began.
    package mutating func action(after result: QueryResult, elapsed: Duration) -> Action {
        switch result {
        case .failed(let error):
            let since = lostSince ?? elapsed
            lostSince = since
            guard elapsed - since < deadlines.lostHost else {
                return .giveUp("the queue cannot be queried: \(error.message)")
            }
            return .wait(Self.pause(after: elapsed - since), reporting: nil)
        case .listing(let listing):
            lostSince = nil
            if let report = JobReport(job, in: listing) {
                unclearSince = nil
                defer { last = report }
                return .wait(Self.pause(after: elapsed), reporting: report == last ? nil : report)
            }
            if listing.wouldShow(job) { return .finish(.leftQueue(job)) }
            let since = unclearSince ?? elapsed
            unclearSince = since
            guard elapsed - since < deadlines.unclearQueue else {
                return .giveUp("the listing of the queue can no longer be understood\(listing.detail)")
            }
            return .wait(Self.pause(after: elapsed - since), reporting: nil)
        }
    }

    /// The pause between queries. Each starts a program on most hosts, so they become rarer as time passes.
    private static func pause(after elapsed: Duration) -> Duration {
        min(max(elapsed / 8, .milliseconds(250)), .seconds(5))
    }
}

extension JobReport {
    /// The report of a job in a queue; nil if the listing does not show it.
    package init?(_ id: LprJobID, in listing: QueueListing) {
        guard let place = listing.jobs.firstIndex(where: { $0.number == id.number && $0.belongs(to: id.deliveryID) })
        else {
            return nil
        }
        let job = listing.jobs[place]
        let isStopped = listing.state == .stopped || job.isHeld
        let ahead = job.isActive ? 0 : place
        var messages: [String] = []
        if ahead > 0 { messages.append(ahead == 1 ? "1 job ahead" : "\(ahead) jobs ahead") }
        if job.isHeld { messages.append("held on the host") }
        if listing.state == .stopped { messages.append("the queue is stopped") }
        messages += listing.messages
        self.init(
            state: isStopped ? .processingStopped : .processing,
            reasons: [
                job.isHeld
                    ? "job-hold-until-specified"
                    : listing.state == .stopped ? "printer-stopped" : job.isActive ? "job-printing" : "job-queued"
            ],
            evidence: .accepted, remoteJob: id.remoteJob,
            message: messages.isEmpty ? nil : messages.joined(separator: "; ")
        )
    }

    /// The last report of a job that has left the queue: line printer queues never report printed paper.
    package static func leftQueue(_ job: LprJobID?) -> JobReport {
        JobReport(
            state: .completed, reasons: ["queued-in-device"], evidence: .accepted, remoteJob: job?.remoteJob,
            message: "the job has left the queue; the host does not report whether it printed"
        )
    }
}
