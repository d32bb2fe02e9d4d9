import KioskPrintModel
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

/// The changes of the machine's clock while the engine runs, by which the times of jobs are moved.
struct ClockChanges {
    /// The sum of all changes.
    private(set) var total = Duration.zero
    private var last: (by: Duration, at: Timestamp)?

    /// Notes a change. `now`: in the new time. Returns it in words for the log; nil for one so small that it changes
    /// nothing.
    mutating func note(_ moved: Duration, at now: Timestamp) -> String? {
        guard abs(moved.components.seconds) >= Self.minimumChange else { return nil }
        last = (moved, now)
        total += moved
        return Self.description(of: moved)
    }

    /// A record that was set aside when the changes came to this sum, in the time of now.
    func present(_ record: JobRecord, since sum: Duration) -> JobRecord {
        guard sum != total else { return record }
        var record = record
        record.life.clockMoved(by: total - sum)
        return record
    }

    /// Jobs of the last run as they wait from now on. A job that was accepted in a time that is yet to come begins to
    /// wait now: the clock was set back while nothing ran.
    static func rebased(_ records: [JobRecord], at now: Timestamp) -> [JobRecord] {
        records.map { record in
            let ahead = record.job.createdAt.millisecondsSince1970 - now.millisecondsSince1970
            guard ahead >= minimumChange * 1000 else { return record }
            var record = record
            record.life.clockMoved(by: .milliseconds(-ahead))
            record.life.forgetWhenSent()
            return record
        }
    }

    func checks(at now: Timestamp) -> [HealthReport.Check] {
        guard let last, now < last.at.advanced(bySeconds: Self.checkPeriod) else { return [] }
        return [
            .init(
                code: "clock-set", status: .warning,
                message:
                    "\(Self.description(of: last.by)) at \(last.at); jobs keep the time that they had left. See that the time is synchronised before kioskd starts"
            )
        ]
    }

    private static func description(of moved: Duration) -> String {
        let seconds = moved.components.seconds
        return "the machine's clock was set \(seconds < 0 ? "back" : "forward") by \(abs(seconds)) s"
    }

    /// Seconds. Time synchronisation corrects smaller differences without setting the clock.
    private static let minimumChange: Int64 = 2
    /// How long the health check shows a change, in seconds.
    private static let checkPeriod = 3600
}

extension Timestamp {
    func advanced(by duration: Duration) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(duration.milliseconds)
        return Timestamp(millisecondsSince1970: overflow ? (duration < .zero ? .min : .max) : sum)
    }
}

extension Duration {
    /// Whole ones.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
