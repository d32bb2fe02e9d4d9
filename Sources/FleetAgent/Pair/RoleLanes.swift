import KioskAsyncPrimitives
import KioskFleet
import KioskPrintModel
import Synchronization

/// The jobs that a kiosk of a pair has fetched and not begun, in a lane for each role: of each role one is begun when
/// the one before is settled, so that another kiosk can take over all the others.
final class RoleLanes: Sendable {
    private struct State {
        /// Those of a role that wait, and before them the one that is worked on.
        var lanes: [RoleName: [JobFetcher.Delivery]] = [:]
        /// When the hub stored the last message that was fetched, in ns since 1970.
        var fetchedUpTo: Int64
    }
    private let state: Mutex<State>
    private let hasRoom = AsyncSignal()
    /// A role whose lane has just begun: somebody is to work on it until it is empty.
    let begun: AsyncStream<RoleName>
    private let begin: AsyncStream<RoleName>.Continuation

    /// In number, of all lanes. Each has at most 256 KiB in memory.
    private static let capacity = 64

    /// `start`: from where on is fetched.
    init(from start: Int64) {
        state = Mutex(State(fetchedUpTo: start))
        (begun, begin) = AsyncStream.makeStream()
    }

    /// Puts a job at the end of its lane, once there is room; not where it waits in a lane already, delivered again by
    /// another consumer.
    func add(_ delivery: JobFetcher.Delivery, to role: RoleName) async throws {
        while true {
            try Task.checkCancellation()
            let isFirst: Bool? = state.withLock { state in
                let waits = state.lanes.values.joined().contains { delivery.position.isOfSameMessage(as: $0.position) }
                if waits { return false }
                guard state.lanes.values.reduce(0, { $0 + $1.count }) < Self.capacity else { return nil }
                state.lanes[role, default: []].append(delivery)
                state.fetchedUpTo = max(state.fetchedUpTo, delivery.position.storedAt)
                return state.lanes[role]?.count == 1
            }
            guard let isFirst else {
                await hasRoom.wait()
                continue
            }
            if isFirst { begin.yield(role) }
            return
        }
    }

    /// The first job of a lane, which stays there.
    func first(of role: RoleName) -> JobFetcher.Delivery? { state.withLock { $0.lanes[role]?.first } }

    /// Takes the first job out of a lane; false where the lane is empty then, and ends.
    func removeFirst(of role: RoleName) -> Bool {
        let goesOn = state.withLock { state in
            state.lanes[role]?.removeFirst()
            guard state.lanes[role]?.isEmpty ?? true else { return true }
            state.lanes[role] = nil
            return false
        }
        hasRoom.raise()
        return goesOn
    }

    /// Begins no lane any more.
    func end() { begin.finish() }

    /// How far everything is taken once `delivery` is: up to before the first that waits, in ns since 1970.
    func progress(taking delivery: JobFetcher.Delivery) -> Int64 {
        state.withLock { state in
            let waiting = state.lanes.values.joined().filter { !$0.position.isOfSameMessage(as: delivery.position) }
            let first = waiting.map(\.position.storedAt).min().map { $0 - 1 }
            return min(first ?? .max, max(state.fetchedUpTo, delivery.position.storedAt))
        }
    }
}
