import Logging
import NIOCore
import NIOPosix

/// A connection to a host: connects and logs in when a call needs it, and gives each call a channel as far as the
/// server allows. After a failure it connects again for the calls that still wait.
///
/// Unchecked: its state is used on its event loop only.
final class HostConnection: @unchecked Sendable {
    private enum State {
        case disconnected
        case connecting(ConnectionAttempt)
        case connected(SSHHandler)
    }

    private let endpoint: SSHEndpoint
    private let policy: @Sendable () async throws(SSHError) -> HostKeyPolicy
    private let login: @Sendable () async throws(SSHError) -> SSHLogin
    private let deadlines: SSHDeadlines
    private let clock: any HostClock
    private let eventLoop: any EventLoop
    private let threadPool: NIOThreadPool
    private let trace: ConnectionTrace
    private let logger: Logger

    private var state = State.disconnected
    private var queue = ChannelQueue<HostCall>()
    /// Channels that were requested, are open, or are closing.
    private var operations: [ChannelOperation] = []
    /// Whether a channel of this connection was closed already.
    private var hasClosedChannel = false
    /// Commands that were given up while they ran. The server may count their channels until they end.
    private var abandonedCommands = 0
    /// A second connection, for calls that wait while abandoned commands hold the channels of this one.
    private var overflow: HostConnection?
    /// Since when the queue has not been empty.
    private var waitingSince: NIODeadline?
    /// Since when the server has refused every channel although none is open.
    private var refusedSince: NIODeadline?
    /// No call starts until the retry timer fires.
    private var isPaused = false
    private var keepAlive: KeepAlive?
    private var idleTimer: HostTimer?
    private var ticker: HostTimer?
    /// All calls are being ended, and nothing is left for later.
    private(set) var isClosing = false

    /// How often deadlines are checked while calls run or wait.
    private static let tickInterval = TimeAmount.milliseconds(100)
    /// How long a refused channel is requested again after another was closed: the server may not have noticed yet.
    private static let closingTime = TimeAmount.seconds(2)
    private static let retryInterval = TimeAmount.milliseconds(20)
    /// After this time a lowered limit of channels is lifted again.
    private static let loweredLimitTime = TimeAmount.seconds(10)
    /// How long abandoned commands may hold up the queue.
    private static let lingerTime = TimeAmount.seconds(2)

    init(
        _ endpoint: SSHEndpoint, policy: @escaping @Sendable () async throws(SSHError) -> HostKeyPolicy,
        login: @escaping @Sendable () async throws(SSHError) -> SSHLogin, deadlines: SSHDeadlines,
        clock: any HostClock, eventLoop: any EventLoop, threadPool: NIOThreadPool, trace: ConnectionTrace,
        logger: Logger
    ) {
        self.endpoint = endpoint
        self.policy = policy
        self.login = login
        self.deadlines = deadlines
        self.clock = clock
        self.eventLoop = eventLoop
        self.threadPool = threadPool
        self.trace = trace
        self.logger = logger
    }

    /// Queues a call for a channel.
    func submit(_ call: HostCall) {
        queue.add(call, as: call.kind)
        advance()
    }

    /// A call was given up, or an SFTP operation was added: starts what can start now.
    func callsChanged() {
        advance()
        overflow?.advance()
        pump()
    }

    func pump() {
        if case .connected(let handler) = state { handler.pump() }
        overflow?.pump()
    }

    /// Ends all calls and closes the connection.
    func close(_ promise: EventLoopPromise<Void>) {
        isClosing = true
        defer { isClosing = false }
        guard let overflow else { return closeOwn(promise) }
        let (own, other) = (eventLoop.makePromise(of: Void.self), eventLoop.makePromise(of: Void.self))
        closeOwn(own)
        overflow.close(other)
        own.futureResult.and(other.futureResult).map { _ in }.cascade(to: promise)
    }

    private func closeOwn(_ promise: EventLoopPromise<Void>) {
        let error = SSHError(.cancelled, operation: "", reason: "the connection to the host is being closed")
        queue.removeAll().forEach { $0.client.failed(error) }
        switch state {
        case .disconnected: promise.succeed()
        case .connecting(let attempt):
            state = .disconnected
            attempt.abandon(error)
            promise.succeed()
        case .connected(let handler):
            let closed = handler.context?.channel.closeFuture
            handler.fail(error)
            if let closed { closed.cascade(to: promise) } else { promise.succeed() }
        }
    }

    // MARK: - Connecting

    /// Starts the next calls while channels are free. Connects when a call waits and there is no connection.
    private func advance() {
        queue.remove { $0.client.isGivenUp }
        switch state {
        case .disconnected: if !queue.isEmpty { connect() }
        case .connecting(let attempt):
            if queue.isEmpty {
                state = .disconnected
                attempt.abandon(.cancelled)
            }
        case .connected(let handler):
            // A start may end the connection at once, and begin another.
            while isCurrent(handler), !isPaused, let (call, kind) = queue.next() { start(call, kind, on: handler) }
            if isCurrent(handler) { updateTimers(handler) }
        }
    }

    private var isIdle: Bool { operations.isEmpty && queue.isEmpty }

    private func isCurrent(_ handler: SSHHandler) -> Bool {
        if case .connected(let current) = state { current === handler && handler.failure == nil } else { false }
    }

    private func connect() {
        let attempt = ConnectionAttempt(
            endpoint, deadlines: deadlines, eventLoop: eventLoop, threadPool: threadPool, trace: trace)
        state = .connecting(attempt)
        let (policy, login) = (policy, login)
        eventLoop.makeFutureWithTask { try await policy() }
            .flatMap { attempt.performHandshake(checkedBy: $0) }
            .flatMapThrowing { handshake in
                if let refusal = handshake.refusal { throw refusal }
                return handshake.handler
            }
            .flatMap { [eventLoop] handler in
                eventLoop.makeFutureWithTask { try await login() }.flatMap { attempt.logIn(handler, $0) }
            }
            .assumeIsolated()
            .whenComplete { [self] result in
                guard case .connecting(let current) = state, current === attempt else {
                    return attempt.abandon(.cancelled)
                }
                switch result {
                case .success(let handler): use(handler)
                case .failure(let error):
                    attempt.abandon(.cancelled)
                    state = .disconnected
                    let error = SSHError(connecting: error)
                    trace.tell("no connection: \(ConnectionTrace.bounded("\(error)"))")
                    logger.debug("SSH: no connection", metadata: ["host": "\(endpoint.host)", "reason": "\(error)"])
                    queue.removeAll().forEach { $0.client.failed(error) }
                }
            }
    }

    private func use(_ handler: SSHHandler) {
        if let failure = handler.failure {
            state = .disconnected
            return queue.removeAll().forEach { $0.client.failed(failure.during("log in")) }
        }
        logger.debug("SSH: logged in", metadata: ["host": "\(endpoint.host)", "user": "\(endpoint.user)"])
        state = .connected(handler)
        queue.startOver()
        hasClosedChannel = false
        refusedSince = nil
        abandonedCommands = 0
        operations = []
        handler.onEnd = { [weak self] error in self?.connectionEnded(error) }
        let keepAlive = KeepAlive(
            of: handler, deadlines: deadlines, clock: clock, eventLoop: eventLoop,
            isIdle: { [weak self] in self?.isIdle ?? true })
        self.keepAlive = keepAlive
        keepAlive.start()
        advance()
    }

    private func connectionEnded(_ error: SSHError) {
        trace.tell("the connection ended: \(ConnectionTrace.bounded(error.reason))")
        logger.debug("SSH: the connection ended", metadata: ["host": "\(endpoint.host)", "reason": "\(error)"])
        state = .disconnected
        operations = []
        keepAlive?.stop()
        idleTimer?.cancel()
        ticker?.cancel()
        (keepAlive, idleTimer, ticker) = (nil, nil, nil)
        queue.startOver()
        advance()
    }

    /// Ends the connection: the calls that wait get another one.
    private func reconnect(_ reason: String) {
        guard case .connected(let handler) = state else { return }
        handler.fail(SSHError(.connectionLost, operation: "", reason: reason))
    }

    // MARK: - Channels

    private func start(_ call: HostCall, _ kind: RemoteCommand.Kind, on handler: SSHHandler) {
        weak var started: ChannelOperation?
        let operation = ChannelOperation(
            call.client, clock: clock,
            refused: { [weak self] refusal in self?.channelRefused(call, refusal) },
            finished: { [weak self] in self?.advance() },
            released: { [weak self] in
                guard let self else { return }
                operations.removeAll { $0 === started }
                queue.release(kind)
                if started?.wasOpened == true {
                    hasClosedChannel = true
                    refusedSince = nil
                    if call.client.isGivenUp { abandonedCommands += 1 }
                }
                advance()
            })
        started = operation
        operations.append(operation)
        handler.start(operation)
    }

    private func channelRefused(_ call: HostCall, _ refusal: ChannelOperation.Refusal) {
        guard !call.client.isGivenUp else { return }
        switch refusal {
        case .connection(let error):
            guard !call.isRetried, error.code != .cancelled else { return call.client.failed(error) }
            call.isRetried = true
            queue.putBack(call, as: call.kind)
        case .channel(let error):
            let open = operations.count(where: \.isOpen)
            if open > 0 {
                lowerLimit(to: open)
                queue.putBack(call, as: call.kind)
            } else if hasClosedChannel, clock.now - (refusedSince ?? clock.now) < Self.closingTime {
                refusedSince = refusedSince ?? clock.now
                queue.putBack(call, as: call.kind)
                isPaused = true
                schedule(after: Self.retryInterval) { connection in
                    connection.isPaused = false
                    connection.advance()
                }
            } else if hasClosedChannel, !call.isRetried {
                // OpenSSH counts a session until its command has ended, even when its channel was closed long ago.
                call.isRetried = true
                queue.putBack(call, as: call.kind)
                schedule(after: .zero) { $0.reconnect("commands that were given up hold its channels") }
            } else {
                call.client.failed(error)
            }
        }
    }

    private func lowerLimit(to open: Int) {
        queue.lowerLimit(to: open)
        schedule(after: Self.loweredLimitTime) { connection in
            connection.queue.liftLimit()
            connection.advance()
        }
    }

    private func schedule(after time: TimeAmount, _ work: @escaping (HostConnection) -> Void) {
        _ = clock.schedule(in: time, on: eventLoop) { [self] in work(self) }
    }

    // MARK: - Time

    /// Checks deadlines while calls run or wait; otherwise closes the connection when the idle time has passed.
    private func updateTimers(_ handler: SSHHandler) {
        idleTimer?.cancel()
        idleTimer = nil
        guard isIdle else { return startTicking() }
        ticker?.cancel()
        ticker = nil
        idleTimer = clock.schedule(in: TimeAmount(deadlines.idle), on: eventLoop) { [weak handler] in
            handler?.fail(SSHError(.connectionLost, operation: "", reason: "the connection was idle"))
        }
    }

    private func startTicking() {
        guard ticker == nil else { return }
        ticker = clock.schedule(in: Self.tickInterval, on: eventLoop) { [weak self] in
            guard let self else { return }
            ticker = nil
            tick()
            if case .connected(let handler) = state, isCurrent(handler), !isIdle { startTicking() }
        }
    }

    private func tick() {
        guard case .connected(let handler) = state, handler.failure == nil else { return }
        let now = clock.now
        for operation in operations {
            if let since = operation.awaitingSince, now - since > TimeAmount(deadlines.response) {
                let name = operation.isOpen ? operation.name : "open a channel"
                return handler.fail(
                    SSHError(.timedOut, operation: name, reason: "no response within \(deadlines.response)"))
            }
            operation.client.checkTime(now)
        }
        // The SFTP channel may have been started on another connection and moved here since.
        for case let sftp as SFTPClient in operations.map(\.client) {
            sftp.closesWhenIdle = !queue.isEmpty
            handler.pump()
        }
        relieveQueue(now)
    }

    /// Gives the queue another connection when abandoned commands hold the channels of this one: in place of this
    /// connection if nothing else runs on it, beside it otherwise.
    ///
    /// A command that reads no input keeps its closed channel open at the server. OpenSSH counts every command until it
    /// has ended, even when its channel was closed long ago.
    private func relieveQueue(_ now: NIODeadline) {
        waitingSince = queue.isEmpty ? nil : waitingSince ?? now
        let lingering = operations.count { $0.closingSince.map { now - $0 > Self.lingerTime } ?? false }
        if lingering > 0, lingering == operations.count, !queue.isEmpty || overflow != nil {
            return reconnect("closed channels hold up the others")
        }
        guard let since = waitingSince, overflow != nil || now - since > Self.lingerTime,
            lingering > 0 || isLimitedByAbandonedCommands
        else { return }
        let overflow =
            overflow
            ?? HostConnection(
                endpoint, policy: policy, login: login, deadlines: deadlines, clock: clock, eventLoop: eventLoop,
                threadPool: threadPool, trace: trace, logger: logger)
        self.overflow = overflow
        queue.removeAll().forEach { overflow.queue.add($0, as: $0.kind) }
        overflow.advance()
    }

    private var isLimitedByAbandonedCommands: Bool {
        abandonedCommands > 0 && queue.limit < ChannelQueue<HostCall>.maximumChannels
    }
}

/// A call that needs a channel, from its submission until the channel is closed.
final class HostCall {
    let client: any ChannelClient
    let kind: RemoteCommand.Kind
    /// Whether it was started again already after a connection broke.
    var isRetried = false

    init(_ client: any ChannelClient, kind: RemoteCommand.Kind) {
        self.client = client
        self.kind = kind
    }
}
