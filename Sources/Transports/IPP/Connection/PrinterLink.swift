import NIOCore
import NIOPosix
import PrintModel
import Synchronization

/// What is kept for one printer: its warm connections, and what was learnt of it.
final class PrinterLink: Sendable {
    let target: PrinterTarget
    let knowledge: PrinterKnowledge
    /// Where work for this printer runs.
    let home: EventLoopHome
    let connector: Connector
    let idleLimit: IdleLimit
    let state: Mutex<State>
    let logins = Mutex(LoginMemory())
    let credentials: (any CredentialSource)?
    let security: LinkSecurity

    typealias Waiter = CheckedContinuation<HTTPConnection?, any Error>

    struct State {
        var lanes: ConnectionLanes<HTTPConnection, Waiter>
        /// How many connections the printer serves at a time, as far as its dialer told.
        var limit: Int
        var active: [ObjectIdentifier: HTTPConnection] = [:]
        /// What ends the waits under way.
        var interrupts: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isClosed = false
        /// Who is to step back when all connections are in use.
        var stepBack: (@Sendable () -> Void)?
        /// Closed with this one.
        var side: PrinterLink?
    }

    init(
        _ target: PrinterTarget, connector: Connector, credentials: (any CredentialSource)?,
        idleLimit: IdleLimit, knowledge: PrinterKnowledge = PrinterKnowledge(),
        security: LinkSecurity? = nil
    ) {
        self.target = target
        self.knowledge = knowledge
        self.credentials = credentials
        self.security = security ?? LinkSecurity(target, credentials: credentials, threadPool: connector.threadPool)
        self.connector = connector
        // Who dials learns with the first connection how many there may be.
        let limit = connector.dialer == nil ? Int.max : 1
        state = Mutex(State(lanes: ConnectionLanes(limit: limit), limit: limit))
        home = EventLoopHome(connector.eventLoop)
        self.idleLimit = idleLimit
    }

    /// Closes everything, and refuses all that comes later.
    func close() {
        let (connections, waiters, interrupts, side) = state.withLock { state in
            state.isClosed = true
            return (
                state.lanes.dropIdle() + state.active.values, state.lanes.dropWaiters(), state.interrupts.values,
                state.side.take()
            )
        }
        side?.close()
        for interrupt in interrupts { interrupt() }
        for connection in connections { connection.close() }
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    }
}
