import PrintModel

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
