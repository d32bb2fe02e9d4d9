import Synchronization

/// Notices when nothing comes any more. The time in which a message is worked on, or a consumer made, does not count.
final class SilenceWatch: Sendable {
    private struct State {
        var lastHeard = ContinuousClock.now
        var isPaused = false
    }
    private let state = Mutex(State())

    func heard() { state.withLock { $0.lastHeard = .now } }

    func pausing<Result>(_ work: () async throws -> Result) async rethrows -> Result {
        state.withLock { $0.isPaused = true }
        defer { state.withLock { $0 = State() } }
        return try await work()
    }

    /// Throws `no-response` once nothing was heard for `limit`.
    func wait(_ limit: Duration) async throws {
        while true {
            let deadline = state.withLock { ($0.isPaused ? ContinuousClock.now : $0.lastHeard).advanced(by: limit) }
            guard deadline > .now else {
                throw FleetError(.noResponse, "the hub has sent neither a message nor a heartbeat within \(limit)")
            }
            try await ContinuousClock().sleep(until: deadline)
        }
    }
}
