import PrintModel
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The engine's only source of time; tests give another.
struct EngineClock: Sendable {
    /// The wall clock, for what people see and what outlives the process. It does not jump when the machine's clock is
    /// set: that is taken over with `adopt`.
    var now: @Sendable () -> Timestamp
    /// Returns early by throwing `CancellationError`.
    var sleep: @Sendable (Duration) async throws -> Void
    /// Takes the machine's clock over as it is now, and says by how much that moved `now`.
    var adopt: @Sendable () -> Duration = { .zero }

    static let system: EngineClock = {
        let wall = SteadyClock()
        return EngineClock(now: { wall.now }, sleep: { try await Task.sleep(for: $0) }, adopt: { wall.adopt() })
    }()
}

/// The wall clock as it was taken over last, carried on by the time since boot, suspension included (CLOCK_BOOTTIME).
///
/// A machine without a battery starts in another year and is set when the network is there; nothing that waits may take
/// that for time that has passed.
final class SteadyClock: Sendable {
    private let wall: @Sendable () -> Int64
    private let sinceBoot: @Sendable () -> Int64
    /// What is added to the time since boot, in milliseconds.
    private let offset: Mutex<Int64>

    /// Both in milliseconds.
    init(
        wall: @escaping @Sendable () -> Int64 = { SteadyClock.milliseconds(of: CLOCK_REALTIME) },
        sinceBoot: @escaping @Sendable () -> Int64 = { SteadyClock.milliseconds(of: CLOCK_BOOTTIME) }
    ) {
        (self.wall, self.sinceBoot) = (wall, sinceBoot)
        offset = Mutex(wall() - sinceBoot())
    }

    var now: Timestamp { Timestamp(millisecondsSince1970: offset.withLock(\.self) + sinceBoot()) }

    /// How far `now` moved; small where only the machine's two clocks drifted apart.
    func adopt() -> Duration {
        let moved = offset.withLock { offset in
            let old = offset
            offset = wall() - sinceBoot()
            return offset - old
        }
        return .milliseconds(moved)
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
