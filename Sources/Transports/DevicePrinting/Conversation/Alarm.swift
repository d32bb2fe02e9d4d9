import Synchronization

/// Wakes whoever waits, at a time that moves on again and again while all is well: it may also wake at one that was set
/// before, so that it need not be set anew for each piece of a document.
final class Alarm: Sendable {
    private let wakeup: Wakeup
    private let clock: ElapsedClock
    private let setting = Mutex<(due: ElapsedClock.Instant, task: Task<Void, Never>)?>(nil)

    init(_ wakeup: Wakeup, _ clock: ElapsedClock) {
        (self.wakeup, self.clock) = (wakeup, clock)
    }

    /// Wakes at this time at the latest.
    func set(at due: ElapsedClock.Instant) {
        setting.withLock { setting in
            if let known = setting, known.due <= due, known.due > clock.now { return }
            setting?.task.cancel()
            setting = (
                due,
                Task { [wakeup, clock] in
                    guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
                    wakeup.signal()
                }
            )
        }
    }

    func turnOff() {
        setting.withLock { setting in
            setting?.task.cancel()
            setting = nil
        }
    }
}
