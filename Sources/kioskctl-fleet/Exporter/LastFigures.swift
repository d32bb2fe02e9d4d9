import KioskFleet
import Synchronization

/// The last figures that were read, and how reading them goes.
final class LastFigures: Sendable {
    private struct State {
        var figures: FleetFigures?
        var readAt: ContinuousClock.Instant?
        var readingTime: Duration = .zero
        var counts = FleetSnapshot.Counts()
        var problem: String?
        var link: (any FleetLink)?
    }
    private let state = Mutex(State())

    /// Notes the link that figures come by from now on.
    func begin(_ link: any FleetLink) { state.withLock { $0.link = link } }

    /// Returns whether reading had failed before.
    func note(_ figures: FleetFigures, took time: Duration) -> Bool {
        state.withLock { state in
            (state.figures, state.readAt, state.readingTime) = (figures, .now, time)
            state.counts.done += 1
            defer { state.problem = nil }
            return state.problem != nil
        }
    }

    /// Returns whether that is another problem than before.
    func fail(_ problem: String) -> Bool {
        state.withLock { state in
            state.counts.failed += 1
            defer { state.problem = problem }
            return state.problem != problem
        }
    }

    var snapshot: FleetSnapshot {
        state.withLock { state in
            FleetSnapshot(
                figures: state.figures,
                isUp: state.figures != nil && state.problem == nil && state.link?.isConnected == true,
                age: state.readAt.map { $0.duration(to: .now) } ?? .zero, readingTime: state.readingTime,
                counts: state.counts, problem: state.problem)
        }
    }
}

/// What is served at one moment.
struct FleetSnapshot: Sendable {
    /// The last that were read; nil before the first.
    var figures: FleetFigures?
    /// Whether the hub is reached, and the last reading has succeeded.
    var isUp: Bool
    /// Of the figures.
    var age: Duration
    /// How long reading them took.
    var readingTime: Duration
    /// Nil where they are read once.
    var counts: Counts?
    /// Why the last reading has failed.
    var problem: String?

    struct Counts: Sendable {
        var done = 0
        var failed = 0
    }
}
