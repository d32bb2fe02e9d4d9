import Synchronization

/// Wakes the one task that waits for it. Raised while no task waits, it is kept, once, and wakes the next that does.
///
/// An `AsyncStream` would not do: it ends for good when a task that waits on it is cancelled.
package final class AsyncSignal: Sendable {
    private enum State {
        case idle
        case raised
        case awaited(CheckedContinuation<Void, Never>)
    }
    private let state = Mutex(State.idle)

    package init() {}

    package func raise() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .awaited(let continuation) = state else {
                state = .raised
                return nil
            }
            state = .idle
            return continuation
        }
        waiting?.resume()
    }

    /// Returns once the signal is raised, at once if that has happened since the last return, or when the task is
    /// cancelled.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if case .raised = state {
                        state = .idle
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
                state = .idle
                return continuation
            }
            waiting?.resume()
        }
    }
}
