import Synchronization

/// A mutual-exclusion lock that is held across suspension points. Waiters get it in the order in which they asked.
package final class AsyncMutex: Sendable {
    private struct State {
        var isLocked = false
        var queue: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var lastNumber = 0
        /// Cancelled before they were in the queue.
        var cancelled: Set<Int> = []
    }
    private let state = Mutex(State())

    package init() {}

    package var isLocked: Bool { state.withLock(\.isLocked) }

    /// Returns false when the task was cancelled; the caller must not unlock then.
    package func lock(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let isAcquired = await withTaskCancellationHandler {
            // A closure runs on the actor only where it captures it (SE-0420): callers queue in their actor's order.
            _ = isolation
            return await withCheckedContinuation { continuation in
                let result: Bool? = state.withLock { state in
                    if state.cancelled.contains(number) { return false }
                    if !state.isLocked {
                        state.isLocked = true
                        return true
                    }
                    state.queue.append((number, continuation))
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            giveUp(number)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        return isAcquired
    }

    private func giveUp(_ number: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if let index = state.queue.firstIndex(where: { $0.number == number }) {
                return state.queue.remove(at: index).continuation
            }
            state.cancelled.insert(number)
            return nil
        }
        waiting?.resume(returning: false)
    }

    package func unlock() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.queue.isEmpty else {
                state.isLocked = false
                return nil
            }
            return state.queue.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
