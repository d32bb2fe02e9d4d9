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
    let connector: Connector
    let idleLimit: IdleLimit
    let state = Mutex(State())
    let logins = Mutex(LoginMemory())
    let credentials: (any CredentialSource)?
    let security: LinkSecurity

    typealias Waiter = CheckedContinuation<HTTPConnection?, any Error>

    struct State {
        var lanes = ConnectionLanes<HTTPConnection, Waiter>()
        var active: [ObjectIdentifier: HTTPConnection] = [:]
        /// What ends the waits under way.
        var interrupts: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isClosed = false
    }

    init(
        _ target: PrinterTarget, connector: Connector, credentials: (any CredentialSource)?,
        idleLimit: IdleLimit = IdleLimit()
    ) {
        self.target = target
        self.credentials = credentials
        security = LinkSecurity(target, credentials: credentials, threadPool: connector.threadPool)
        self.connector = connector
        home = EventLoopHome(connector.eventLoop)
        self.idleLimit = idleLimit
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
