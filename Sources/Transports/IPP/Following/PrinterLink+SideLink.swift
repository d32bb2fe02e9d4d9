import Synchronization

// A second link to the same printer, for waits that must not hold up anyone.
extension PrinterLink {
    /// A link with connections of its own, which is closed with this one; one at a time.
    func makeSideLink() -> PrinterLink {
        let side = PrinterLink(
            target, connector: connector, credentials: credentials, idleLimit: idleLimit, knowledge: knowledge,
            security: security
        )
        let isClosed = state.withLock { state in
            state.side = side
            return state.isClosed
        }
        if isClosed { side.close() }
        return side
    }

    /// Says who is to step back, nil for nobody, when all connections to the printer are in use; false where they are
    /// in use already, and then nothing is kept.
    @discardableResult
    func whenCrowded(_ stepBack: (@Sendable () -> Void)?) -> Bool {
        state.withLock { state in
            let isFree = !state.lanes.isFull && !state.isClosed
            state.stepBack = isFree ? stepBack : nil
            return isFree
        }
    }

    /// A connection that stands and serves nobody, to be the caller's from now on; the other ones are closed.
    func takeIdle() -> HTTPConnection? {
        var idle = state.withLock { $0.lanes.dropIdle() }
        let index = idle.lastIndex { $0.isUsable && security.allows(isSecure: $0.isSecure, isDocument: false) }
        let taken = index.map { idle.remove(at: $0) }
        for connection in idle { connection.close() }
        return taken
    }

    /// Ends all exchanges under way, as cancelled.
    func dropAll() {
        let (connections, interrupts) = state.withLock {
            ($0.lanes.dropIdle() + $0.active.values, $0.interrupts.values)
        }
        for interrupt in interrupts { interrupt() }
        for connection in connections { connection.close() }
    }
}
