import NIOCore
import PrintModel
import Synchronization

// Leases.
extension PrinterLink {
    /// Waits for a connection to be free; nil when one is to be made.
    func lease(isDocument: Bool) async throws -> HTTPConnection? {
        let ticket = WaiterTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var stepBack: (@Sendable () -> Void)?
                let granted: HTTPConnection?? = state.withLock { state in
                    guard !state.isClosed, !ticket.isCancelled else { return .none }
                    switch state.lanes.lease(isDocument: isDocument, isUsable: { isUsable($0, isDocument: isDocument) })
                    {
                    case .go(let connection):
                        if state.lanes.isFull { stepBack = state.stepBack.take() }
                        return .some(connection)
                    case .wait:
                        ticket.number = state.lanes.enqueue(continuation, isDocument: isDocument)
                        return .none
                    }
                }
                stepBack?()
                if let granted {
                    continuation.resume(returning: granted)
                } else if ticket.number == nil {
                    continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                ticket.isCancelled = true
                return ticket.number.flatMap { state.lanes.forgetWaiter($0) }
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// The connection to use, noted as active.
    func enter(_ kept: HTTPConnection?, isDocument: Bool) async throws -> HTTPConnection {
        let connection: HTTPConnection
        // What was handed on while it was idle may be in clear, and TLS demanded since.
        if let kept, isUsable(kept, isDocument: isDocument) {
            connection = kept
        } else {
            kept?.close()
            connection = try await open(forDocument: isDocument)
        }
        let isClosed = state.withLock { state in
            state.active[ObjectIdentifier(connection)] = connection
            return state.isClosed
        }
        if isClosed { connection.close() }
        return connection
    }

    private func open(forDocument isDocument: Bool) async throws -> HTTPConnection {
        if let dialer = connector.dialer { return try await open(through: dialer) }
        do {
            return try await open(forDocument: isDocument, mayGuess: true)
        } catch is Connector.OutdatedTerms {
            return try await open(forDocument: isDocument, mayGuess: false)
        }
    }

    private func open(forDocument isDocument: Bool, mayGuess: Bool) async throws -> HTTPConnection {
        let security = try await security.next(forDocument: isDocument, on: home.eventLoop, mayGuess: mayGuess)
        do {
            let opened = connector.connect(to: target.url, security: security, idleLimit: idleLimit)
            let connection = try await wait(for: opened) { $0.close() }
            if connection.isSecure { self.security.upgraded() }
            return connection
        } catch let failure as HTTPFailure {
            guard case .upgrade = security else { throw failure }
            self.security.upgradeRefused()
            throw self.security.explained(failure)
        }
    }

    private func isUsable(_ connection: HTTPConnection, isDocument: Bool) -> Bool {
        connection.isUsable && security.allows(isSecure: connection.isSecure, isDocument: isDocument)
    }

    /// Ends a lease, and with it a connection of no more use. Closing takes system calls, and wakes the printer: the
    /// answer that came over the connection goes its way first. The lease lasts until it is closed, since a small
    /// printer may serve no other one meanwhile.
    func giveBack(_ connection: HTTPConnection?, isDocument: Bool) {
        if let connection, !isUsable(connection, isDocument: true) {
            home.eventLoop.execute { [self] in
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
            return (state.lanes.giveBack(isKept ? connection : nil, isDocument: isDocument), isKept)
        }
        if !isKept { connection?.close() }
        next?.waiter.resume(returning: next?.connection)
    }
}
