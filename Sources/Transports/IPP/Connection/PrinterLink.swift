import NIOCore
import NIOPosix
import PrintModel
import Synchronization

/// What is kept for one printer: its warm connections, and what was learnt of it.
final class PrinterLink: Sendable {
    let target: PrinterTarget
    let knowledge = PrinterKnowledge()
    /// Where work for this printer runs.
    let home: EventLoopHome
    private let connector: Connector
    private let idleLimit: IdleLimit
    private let state = Mutex(State())

    private typealias Waiter = CheckedContinuation<HTTPConnection?, any Error>

    private struct State {
        var lanes = ConnectionLanes<HTTPConnection, Waiter>()
        var active: [ObjectIdentifier: HTTPConnection] = [:]
        /// What ends the waits under way.
        var interrupts: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isClosed = false
    }

    init(_ target: PrinterTarget, connector: Connector, idleLimit: IdleLimit = IdleLimit()) {
        self.target = target
        self.connector = connector
        home = EventLoopHome(connector.eventLoop)
        self.idleLimit = idleLimit
    }

    /// One exchange, on a kept connection where there is one.
    ///
    /// A kept connection may turn out to be closed. Then the request goes out once more, on a new one, but only where
    /// the printer cannot have acted on the first, or where acting twice does no harm.
    func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer {
        let (result, wasKept) = await attempt(request)
        guard wasKept, case .failure(let failure) = result, failure.allowsRepeating(request) else {
            return try result.get()
        }
        for connection in state.withLock({ $0.lanes.dropIdle() }) { connection.close() }
        return try await attempt(request).result.get()
    }

    private func attempt(_ request: HTTPRequest) async -> (result: Result<HTTPAnswer, HTTPFailure>, wasKept: Bool) {
        let isDocument = request.document != nil
        let kept: HTTPConnection?
        do {
            kept = try await lease(isDocument: isDocument)
        } catch {
            return (.failure(HTTPFailure(cause: .cancelled, nothingTaken: true)), false)
        }
        let connection: HTTPConnection
        do {
            connection = try await enter(kept)
        } catch {
            giveBack(nil, isDocument: isDocument)
            return (.failure(HTTPFailure(connecting: error)), false)
        }
        let result = await connection.exchange(request)
        giveBack(connection, isDocument: isDocument)
        return (result, kept != nil)
    }

    /// Closes everything, and refuses all that comes later.
    func close() {
        let (connections, waiters, interrupts) = state.withLock { state in
            state.isClosed = true
            return (state.lanes.dropIdle() + state.active.values, state.lanes.dropWaiters(), state.interrupts.values)
        }
        for interrupt in interrupts { interrupt() }
        for connection in connections { connection.close() }
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    }
}

// Waits that end when the task is cancelled, and when the link closes.
extension PrinterLink {
    func pause(_ duration: Duration) async throws {
        let timer = home.eventLoop.scheduleTask(in: TimeAmount(duration)) {}
        do {
            try await wait(for: timer.futureResult) {}
        } catch {
            timer.cancel()
            throw error
        }
    }

    private func wait<Value: Sendable>(
        for future: EventLoopFuture<Value>, tooLate: @escaping @Sendable (Value) -> Void
    ) async throws -> Value {
        let wait = CancellableWait<Value>()
        let isClosed = state.withLock { state in
            state.interrupts[ObjectIdentifier(wait)] = { wait.interrupt() }
            return state.isClosed
        }
        defer { state.withLock { $0.interrupts[ObjectIdentifier(wait)] = nil } }
        if isClosed { wait.interrupt() }
        return try await wait.value(of: future, tooLate: tooLate)
    }
}

// Leases.
extension PrinterLink {
    /// Waits for a connection to be free; nil when one is to be made.
    private func lease(isDocument: Bool) async throws -> HTTPConnection? {
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
    private func enter(_ kept: HTTPConnection?) async throws -> HTTPConnection {
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

    private func giveBack(_ connection: HTTPConnection?, isDocument: Bool) {
        let (next, isClosed) = state.withLock { state in
            if let connection { state.active[ObjectIdentifier(connection)] = nil }
            let isKept = !state.isClosed && connection?.isUsable == true
            return (state.lanes.giveBack(isKept ? connection : nil, isDocument: isDocument), state.isClosed)
        }
        if isClosed { connection?.close() }
        next?.waiter.resume(returning: next?.connection)
    }
}
