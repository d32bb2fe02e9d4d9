import NIOCore
import Synchronization

/// Waits for a future and stops waiting at once when the task is cancelled; a value that comes too late is given back.
final class CancellableWait<Value: Sendable>: Sendable {
    private enum State {
        case waiting(CheckedContinuation<Value, any Error>?)
        case over
    }
    private let state = Mutex(State.waiting(nil))

    func value(
        of future: EventLoopFuture<Value>, tooLate: @escaping @Sendable (Value) -> Void
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin($0, future, tooLate) }
        } onCancel: {
            interrupt()
        }
    }

    private func begin(
        _ continuation: CheckedContinuation<Value, any Error>, _ future: EventLoopFuture<Value>,
        _ tooLate: @escaping @Sendable (Value) -> Void
    ) {
        guard begin(continuation) else {
            future.whenSuccess(tooLate)
            return continuation.resume(throwing: CancellationError())
        }
        future.whenComplete { [self] result in
            if let continuation = take() {
                continuation.resume(with: result)
            } else if case .success(let value) = result {
                tooLate(value)
            }
        }
    }

    /// Ends the wait as a cancellation does.
    func interrupt() {
        take()?.resume(throwing: CancellationError())
    }

    private func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .waiting(continuation)
            return true
        }
    }

    private func take() -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .over
            return continuation
        }
    }
}
