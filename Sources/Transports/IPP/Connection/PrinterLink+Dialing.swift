import Glibc
import NIOCore
import PrintModel
import Synchronization

// Connections that a dialer opens.
extension PrinterLink {
    var isDialed: Bool { connector.dialer != nil }

    var address: PrinterAddress { isDialed ? .local : PrinterAddress(target.url) }

    /// Whether the printer serves one connection more than all that are for everyone.
    var hasRoomBeside: Bool { state.withLock { $0.limit > ConnectionLanes<HTTPConnection, Waiter>.most } }

    func open(through dialer: any PrinterDialer) async throws -> HTTPConnection {
        let dialed = try await dial(dialer)
        let next = state.withLock { state in
            state.limit = dialed.limit
            return state.lanes.allow(dialed.limit)
        }
        for (waiter, connection) in next { waiter.resume(returning: connection) }
        return try await wait(for: connector.adopt(dialed, idleLimit: idleLimit)) { $0.close() }
    }

    /// Away from the event loop, and for no longer than any connection may take.
    private func dial(_ dialer: any PrinterDialer) async throws -> DialedConnection {
        let promise = home.eventLoop.makePromise(of: DialedConnection.self)
        let dialing = promise.completeWithTask { [target] in try await dialer.dial(target) }
        let timer = home.eventLoop.scheduleTask(in: connector.connectTimeout) { dialing.cancel() }
        defer {
            timer.cancel()
            dialing.cancel()
        }
        do {
            return try await wait(for: promise.futureResult) { Glibc.close($0.socket) }
        } catch let error as TransportError where error.code == .cancelled {
            throw HTTPFailure(cause: .timedOut(.connection), nothingTaken: true)
        }
    }
}
