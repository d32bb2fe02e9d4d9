import PrintModel
import SSH

/// Follows one job in a queue from answer to answer: when to ask again, and when it has left. No I/O and no clock.
struct QueueWatch {
    /// What asking brought.
    enum Answer {
        case listing(QueueListing)
        /// The host cannot be asked just now.
        case lost(TransportError)
    }

    enum Action: Equatable {
        /// Tell the report, where there is one, and ask again after the pause.
        case wait(Duration, telling: JobReport?)
        case finish(JobReport)
        case giveUp(String)
    }

    private let job: LprJobID
    private let deadlines: SSHLprTransport.Deadlines
    private var last: JobReport?
    private var lostSince: Duration?
    private var unclearSince: Duration?

    init(_ job: LprJobID, deadlines: SSHLprTransport.Deadlines) {
        self.job = job
        self.deadlines = deadlines
    }

    /// `elapsed` is the time since following began.
    mutating func took(_ answer: Answer, elapsed: Duration) -> Action {
        switch answer {
        case .lost(let error):
            let since = lostSince ?? elapsed
            lostSince = since
            guard elapsed - since < deadlines.lostHost else {
                return .giveUp("the queue cannot be asked: \(error.message)")
            }
            return .wait(Self.pause(after: elapsed - since), telling: nil)
        case .listing(let listing):
            lostSince = nil
            if let report = JobReport(job, in: listing) {
                unclearSince = nil
                defer { last = report }
                return .wait(Self.pause(after: elapsed), telling: report == last ? nil : report)
            }
            if listing.wouldShow(job) { return .finish(.leftQueue(job)) }
            let since = unclearSince ?? elapsed
            unclearSince = since
            guard elapsed - since < deadlines.unclearQueue else {
                return .giveUp("lpq on the host no longer says what is understood\(listing.saying)")
            }
            return .wait(Self.pause(after: elapsed - since), telling: nil)
        }
    }

    /// Each question starts a program on the host: often while the job is young, then ever more rarely.
    static func pause(after elapsed: Duration) -> Duration { min(max(elapsed / 8, .milliseconds(250)), .seconds(5)) }
}

extension JobReport {
    /// How a job stands in a queue; nil where it does not.
    init?(_ id: LprJobID, in listing: QueueListing) {
        guard let place = listing.jobs.firstIndex(where: { $0.number == id.number && $0.isOf(id.deliveryID) }) else {
            return nil
        }
        let job = listing.jobs[place]
        let isStopped = listing.state == .stopped || job.isHeld
        let ahead = job.isActive ? 0 : place
        var words: [String] = []
        if ahead > 0 { words.append(ahead == 1 ? "1 job ahead" : "\(ahead) jobs ahead") }
        if job.isHeld { words.append("held on the host") }
        if listing.state == .stopped { words.append("the queue is stopped") }
        words += listing.messages
        self.init(
            state: isStopped ? .processingStopped : .processing,
            reasons: [
                job.isHeld
                    ? "job-hold-until-specified"
                    : listing.state == .stopped ? "printer-stopped" : job.isActive ? "job-printing" : "job-queued"
            ],
            evidence: .accepted, remoteJob: id.remoteJob, message: words.isEmpty ? nil : words.joined(separator: "; ")
        )
    }

    /// The last that anybody can say of a job: `lpr` and `lpq` never tell of paper.
    static func leftQueue(_ job: LprJobID?) -> JobReport {
        JobReport(
            state: .completed, reasons: ["queued-in-device"], evidence: .accepted, remoteJob: job?.remoteJob,
            message: "the job has left the queue; whether it is on paper, the host does not say"
        )
    }
}

extension QueueListing {
    /// What was said of the queue, behind a colon.
    var saying: String {
        messages.isEmpty ? "" : ": " + messages.joined(separator: "; ").withoutControlCharacters.prefix(utf8Count: 300)
    }
}
