import Synchronization

/// What shall happen on the event thread after a while.
final class EventTimers: Sendable {
    private struct Timer {
        var due: ContinuousClock.Instant
        var action: @Sendable () -> Void
    }

    private let timers = Mutex<[Timer]>([])

    /// Whether it is the first that is due now; the event thread must then look anew.
    func add(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> Bool {
        let due = ContinuousClock.now + delay
        return timers.withLock { timers in
            let index = timers.firstIndex { due < $0.due } ?? timers.endIndex
            timers.insert(Timer(due: due, action: action), at: index)
            return index == 0
        }
    }

    /// Runs what is due. How long until the next; nil without one.
    func run() -> Duration? {
        let now = ContinuousClock.now
        let due = timers.withLock { timers in
            let count = timers.prefix { $0.due <= now }.count
            defer { timers.removeFirst(count) }
            return timers.prefix(count).map(\.action)
        }
        for action in due { action() }
        return timers.withLock { $0.first.map { max(.zero, $0.due - .now) } }
    }
}
