import Synchronization

/// A send that has its place in a pipe, from its beginning to its end. One task may wait for it.
package final class PendingSend: Sendable {
    package typealias Result = Swift.Result<Void, DevicePipeError>

    private enum State {
        case underWay
        case awaited(CheckedContinuation<Result, Never>)
        case over(Result)
    }
    private let state = Mutex(State.underWay)
    private let cancel: @Sendable () -> Void

    /// `cancel` makes the pipe finish it soon; it may be called more than once, and after the end.
    package init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

    /// Says how it ended; once.
    package func finish(_ result: Result) {
        let waiting = state.withLock { state -> CheckedContinuation<Result, Never>? in
            defer { state = .over(result) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: result)
    }

    /// Returns when the device has taken all. Cancelling the task cancels the send, and returns when it has ended.
    package func end() async throws(DevicePipeError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Result? in
                    if case .over(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            cancel()
        }
        try result.get()
    }
}
