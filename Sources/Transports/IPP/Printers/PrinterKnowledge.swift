import IPPCodec
import PrintModel
import Synchronization

/// What was learnt of one printer, by whichever call learnt it last.
final class PrinterKnowledge: Sendable {
    private struct State {
        var manners = Manners()
        /// The version that worked; nil before any did.
        var provenVersion: IPPVersion?
        var facts: PrinterFacts?
        var requestID: Int32 = 0
        var pace = JobPace()
        var newestJob: RemoteJob?
    }
    private let state = Mutex(State())

    /// The version to speak, and whether the printer has answered well to it before.
    var version: (number: IPPVersion, isProven: Bool) {
        state.withLock { ($0.provenVersion ?? $0.manners.firstVersion, $0.provenVersion != nil) }
    }

    func versionWorks(_ version: IPPVersion) {
        state.withLock { $0.provenVersion = version }
    }

    /// How to speak to it: by its saved profile at first, by what it said of itself then.
    var manners: Manners {
        get { state.withLock { $0.manners } }
        set { state.withLock { $0.manners = newValue } }
    }

    /// What it said of itself; nil before the first contact and after a refusal that made it doubtful.
    var facts: PrinterFacts? {
        get { state.withLock { $0.facts } }
        set { state.withLock { $0.facts = newValue } }
    }

    /// RFC 8010 §3.1.2: 1 to 2³¹ − 1.
    func nextRequestID() -> Int32 {
        state.withLock { state in
            state.requestID = state.requestID == .max ? 1 : state.requestID + 1
            return state.requestID
        }
    }

    /// The printer took this job just now.
    func accepted(_ job: RemoteJob?) {
        state.withLock { $0.newestJob = job }
    }

    /// How long to leave a job alone before the first question: nothing, unless it is the newest and not yet asked about.
    func firstPause(of job: RemoteJob) -> Duration {
        state.withLock { state in
            guard state.newestJob == job else { return .zero }
            state.newestJob = nil
            return state.pace.firstPause
        }
    }

    func jobEnded(after duration: Duration) {
        state.withLock { $0.pace.jobEnded(after: duration) }
    }
}
