import KioskPrintModel
import KioskStandby
import Synchronization

/// Whether the partner is there: what came from it, and what did not.
final class PartnerContact: Sendable {
    private struct State {
        var silence: PartnerSilence
        /// As the partner names itself; nil before the first answer.
        var name: String?
        /// What did not work last; nil where it works.
        var problem: String?
        /// Since when it is silent; nil where it is not.
        var silentSince: ContinuousClock.Instant?
        /// Jobs that were taken over in this silence.
        var takenOver = 0
        /// Why jobs could not be taken over; nil where they were.
        var refusal: String?
    }
    private let state: Mutex<State>
    /// The partner's URL.
    private let url: String

    init(of url: String, at now: ContinuousClock.Instant = .now) {
        self.url = url
        state = Mutex(State(silence: PartnerSilence(at: now)))
    }

    var isSilent: Bool { state.withLock { $0.silence.isSilent } }

    /// The partner in words.
    var name: String { state.withLock { $0.name } ?? url }

    /// A request came from the partner, or an answer; `name` is the partner's own.
    func heard(from name: String) {
        state.withLock { state in
            state.silence.heard()
            state.name = name
            (state.silentSince, state.takenOver, state.refusal) = (nil, 0, nil)
        }
    }

    func answered(by name: String) {
        heard(from: name)
        state.withLock { $0.problem = nil }
    }

    func failed(_ problem: String) { state.withLock { $0.problem = problem } }

    /// Looks whether the partner is silent; returns whether it has just become so.
    func look(at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            state.silence.look(at: now)
            guard state.silence.isSilent, state.silentSince == nil else { return false }
            state.silentSince = now - PartnerSilence.limit
            return true
        }
    }

    func noteTakeover() {
        state.withLock { state in
            state.takenOver += 1
            state.refusal = nil
        }
    }

    func noteRefusal(_ reason: String) { state.withLock { $0.refusal = reason } }

    /// A warning where the partner is silent.
    func checks(at now: ContinuousClock.Instant = .now) -> [HealthReport.Check] {
        let state = state.withLock { $0 }
        guard let since = state.silentSince else { return [] }
        let why = state.problem.map { " (\($0))" } ?? ""
        let jobs =
            switch state.takenOver {
            case 0: "none of its jobs was taken over"
            case 1: "1 of its jobs was taken over"
            default: "\(state.takenOver) of its jobs were taken over"
            }
        let refusal = state.refusal.map { "; others could not be: \($0)" } ?? ""
        return [
            HealthReport.Check(
                code: "partner-silent", subject: state.name ?? url, status: .warning,
                message:
                    "the partner \(state.name ?? url) has been silent for \(since.duration(to: now).components.seconds) s\(why); \(jobs)\(refusal)"
            )
        ]
    }
}
