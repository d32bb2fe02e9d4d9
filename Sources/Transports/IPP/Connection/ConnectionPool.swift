import KioskPrintModel
import NIOCore
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

/// How long a connection may lie idle and still be used: shared by the connections to one printer.
///
/// Writing at the moment when the printer closes the connection costs certainty about what it accepted, and a
/// connection to a printer that was switched off and on in between costs a reset in the middle of a receipt. A new
/// connection costs one round trip in the local network. So idle connections are closed early: well before any printer
/// can reboot, and before the printer's own timeout, as far as it announces or shows that.
final class IdleTimeout: Sendable {
    private static let margin = TimeAmount.seconds(1)

    private let timeout: Mutex<TimeAmount>

    init(_ timeout: TimeAmount) {
        self.timeout = Mutex(timeout)
    }

    var amount: TimeAmount { timeout.withLock { $0 } }

    /// Notes the timeout that the printer announced (`Keep-Alive: timeout=`).
    func announced(seconds: Int) {
        shorten(to: .seconds(Int64(max(0, min(seconds, 3600)))) - Self.margin)
    }

    /// Notes that the printer closed a connection that had been idle for so long.
    func printerClosed(after idle: TimeAmount) {
        shorten(to: .nanoseconds(idle.nanoseconds / 2))
    }

    private func shorten(to amount: TimeAmount) {
        timeout.withLock { $0 = min($0, max(amount, .zero)) }
    }
}

/// The rules of a printer's connection pool: who may use how many connections. No I/O.
///
/// There are two connections at most: small printers serve few at once, and one is enough while no long document is
/// being sent. At most one of them carries a document, so that other requests go on beside it. A printer that serves
/// only one connection gets only one.
struct ConnectionPoolState<Connection, Waiter> {
    enum Lease {
        /// The caller may use this connection, or make a new one where it is nil, and gives it back afterwards.
        case granted(Connection?)
        case wait
    }

    static var maximum: Int { 2 }

    private var limit: Int
    private var idle: [Connection] = []
    private var inUse = 0
    private var isSendingDocument = false
    private var waiters: [(id: Int, isDocument: Bool, waiter: Waiter)] = []
    private var lastID = 0

    init(limit: Int = .max) {
        self.limit = max(1, min(limit, Self.maximum))
    }

    /// Whether every connection is in use.
    var isFull: Bool { inUse >= limit }

    private func isFree(forDocument isDocument: Bool) -> Bool {
        inUse < limit && !(isDocument && isSendingDocument)
    }

    /// Requests a connection. The one that was used last comes first, since it is the least likely to be closed by now.
    mutating func lease(isDocument: Bool, isUsable: (Connection) -> Bool) -> Lease {
        guard isFree(forDocument: isDocument) else { return .wait }
        inUse += 1
        if isDocument { isSendingDocument = true }
        idle.removeAll { !isUsable($0) }
        return .granted(idle.popLast())
    }

    /// Adds a waiter to the queue, which is served in order; returns its number for `removeWaiter`.
    mutating func enqueue(_ waiter: Waiter, isDocument: Bool) -> Int {
        lastID += 1
        waiters.append((lastID, isDocument, waiter))
        return lastID
    }

    /// Removes a waiter from the queue; nil when it was served already.
    mutating func removeWaiter(_ id: Int) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).waiter
    }

    /// Ends a lease, with the connection where it can be used again; returns the waiter that has the lease now.
    mutating func giveBack(_ connection: Connection?, isDocument: Bool) -> (waiter: Waiter, connection: Connection?)? {
        inUse -= 1
        if isDocument { isSendingDocument = false }
        if let connection { idle.append(connection) }
        return serveNext()
    }

    /// Changes the number of connections that the printer serves; returns the waiters that have leases now.
    mutating func allow(_ limit: Int) -> [(waiter: Waiter, connection: Connection?)] {
        self.limit = max(1, min(limit, Self.maximum))
        var served: [(waiter: Waiter, connection: Connection?)] = []
        while let next = serveNext() { served.append(next) }
        return served
    }

    private mutating func serveNext() -> (waiter: Waiter, connection: Connection?)? {
        guard let index = waiters.firstIndex(where: { isFree(forDocument: $0.isDocument) }) else { return nil }
        let next = waiters.remove(at: index)
        inUse += 1
        if next.isDocument { isSendingDocument = true }
        return (next.waiter, idle.popLast())
    }

    /// Removes the idle connections and returns them, for the caller to close.
    mutating func removeIdle() -> [Connection] {
        defer { idle = [] }
        return idle
    }

    /// Removes all waiters and returns them.
    mutating func removeWaiters() -> [Waiter] {
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }
}
