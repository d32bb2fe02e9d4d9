/// Any clock, read as the time since it was first looked at, so that times can be kept without naming the clock's type.
package struct ElapsedClock: Clock {
    package struct Instant: InstantProtocol {
        package var offset: Duration
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
