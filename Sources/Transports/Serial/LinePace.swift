import KioskPrintModel

/// How far a serial line can have got with the bytes that were written to it: no faster than its speed, whatever the
/// buffers of kernel, UART and USB adapter have taken. Does no I/O; times are handed in.
struct LinePace: Sendable {
    private let nanosecondsPerByte: Int64
    private var busyUntil: ContinuousClock.Instant?

    init(_ settings: SerialSettings) {
        nanosecondsPerByte = Int64(settings.bitsPerCharacter) * 1_000_000_000 / Int64(settings.baud)
    }

    /// The bytes that the line sends in this time.
    func bytes(in time: Duration) -> Int { Int(time / .nanoseconds(nanosecondsPerByte)) }

    mutating func wrote(_ count: Int, at now: ContinuousClock.Instant) {
        busyUntil = max(busyUntil ?? now, now).advanced(by: .nanoseconds(nanosecondsPerByte * Int64(count)))
    }

    /// The bytes that were written and that the line has not had the time to send.
    func unsent(at now: ContinuousClock.Instant) -> Int {
        guard let busyUntil, busyUntil > now else { return 0 }
        return Int((now.duration(to: busyUntil) / .nanoseconds(nanosecondsPerByte)).rounded(.up))
    }

    /// Forgets what was written: it was discarded.
    mutating func discard() { busyUntil = nil }
}
