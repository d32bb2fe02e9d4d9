import Synchronization
import PrintModel

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
