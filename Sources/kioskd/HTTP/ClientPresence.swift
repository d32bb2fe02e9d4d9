import Synchronization

/// The presence of a connection's client, and what to do when it goes.
final class ClientPresence: Sendable {
    enum Departure: Hashable, Sendable {
        /// The client sends nothing more, but may still read.
        case finishedSending
        /// The connection is closed.
        case closed
    }

    private struct State {
        var departures: Set<Departure> = []
        var lastID = 0
        var listeners: [Int: (departure: Departure, act: @Sendable () -> Void)] = [:]
    }

    private let state = Mutex(State())

    /// Calls `action` once the client has gone this far, at once where it already has; never after `cancel` of what
    /// this returns.
    func on(_ departure: Departure, _ act: @escaping @Sendable () -> Void) -> Listener {
        let id = state.withLock { state -> Int? in
            guard !state.departures.contains(departure) else { return nil }
            state.lastID += 1
            state.listeners[state.lastID] = (departure, act)
            return state.lastID
        }
        if id == nil { act() }
        return Listener(presence: self, id: id)
    }

    struct Listener: Sendable {
        fileprivate let presence: ClientPresence
        fileprivate let id: Int?

        func cancel() {
            guard let id else { return }
            presence.state.withLock { $0.listeners[id] = nil }
        }
    }

    /// A closed connection has finished sending, too.
    func note(_ departure: Departure) {
        let departures: Set<Departure> = departure == .closed ? [.finishedSending, .closed] : [.finishedSending]
        let acts = state.withLock { state in
            state.departures.formUnion(departures)
            let due = state.listeners.filter { departures.contains($0.value.departure) }
            for id in due.keys { state.listeners[id] = nil }
            return due.values.map(\.act)
        }
        for act in acts { act() }
    }

    /// Cancels the work when the connection is closed: nobody would see its result.
    func cancelWhenClosed<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let listener = on(.closed) { end.finish() }
        defer { listener.cancel() }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in ends {}
                return nil
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() ?? nil else { throw CancellationError() }
            return result
        }
    }
}
