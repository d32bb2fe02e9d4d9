import NIOCore
import PrintModel
import Synchronization

/// The open connections to one printer: leases them to requests, and keeps them between requests.
final class ConnectionPool: Sendable {
    private typealias Waiter = CheckedContinuation<HTTPConnection?, any Error>

    private struct State {
        var leases: ConnectionPoolState<HTTPConnection, Waiter>
        /// How many connections the printer serves at a time, as far as its dialer says.
        var limit: Int
        var active: [ObjectIdentifier: HTTPConnection] = [:]
        var isClosed = false
        /// Called once when all connections are in use.
        var onFull: (@Sendable () -> Void)?

        /// Removes the idle connections, and returns them and the active ones, for the caller to close.
        mutating func takeConnections() -> [HTTPConnection] { leases.removeIdle() + active.values }
    }

    /// A waiting task and its cancellation, as they see each other.
    private final class WaiterTicket: @unchecked Sendable {
        // Read and written only while the pool's state is locked.
        var number: Int?
        var isCancelled = false
    }

    private let state: Mutex<State>
    private let security: TLSPolicy
    private let eventLoop: any EventLoop

    init(limit: Int, security: TLSPolicy, eventLoop: any EventLoop) {
        state = Mutex(State(leases: ConnectionPoolState(limit: limit), limit: limit))
        self.security = security
        self.eventLoop = eventLoop
    }

    /// Waits for a lease; returns an idle connection, or nil where a new one is to be made. Every lease ends by
    /// `giveBack`.
    func lease(isDocument: Bool) async throws -> HTTPConnection? {
        let ticket = WaiterTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var onFull: (@Sendable () -> Void)?
                let granted: HTTPConnection?? = state.withLock { state in
                    guard !state.isClosed, !ticket.isCancelled else { return .none }
                    let lease = state.leases.lease(isDocument: isDocument) { isUsable($0, isDocument: isDocument) }
                    switch lease {
                    case .granted(let connection):
                        if state.leases.isFull { onFull = state.onFull.take() }
                        return .some(connection)
                    case .wait:
                        ticket.number = state.leases.enqueue(continuation, isDocument: isDocument)
                        return .none
                    }
                }
                onFull?()
                if let granted {
                    continuation.resume(returning: granted)
                } else if ticket.number == nil {
                    continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                ticket.isCancelled = true
                return ticket.number.flatMap { state.leases.removeWaiter($0) }
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Whether the connection may carry such a request now. TLS may have been demanded since it was made.
    func isUsable(_ connection: HTTPConnection, isDocument: Bool) -> Bool {
        connection.isUsable && security.allows(isSecure: connection.isSecure, isDocument: isDocument)
    }

    /// Notes that a lease uses this connection, so that closing the pool closes it.
    func activate(_ connection: HTTPConnection) {
        let isClosed = state.withLock { state in
            state.active[ObjectIdentifier(connection)] = connection
            return state.isClosed
        }
        if isClosed { connection.close() }
    }

    /// Ends a lease, and closes its connection where that is of no more use. Closing takes system calls and wakes the
    /// printer, so the response that came over the connection is passed on first. The lease lasts until the connection
    /// is closed, since a small printer may serve no other one meanwhile.
    func giveBack(_ connection: HTTPConnection?, isDocument: Bool) {
        if let connection, !isUsable(connection, isDocument: true) {
            eventLoop.execute { [self] in
                connection.close()
                endLease(connection, isDocument: isDocument)
            }
        } else {
            endLease(connection, isDocument: isDocument)
        }
    }

    private func endLease(_ connection: HTTPConnection?, isDocument: Bool) {
        let (next, isKept) = state.withLock { state in
            if let connection { state.active[ObjectIdentifier(connection)] = nil }
            let isKept = !state.isClosed && connection.map { isUsable($0, isDocument: true) } == true
            return (state.leases.giveBack(isKept ? connection : nil, isDocument: isDocument), isKept)
        }
        if !isKept { connection?.close() }
        next?.waiter.resume(returning: next?.connection)
    }

    /// Sets how many connections the printer serves at a time.
    func allow(_ limit: Int) {
        let served = state.withLock { state in
            state.limit = limit
            return state.leases.allow(limit)
        }
        for (waiter, connection) in served { waiter.resume(returning: connection) }
    }

    /// Whether the printer serves one connection more than the pool ever uses.
    var hasSpareConnection: Bool {
        state.withLock { $0.limit > ConnectionPoolState<HTTPConnection, Waiter>.maximum }
    }

    /// Sets what to call, once, when all connections are in use; nil for nothing. Returns false, and keeps nothing,
    /// where they are in use already.
    @discardableResult
    func whenFull(_ action: (@Sendable () -> Void)?) -> Bool {
        state.withLock { state in
            let isFree = !state.leases.isFull && !state.isClosed
            state.onFull = isFree ? action : nil
            return isFree
        }
    }

    /// Takes an idle connection out of the pool, for the caller to use and close; closes the other idle ones.
    func takeIdleConnection() -> HTTPConnection? {
        var idle = state.withLock { $0.leases.removeIdle() }
        let index = idle.lastIndex { isUsable($0, isDocument: false) }
        let taken = index.map { idle.remove(at: $0) }
        for connection in idle { connection.close() }
        return taken
    }

    func closeIdle() {
        for connection in state.withLock({ $0.leases.removeIdle() }) { connection.close() }
    }

    /// Closes all connections, and so ends the exchanges under way as cancelled.
    func closeAll() {
        for connection in state.withLock({ $0.takeConnections() }) { connection.close() }
    }

    /// Closes everything, and refuses all later leases.
    func close() {
        let (connections, waiters) = state.withLock { state in
            state.isClosed = true
            return (state.takeConnections(), state.leases.removeWaiters())
        }
        for connection in connections { connection.close() }
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    }
}
