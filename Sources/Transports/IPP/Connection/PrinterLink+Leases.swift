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
                let granted: HTTPConnection?? = state.withLock { state in
                    guard !state.isClosed, !ticket.isCancelled else { return .none }
                    switch state.lanes.lease(isDocument: isDocument, isUsable: \.isUsable) {
                    case .go(let connection): return .some(connection)
                    case .wait:
                        ticket.number = state.lanes.enqueue(continuation, isDocument: isDocument)
                        return .none
                    }
                }
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
    func enter(_ kept: HTTPConnection?) async throws -> HTTPConnection {
        let connection: HTTPConnection
        if let kept {
            connection = kept
        } else {
            connection = try await wait(for: connector.connect(to: target.url, idleLimit: idleLimit)) { $0.close() }
        }
        let isClosed = state.withLock { state in
            state.active[ObjectIdentifier(connection)] = connection
            return state.isClosed
        }
        if isClosed { connection.close() }
        return connection
    }

    func giveBack(_ connection: HTTPConnection?, isDocument: Bool) {
        let (next, isClosed) = state.withLock { state in
            if let connection { state.active[ObjectIdentifier(connection)] = nil }
            let isKept = !state.isClosed && connection?.isUsable == true
            return (state.lanes.giveBack(isKept ? connection : nil, isDocument: isDocument), state.isClosed)
        }
        if isClosed { connection?.close() }
        next?.waiter.resume(returning: next?.connection)
    }
}
