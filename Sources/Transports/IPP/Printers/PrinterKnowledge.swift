import IPPCodec
import PrintModel
import Synchronization

/// What was learnt of one printer, by whichever call learnt it last.
final class PrinterKnowledge: Sendable {
    private struct State {
        var version = IPPVersion.v2_0
        var isVersionProven = false
        var facts: PrinterFacts?
        var requestID: Int32 = 0
        var pace = JobPace()
        var newestJob: RemoteJob?
    }
    private let state = Mutex(State())

    /// The version to speak, and whether the printer has answered well to it before.
    var version: (number: IPPVersion, isProven: Bool) {
        state.withLock { ($0.version, $0.isVersionProven) }
    }

    func versionWorks(_ version: IPPVersion) {
        state.withLock { state in
            state.version = version
            state.isVersionProven = true
        }
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
