import Synchronization

/// Wakes the one task that waits for it. Raised while no task waits, it is kept, once, and wakes the next that does.
///
/// An `AsyncStream` would not do: it ends for good when a task that waits on it is cancelled.
package final class AsyncSignal: Sendable {
    private enum State {
        case idle
        case raised
        case awaited(CheckedContinuation<Void, Never>)
    }
    private let state = Mutex(State.idle)

    package init() {}

    package func raise() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .awaited(let continuation) = state else {
                state = .raised
                return nil
            }
            state = .idle
            return continuation
        }
        waiting?.resume()
    }

    /// Returns once the signal is raised, at once if that has happened since the last return, or when the task is
    /// cancelled.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if case .raised = state {
                        state = .idle
                        return true
                    }
                    if Task.isCancelled { return true }
                    state = .awaited(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard case .awaited(let continuation) = state else { return nil }
                state = .idle
                return continuation
            }
            waiting?.resume()
        }
    }
}

/// A clock of any type, read as the time since this value was made, so that instants can be stored without naming the
/// clock's type.
package struct ElapsedClock: Clock {
    package struct Instant: InstantProtocol {
        package var offset: Duration

        package init(offset: Duration) { self.offset = offset }

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let elapsed: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        pause = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    package var now: Instant { Instant(offset: elapsed()) }
    package var minimumResolution: Duration { .zero }
    package func sleep(until deadline: Instant, tolerance: Duration?) async throws { try await pause(deadline.offset) }
}

extension AsyncSignal {
    /// Waits for a signal, until `deadline` at the latest.
    package func wait(until deadline: ElapsedClock.Instant?, _ clock: ElapsedClock) async {
        guard let deadline else { return await wait() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await clock.sleep(until: deadline, tolerance: nil) }
            group.addTask { await self.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}

/// Raises a signal at a deadline that moves on again and again while all is well. It may also raise it at a deadline
/// that was set earlier, so that it need not be set anew for each chunk of a document.
package final class SignalTimer: Sendable {
    private let signal: AsyncSignal
    private let clock: ElapsedClock
    private let setting = Mutex<(due: ElapsedClock.Instant, task: Task<Void, Never>)?>(nil)

    package init(_ signal: AsyncSignal, _ clock: ElapsedClock) {
        (self.signal, self.clock) = (signal, clock)
    }

    /// Raises the signal at this time at the latest.
    package func set(at due: ElapsedClock.Instant) {
        setting.withLock { setting in
            if let known = setting, known.due <= due, known.due > clock.now { return }
            setting?.task.cancel()
            setting = (
                due,
                Task { [signal, clock] in
                    guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
                    signal.raise()
                }
            )
        }
    }

    package func cancel() {
        setting.withLock { setting in
            setting?.task.cancel()
            setting = nil
        }
    }
}
