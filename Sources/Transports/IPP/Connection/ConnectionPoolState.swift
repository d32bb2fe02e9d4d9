/// Decides who may use how many connections to one printer. No I/O.
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
