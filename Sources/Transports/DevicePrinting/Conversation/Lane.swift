import Synchronization

/// Lets one at a time do something that takes long, in the order of their coming.
package final class Lane: Sendable {
    private struct State {
        var isTaken = false
        var queue: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var next = 0
        /// Cancelled before they stood in the queue.
        var cancelled: Set<Int> = []
    }
    private let state = Mutex(State())

    package init() {}

    var isTaken: Bool { state.withLock(\.isTaken) }

    /// False when it was cancelled; then it is not to be left either.
    package func enter(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let isEntered = await withTaskCancellationHandler {
            // A closure runs on the actor only where it captures it (SE-0420): callers stand here in their actor's
            // order.
            _ = isolation
            return await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.cancelled.contains(number) { return false }
                    if !state.isTaken {
                        state.isTaken = true
                        return true
                    }
                    state.queue.append((number, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(number)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        return isEntered
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

    package func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.queue.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.queue.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
