import CLinux
import NIOCore
import Synchronization

/// Who connected to the socket, as the kernel tells: what the connecting process was at that moment.
struct Caller: Hashable, Sendable, CustomStringConvertible {
    var user: UInt32
    /// The primary group and the supplementary ones.
    var groups: Set<UInt32>

    /// `uid:1000`
    var description: String { "uid:\(user)" }
}

extension Caller {
    /// The caller at the other end of a channel's connection; called on its event loop.
    init(of channel: any Channel) throws {
        let caller = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            try Caller(of: $0)
        }
        guard let caller else { throw Unknown(reason: "it is no socket") }
        self = caller
    }

    /// At the other end of a Unix socket. Throws `errno`'s words where the kernel does not tell.
    init(of descriptor: CInt) throws {
        var (user, group): (UInt32, UInt32) = (0, 0)
        let failure = clinux_peer(descriptor, &user, &group)
        guard failure == 0 else { throw Unknown(reason: errorText(failure)) }
        self.init(user: user, groups: try Self.supplementaryGroups(descriptor).union([group]))
    }

    struct Unknown: Error, CustomStringConvertible {
        var reason: String
        var description: String { "cannot tell who is at the other end of the socket: \(reason)" }
    }

    /// NGROUPS_MAX of the kernel's limits.h.
    private static let mostGroups: UInt32 = 65_536

    private static func supplementaryGroups(_ descriptor: CInt) throws -> Set<UInt32> {
        var room: UInt32 = 64
        while true {
            var groups = [UInt32](repeating: 0, count: Int(room))
            var count = room
            switch clinux_peer_groups(descriptor, &groups, &count) {
            case 0: return Set(groups.prefix(Int(count)))
            case ERANGE where count > room && count <= mostGroups: room = count
            case let failure: throw Unknown(reason: errorText(failure))
            }
        }
    }
}

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
