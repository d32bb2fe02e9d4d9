/// Who may use how many connections to one printer. No I/O.
///
/// Two connections at most: small printers serve few at once, and one is enough while no long document is under way.
/// At most one of them carries a document, so that contacting and following go on beside it. Fewer where the printer
/// serves no two.
struct ConnectionLanes<Connection, Waiter> {
    enum Grant {
        /// Use this one, or make a new one where it is nil; then give it back.
        case go(Connection?)
        case wait
    }

    static var most: Int { 2 }

    private var limit: Int
    private var idle: [Connection] = []
    private var inUse = 0
    private var isDocumentUnderWay = false
    private var waiters: [(id: Int, isDocument: Bool, waiter: Waiter)] = []
    private var nextID = 0

    init(limit: Int = .max) {
        self.limit = max(1, min(limit, Self.most))
    }

    /// Whether every connection is in use.
    var isFull: Bool { inUse >= limit }

    private func isFree(forDocument isDocument: Bool) -> Bool {
        inUse < limit && !(isDocument && isDocumentUnderWay)
    }

    /// Asks for a connection; the one that was used last comes first, since it is the least likely to be closed by now.
    mutating func lease(isDocument: Bool, isUsable: (Connection) -> Bool) -> Grant {
        guard isFree(forDocument: isDocument) else { return .wait }
        inUse += 1
        if isDocument { isDocumentUnderWay = true }
        idle.removeAll { !isUsable($0) }
        return .go(idle.popLast())
    }

    /// Remembers who waits; they are served in order. The number is for `forgetWaiter`.
    mutating func enqueue(_ waiter: Waiter, isDocument: Bool) -> Int {
        nextID += 1
        waiters.append((nextID, isDocument, waiter))
        return nextID
    }

    /// Nil when it was served already.
    mutating func forgetWaiter(_ id: Int) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).waiter
    }

    /// Gives a lease back, with the connection where it can be used again; names the waiter that has the lease now.
    mutating func giveBack(_ connection: Connection?, isDocument: Bool) -> (waiter: Waiter, connection: Connection?)? {
        inUse -= 1
        if isDocument { isDocumentUnderWay = false }
        if let connection { idle.append(connection) }
        return serveNext()
    }

    /// From now on there may be so many; names the waiters that have leases now.
    mutating func allow(_ limit: Int) -> [(waiter: Waiter, connection: Connection?)] {
        self.limit = max(1, min(limit, Self.most))
        var served: [(waiter: Waiter, connection: Connection?)] = []
        while let next = serveNext() { served.append(next) }
        return served
    }

    private mutating func serveNext() -> (waiter: Waiter, connection: Connection?)? {
        guard let index = waiters.firstIndex(where: { isFree(forDocument: $0.isDocument) }) else { return nil }
        let next = waiters.remove(at: index)
        inUse += 1
        if next.isDocument { isDocumentUnderWay = true }
        return (next.waiter, idle.popLast())
    }

    /// Forgets the idle connections, and names them to be closed.
    mutating func dropIdle() -> [Connection] {
        defer { idle = [] }
        return idle
    }

    mutating func dropWaiters() -> [Waiter] {
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }
}
