internal import PrintModel
internal import Synchronization

/// Callers that wait for jobs to settle.
final class JobWaiters: Sendable {
    private struct State {
        var waiters: [Int64: [Int: CheckedContinuation<Job?, Never>]] = [:]
        var nextToken = 0
        var isFinished = false
    }
    private let state = Mutex(State())

    /// Tells everyone who waits for this job.
    func settle(_ job: Job) {
        let waiting = state.withLock { $0.waiters.removeValue(forKey: job.id) }
        for (_, continuation) in waiting ?? [:] { continuation.resume(returning: job) }
    }

    /// The job once it settles; nil when the waiting task is cancelled or the engine stops. Registers before it suspends,
    /// so that a caller on the engine's actor misses nothing that happens after its own last look.
    func wait(for id: Int64, token: Int) async -> Job? {
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRegistered = state.withLock { state in
                    guard !state.isFinished, !Task.isCancelled else { return false }
                    state.waiters[id, default: [:]][token] = continuation
                    return true
                }
                if !isRegistered { continuation.resume(returning: nil) }
            }
        } onCancel: {
            giveUp(id, token: token)
        }
    }

    /// Tells one caller's wait from another's.
    func makeToken() -> Int {
        state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
    }

    /// Lets one caller go, though the job has not settled.
    func giveUp(_ id: Int64, token: Int) {
        let continuation = state.withLock { state in
            let continuation = state.waiters[id]?.removeValue(forKey: token)
            if state.waiters[id]?.isEmpty == true { state.waiters[id] = nil }
            return continuation
        }
        continuation?.resume(returning: nil)
    }

    /// Lets everyone go.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [:] }
            return state.waiters.values.flatMap(\.values)
        }
        for continuation in waiters { continuation.resume(returning: nil) }
    }
}
