import PrintModel
import Synchronization

/// Callers that wait for jobs to settle.
final class JobWaiters: Sendable {
    private struct Waiter {
        var jobID: Int64
        var deadline: ContinuousClock.Instant
        var continuation: CheckedContinuation<Job?, Never>
    }
    private struct State {
        var waiters: [Int: Waiter] = [:]
        var tokens: [Int64: Set<Int>] = [:]
        var nextToken = 0
        var isFinished = false

        mutating func remove(_ token: Int) -> CheckedContinuation<Job?, Never>? {
            guard let waiter = waiters.removeValue(forKey: token) else { return nil }
            tokens[waiter.jobID]?.remove(token)
            if tokens[waiter.jobID]?.isEmpty == true { tokens[waiter.jobID] = nil }
            return waiter.continuation
        }
    }
    private let state = Mutex(State())

    /// The job once it settles; nil when the time is up, the waiting task is cancelled or the engine stops.
    ///
    /// It registers before it leaves its caller's actor, so that the engine misses nothing that happens after its own
    /// last look.
    ///
    /// Deadlines are kept by whoever calls `giveUp(at:)` now and then.
    func wait(
        for id: Int64, until deadline: ContinuousClock.Instant, isolation: isolated (any Actor)? = #isolation
    ) async -> Job? {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        return await withTaskCancellationHandler {
            // A closure runs on the actor only where it captures it (SE-0420).
            _ = isolation
            return await withCheckedContinuation { continuation in
                let isRegistered = state.withLock { state in
                    guard !state.isFinished, !Task.isCancelled else { return false }
                    state.waiters[token] = Waiter(jobID: id, deadline: deadline, continuation: continuation)
                    state.tokens[id, default: []].insert(token)
                    return true
                }
                if !isRegistered { continuation.resume(returning: nil) }
            }
        } onCancel: {
            let continuation = state.withLock { $0.remove(token) }
            continuation?.resume(returning: nil)
        }
    }

    /// Tells everyone who waits for this job.
    func settle(_ job: Job) {
        let continuations = state.withLock { state in
            (state.tokens[job.id] ?? []).compactMap { state.remove($0) }
        }
        for continuation in continuations { continuation.resume(returning: job) }
    }

    /// Lets those go whose time is up; returns whether others still wait.
    func giveUp(at now: ContinuousClock.Instant) -> Bool {
        let (continuations, isAwaited) = state.withLock { state in
            let late = state.waiters.filter { $0.value.deadline <= now }.keys
            return (late.compactMap { state.remove($0) }, !state.waiters.isEmpty)
        }
        for continuation in continuations { continuation.resume(returning: nil) }
        return isAwaited
    }

    /// Lets everyone go.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { (state.waiters, state.tokens) = ([:], [:]) }
            return state.waiters.values.map(\.continuation)
        }
        for continuation in waiters { continuation.resume(returning: nil) }
    }
}
