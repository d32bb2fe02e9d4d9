import KioskPrintModel
import Synchronization

@testable import KioskEngine

/// A clock that stands still until a test advances it: whoever sleeps wakes when its time has come.
final class SteppedClock: Sendable {
    private struct Sleeper {
        var wakesAt: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var passed = Duration.zero
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        var canceled: Set<Int> = []
        var isReleased = false
    }
    private let state = Mutex(State())

    private static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

    var clock: EngineClock {
        EngineClock(
            now: { [self] in state.withLock { Self.start.advanced(by: $0.passed) } },
            sleep: { [self] in try await sleep($0) })
    }

    /// Lets time pass.
    func advance(by duration: Duration) {
        wake {
            $0.passed += duration
            return false
        }
    }

    /// From now on nobody sleeps: the engine ends.
    func release() {
        wake {
            $0.isReleased = true
            return true
        }
    }

    private func wake(_ change: (inout State) -> Bool) {
        let due = state.withLock { state in
            let isAll = change(&state)
            let due = state.sleepers.filter { isAll || $0.value.wakesAt <= state.passed }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.wakesAt < $1.wakesAt }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    private func sleep(_ duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end: Result<Void, any Error>? = state.withLock { state in
                    if state.canceled.remove(id) != nil { return .failure(CancellationError()) }
                    // Who sleeps for a while after the release does so in vain, and not in a busy loop.
                    if state.isReleased, duration < .seconds(1) { return .success(()) }
                    if duration <= .zero { return .success(()) }
                    state.sleepers[id] = Sleeper(wakesAt: state.passed + duration, continuation: continuation)
                    return nil
                }
                if let end { continuation.resume(with: end) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                guard let sleeper = state.sleepers.removeValue(forKey: id) else {
                    state.canceled.insert(id)
                    return nil as Sleeper?
                }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
