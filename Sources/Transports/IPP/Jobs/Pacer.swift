import NIOCore

/// Time as following a job sees it.
protocol Pacer: Sendable {
    /// Since the pacer was made.
    var elapsed: Duration { get }
    /// Throws `CancellationError` at once when the task is cancelled.
    func pause(_ duration: Duration) async throws
}

/// The event loop's own time: a pause is one of its timers, and ends on its thread.
struct EventLoopPacer: Pacer {
    private let link: PrinterLink
    private let start = NIODeadline.now()

    init(_ link: PrinterLink) { self.link = link }

    var elapsed: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }
    func pause(_ duration: Duration) async throws { try await link.pause(duration) }
}

/// A clock's time, for tests.
struct ClockPacer<C: Clock>: Pacer where C.Duration == Duration {
    private let clock: C
    private let start: C.Instant

    init(_ clock: C) {
        self.clock = clock
        start = clock.now
    }

    var elapsed: Duration { start.duration(to: clock.now) }
    func pause(_ duration: Duration) async throws { try await clock.sleep(for: duration) }
}
