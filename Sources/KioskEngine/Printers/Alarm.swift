import Synchronization

/// Wakes the one task that waits for it; rung while nobody waits, it wakes the next that does.
///
/// An `AsyncStream` would not do: it ends for good when a task that waits on it is cancelled.
final class Alarm: Sendable {
    private enum State {
        case silent
        case rung
        case awaited(CheckedContinuation<Void, Never>)
    }
    private let state = Mutex(State.silent)

    func ring() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .awaited(let continuation) = state else {
                state = .rung
                return nil
            }
            state = .silent
            return continuation
        }
        waiting?.resume()
    }

    /// Returns once it rings, or when the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if case .rung = state {
                        state = .silent
                        return true
                    }
                    if Task.isCancelled { return true }
                    state = .awaited(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard case .awaited(let continuation) = state else { return nil }
                state = .silent
                return continuation
            }
            waiting?.resume()
        }
    }
}
