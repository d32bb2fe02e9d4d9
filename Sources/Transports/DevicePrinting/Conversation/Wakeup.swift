import Synchronization

/// Wakes the one task that waits for something to change. A signal that comes while nobody waits is kept, once.
final class Wakeup: Sendable {
    private struct State {
        var isSignalled = false
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())

    func signal() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isSignalled = state.waiting == nil
            return state.waiting
        }
        waiting?.resume()
    }

    /// Returns at the next signal, at once if there was one since the last return, or when cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.isSignalled || Task.isCancelled {
                        state.isSignalled = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
    }

    /// The same, at `deadline` at the latest.
    func wait(until deadline: ElapsedClock.Instant?, _ clock: ElapsedClock) async {
        guard let deadline else { return await wait() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await clock.sleep(until: deadline, tolerance: nil) }
            group.addTask { await self.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}
