import KioskTestSupport
import Synchronization

/// A clock that only advances on request.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var next = 0
    }
    private let state = Mutex(State())

    var now: Instant { state.withLock(\.now) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = (deadline, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                if state.sleepers[number] == nil { state.cancelled.insert(number) }
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// Lets time pass in steps until a condition is true.
    func pass(
        _ step: Duration = .milliseconds(500), until what: String, _ condition: () async throws -> Bool
    ) async throws {
        try await eventually(what, poll: .milliseconds(1)) {
            if try await condition() { return true }
            advance(by: step)
            return false
        }
    }

    /// Lets time pass until some work has ended.
    func pass<Value: Sendable>(
        _ step: Duration = .milliseconds(500), while work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let isOver = Atomic(false)
        async let value = {
            defer { isOver.store(true, ordering: .relaxed) }
            return try await work()
        }()
        try await pass(step, until: "the work has ended") { isOver.load(ordering: .relaxed) }
        return try await value
    }
}
