import PrintModel

/// Follows one job from answer to answer: when to ask again, and when its fate is known. No I/O and no clock.
struct JobWatch {
    /// What asking brought.
    enum Answer {
        case report(JobReport, of: JobIdentity)
        /// The printer does not know the job any more.
        case gone
        /// The printer cannot be asked just now.
        case lost(TransportError)
    }

    enum Action {
        /// Tell the report, where there is one, and ask again after the pause.
        case wait(Duration, telling: JobReport?)
        case finish(JobReport)
        case giveUp(Reason)
    }

    enum Reason {
        case gone
        case lost(TransportError)
    }

    /// How long a printer may be out of reach before its job's outcome counts as unknown.
    private let lostPatience: Duration
    private var last: JobReport?
    private var identity = JobIdentity()
    private var lostSince: Duration?

    init(lostPatience: Duration) {
        self.lostPatience = lostPatience
    }

    /// `elapsed` is the time since following began.
    mutating func took(_ answer: Answer, elapsed: Duration) -> Action {
        switch answer {
        case .report(_, let identity) where !self.identity.mayBecome(identity): return .giveUp(.gone)
        case .report(let report, _) where report.state.isFinal: return .finish(report)
        case .report(let report, let identity):
            lostSince = nil
            self.identity = identity
            defer { last = report }
            return .wait(Self.pause(after: elapsed), telling: report == last ? nil : report)
        case .gone: return .giveUp(.gone)
        case .lost(let error):
            let since = lostSince ?? elapsed
            lostSince = since
            guard elapsed - since < lostPatience else { return .giveUp(.lost(error)) }
            return .wait(Self.clamp((elapsed - since) / 4, .milliseconds(100), .seconds(2)), telling: nil)
        }
    }

    /// Whether a job is so old that its printer's events are worth a subscription. Before, the questions are so close
    /// together that an event would come no sooner, and most jobs end without ever needing one.
    static func isLong(after elapsed: Duration) -> Bool { elapsed >= .seconds(5) }

    /// The pause before the next question. A short job's end is known within 50 ms; a long job is asked about politely.
    static func pause(after elapsed: Duration) -> Duration {
        elapsed < .seconds(5)
            ? clamp(elapsed / 8, .microseconds(500), .milliseconds(40))
            : clamp(elapsed / 60, .milliseconds(80), .seconds(2))
    }

    private static func clamp(_ value: Duration, _ low: Duration, _ high: Duration) -> Duration {
        min(max(value, low), high)
    }
}
