import NIOCore
import Synchronization

/// The waits of one printer's tasks for futures. Each ends when its task is cancelled, and all end together when the
/// printer's link closes.
final class PendingWaits: Sendable {
    private struct State {
        /// What ends each wait.
        var interrupts: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Waits for a future; throws `CancellationError` where the wait is interrupted, and passes a value that arrives
    /// afterwards to `tooLate`.
    func wait<Value: Sendable>(
        for future: EventLoopFuture<Value>, tooLate: @escaping @Sendable (Value) -> Void
    ) async throws -> Value {
        let wait = CancellableWait<Value>()
        let isClosed = state.withLock { state in
            state.interrupts[ObjectIdentifier(wait)] = { wait.interrupt() }
            return state.isClosed
        }
        defer { state.withLock { $0.interrupts[ObjectIdentifier(wait)] = nil } }
        if isClosed { wait.interrupt() }
        return try await wait.value(of: future, tooLate: tooLate)
    }

    /// Ends all waits, as a cancellation does.
    func interruptAll() {
        for interrupt in state.withLock({ $0.interrupts.values }) { interrupt() }
    }

    /// Ends all waits, and every one that begins later.
    func close() {
        let interrupts = state.withLock { state in
            state.isClosed = true
            return state.interrupts.values
        }
        for interrupt in interrupts { interrupt() }
    }
}

/// One wait for a future, which ends at once when the task is cancelled. A value that arrives too late is given back.
private final class CancellableWait<Value: Sendable>: Sendable {
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
        guard store(continuation) else {
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

    private func store(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
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
