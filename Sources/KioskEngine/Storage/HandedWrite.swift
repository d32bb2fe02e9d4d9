import Synchronization

/// A write that has its place in the commit queue. One task may wait for it.
final class HandedWrite: Sendable {
    private enum State {
        case underWay
        case awaited(CheckedContinuation<Void, any Error>)
        case over(Result<Void, any Error>)
    }
    private let state = Mutex(State.underWay)

    /// It is on disk, or has failed.
    func end(_ result: Result<Void, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { state = .over(result) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(with: result)
    }

    /// Returns once it is on disk.
    func wait() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Void, any Error>? in
                if case .over(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
