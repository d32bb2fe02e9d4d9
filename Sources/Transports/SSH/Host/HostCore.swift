import Logging
import NIOCore
import NIOPosix

/// The state of a host: its connection, who waits for it, and who works on it. Unchecked: used on its event loop only.
final class HostCore: @unchecked Sendable {
    enum Link {
        case none
        case connecting(ConnectionAttempt)
        case up(SSHHandler)
    }

    let endpoint: SSHEndpoint
    let deadlines: SSHDeadlines
    let clock: any HostClock
    let eventLoop: any EventLoop
    let threadPool: NIOThreadPool
    let logger: Logger
    let policy: @Sendable () async throws(SSHError) -> HostKeyPolicy
    let login: @Sendable () async throws(SSHError) -> SSHLogin
    private(set) var link = Link.none
    var line = ChannelLine<HostCall>()
    /// Channels that are asked for, open or closing.
    var operations: [ChannelOperation] = []
    var sftp: SFTPWork?
    /// Whether a channel of this connection was closed already.
    var hasReleased = false
    /// Commands of this connection that were given up while they ran: the server may count them until they end.
    var abandoned = 0
    /// Another connection, for those who wait while such commands hold the places here.
    var spare: HostCore?
    /// Since when somebody waits without a break.
    var waitingSince: NIODeadline?
    /// Since when the server refuses every channel, though none is open.
    var refusedSince: NIODeadline?
    /// All calls are being ended: nothing is left to be done later.
    private(set) var isClosing = false
    /// Nobody begins for a moment.
    var isPaused = false
    var idleTimer: HostTimer?
    var keepAliveTimer: HostTimer?
    var ticker: HostTimer?

    init(
        _ endpoint: SSHEndpoint, policy: @escaping @Sendable () async throws(SSHError) -> HostKeyPolicy,
        login: @escaping @Sendable () async throws(SSHError) -> SSHLogin, deadlines: SSHDeadlines,
        clock: any HostClock, eventLoop: any EventLoop, threadPool: NIOThreadPool, logger: Logger
    ) {
        self.endpoint = endpoint
        self.policy = policy
        self.login = login
        self.deadlines = deadlines
        self.clock = clock
        self.eventLoop = eventLoop
        self.threadPool = threadPool
        self.logger = logger
    }

    /// Lets whoever is next begin, as far as there are places; connects where somebody waits and there is no
    /// connection.
    func advance() {
        line.remove { $0.work.isGivenUp }
        switch link {
        case .none: if !line.isEmpty { connect() }
        case .connecting(let attempt):
            if line.isEmpty {
                link = .none
                attempt.abandon(.cancelled)
            }
        case .up(let handler):
            // A start may end the connection there and then, and begin another.
            while isUp(handler), !isPaused, let (call, lane) = line.next() { start(call, lane, on: handler) }
            if isUp(handler) { watch(handler) }
        }
    }

    func isUp(_ handler: SSHHandler) -> Bool {
        if case .up(let current) = link { current === handler && handler.failure == nil } else { false }
    }

    private func connect() {
        let attempt = ConnectionAttempt(endpoint, deadlines: deadlines, eventLoop: eventLoop, threadPool: threadPool)
        link = .connecting(attempt)
        let (policy, login) = (policy, login)
        eventLoop.makeFutureWithTask { try await policy() }
            .flatMap { attempt.shakeHands(judgedBy: $0) }
            .flatMapThrowing { shaken in
                if let refusal = shaken.refusal { throw refusal }
                return shaken.handler
            }
            .flatMap { [eventLoop] handler in
                eventLoop.makeFutureWithTask { try await login() }.flatMap { attempt.logIn(handler, $0) }
            }
            .assumeIsolated()
            .whenComplete { [self] result in
                guard case .connecting(let current) = link, current === attempt else {
                    return attempt.abandon(.cancelled)
                }
                switch result {
                case .success(let handler): use(handler)
                case .failure(let error):
                    attempt.abandon(.cancelled)
                    link = .none
                    let error = SSHError(connecting: error)
                    logger.debug("SSH: no connection", metadata: ["host": "\(endpoint.host)", "reason": "\(error)"])
                    line.removeAll().forEach { $0.work.failed(error) }
                }
            }
    }

    private func use(_ handler: SSHHandler) {
        if let failure = handler.failure {
            link = .none
            return line.removeAll().forEach { $0.work.failed(failure.during("log in")) }
        }
        logger.debug("SSH: logged in", metadata: ["host": "\(endpoint.host)", "user": "\(endpoint.user)"])
        link = .up(handler)
        line.startOver()
        hasReleased = false
        refusedSince = nil
        abandoned = 0
        operations = []
        handler.onEnd = { [weak self] error in self?.linkEnded(error) }
        startKeepAlive(handler)
        advance()
    }

    private func linkEnded(_ error: SSHError) {
        logger.debug("SSH: the connection ended", metadata: ["host": "\(endpoint.host)", "reason": "\(error)"])
        link = .none
        operations = []
        stopTimers()
        line.startOver()
        advance()
    }

    func close(_ promise: EventLoopPromise<Void>) {
        isClosing = true
        defer { isClosing = false }
        guard let spare else { return closeOwn(promise) }
        let (own, other) = (eventLoop.makePromise(of: Void.self), eventLoop.makePromise(of: Void.self))
        closeOwn(own)
        spare.close(other)
        own.futureResult.and(other.futureResult).map { _ in }.cascade(to: promise)
    }

    private func closeOwn(_ promise: EventLoopPromise<Void>) {
        let error = SSHError(.cancelled, operation: "", reason: "the connection to the host is being closed")
        line.removeAll().forEach { $0.work.failed(error) }
        switch link {
        case .none: promise.succeed()
        case .connecting(let attempt):
            link = .none
            attempt.abandon(error)
            promise.succeed()
        case .up(let handler):
            let closed = handler.context?.channel.closeFuture
            handler.fail(error)
            if let closed { closed.cascade(to: promise) } else { promise.succeed() }
        }
    }
}
