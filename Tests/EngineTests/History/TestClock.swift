import KioskPrintModel
import Synchronization

@testable import KioskEngine

/// The wall clock, put forward at will; sleeping takes its real time.
final class TestClock: Sendable {
    private let offset = Mutex<Int>(0)

    func advance(bySeconds seconds: Int) { offset.withLock { $0 += seconds } }

    var clock: EngineClock {
        var clock = EngineClock.system
        clock.now = { [self] in EngineClock.system.now().advanced(bySeconds: offset.withLock { $0 }) }
        return clock
    }
}

extension EngineClock {
    /// Pauses of a fifth of a second or more never end: whatever waits for one is seen to wait.
    static var withoutLongPauses: EngineClock {
        var clock = EngineClock.system
        clock.sleep = { try await Task.sleep(for: $0 < .milliseconds(200) ? $0 : .seconds(3600)) }
        return clock
    }
}
