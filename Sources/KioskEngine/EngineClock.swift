internal import PrintModel

#if canImport(Glibc)
    internal import Glibc
#endif

/// The engine's only source of time; tests give another.
struct EngineClock: Sendable {
    /// The wall clock, for what people see and what outlives the process.
    var now: @Sendable () -> Timestamp
    /// Returns early by throwing `CancellationError`.
    var sleep: @Sendable (Duration) async throws -> Void

    static let system = EngineClock(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
        },
        sleep: { try await Task.sleep(for: $0) }
    )
}
