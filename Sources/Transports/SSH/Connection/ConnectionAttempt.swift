import KioskPrintModel
import NIOCore
import NIOPosix

/// An attempt to connect to a host: TCP, key exchange, host key, login. Unchecked: its state is used on its event loop
/// only.
final class ConnectionAttempt: @unchecked Sendable {
    private let endpoint: SSHEndpoint
    private let deadlines: SSHDeadlines
    private let eventLoop: any EventLoop
    private let threadPool: NIOThreadPool
    private let trace: ConnectionTrace
    private var connecting: EventLoopPromise<any Channel>?
    private var channel: (any Channel)?
    private var abandoned: SSHError?

    init(
        _ endpoint: SSHEndpoint, deadlines: SSHDeadlines, eventLoop: any EventLoop, threadPool: NIOThreadPool,
        trace: ConnectionTrace
    ) {
        self.endpoint = endpoint
        self.deadlines = deadlines
        self.eventLoop = eventLoop
        self.threadPool = threadPool
        self.trace = trace
    }

    struct Handshake: Sendable {
        var handler: SSHHandler
        var key: HostKey
        var octets: [UInt8]
        /// Why the policy does not accept the key; then the connection is over.
        var refusal: SSHError?
    }

    /// Nobody needs the connection any more: the attempt fails, now or at its next step.
    func abandon(_ error: SSHError) {
        if abandoned == nil { abandoned = error }
        connecting?.fail(error)
        if let handler = try? channel?.pipeline.syncOperations.handler(type: SSHHandler.self) { handler.fail(error) }
        channel?.close(promise: nil)
    }

    /// Connects, exchanges keys, and lets the policy check the host key. If another of the server's keys may be the
    /// known one, that is requested on another connection. If none is known, the first key is returned.
    func performHandshake(checkedBy policy: HostKeyPolicy) -> EventLoopFuture<Handshake> {
        exchangeKeys(policy.preferredAlgorithms).flatMap { [self] handshake in
            var first = handshake
            do throws(SSHError) {
                try policy.verify(handshake.key, handshake.octets)
                return eventLoop.makeSucceededFuture(handshake)
            } catch {
                trace.tell("the host key is refused: \(ConnectionTrace.bounded(error.reason))")
                first.refusal = error
                handshake.handler.fail(error)
            }
            var rest = policy
            rest.alternatives.removeAll { $0.first == handshake.key.algorithm }
            guard case .hostKeyChanged = first.refusal?.code, !rest.alternatives.isEmpty else {
                return eventLoop.makeSucceededFuture(first)
            }
            rest.preferredAlgorithms = rest.alternatives.removeFirst()
            let refused = first
            return performHandshake(checkedBy: rest).map { later in
                if case .hostKeyChanged = later.refusal?.code { refused } else { later }
            }
        }
    }

    /// Connects and exchanges keys; nothing has checked the host key yet.
    private func exchangeKeys(_ preferred: [String]) -> EventLoopFuture<Handshake> {
        connect().flatMapThrowing { [self] channel in
            self.channel = channel
            do {
                let handler = SSHHandler(session: try SSHSession(preferred: preferred))
                try channel.pipeline.syncOperations.addHandler(handler)
                channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
                return handler
            } catch {
                channel.close(promise: nil)
                throw error
            }
        }
        .flatMap { [self] handler in
            let promise = eventLoop.makePromise(of: [UInt8].self)
            limit(handler, "handshake", deadlines.handshake, until: promise.futureResult)
            handler.start(KeyExchangeOperation(promise: promise))
            return promise.futureResult.flatMapThrowing { [trace] octets in
                guard let key = HostKey(wire: octets) else {
                    throw SSHError(.protocolViolation, operation: "handshake", reason: "its host key is malformed")
                }
                trace.tell("host key \(ConnectionTrace.bounded(key.summary))")
                return Handshake(handler: handler, key: key, octets: octets)
            }
        }
    }

    func logIn(_ handler: SSHHandler, _ login: SSHLogin) -> EventLoopFuture<SSHHandler> {
        let promise = eventLoop.makePromise(of: Void.self)
        limit(handler, "log in", deadlines.login, until: promise.futureResult)
        return LoadedLogin.load(login, threadPool: threadPool, eventLoop: eventLoop).flatMap { [self] login in
            handler.start(
                LoginOperation(
                    user: endpoint.user, login: login, eventLoop: eventLoop, promise: promise, trace: trace))
            return promise.futureResult
        }
        .flatMapErrorThrowing { error in
            // If the login could not be loaded, nothing else stops the deadline's timer.
            promise.fail(error)
            throw error
        }
        .map { handler }
    }

    /// Fails at once when the attempt is abandoned; a connection that is established later is closed.
    private func connect() -> EventLoopFuture<any Channel> {
        if let abandoned { return eventLoop.makeFailedFuture(abandoned) }
        let promise = eventLoop.makePromise(of: (any Channel).self)
        connecting = promise
        trace.tell("connecting to \(endpoint.host), port \(endpoint.port)")
        bootstrap().assumeIsolated().whenComplete { [self] result in
            connecting = nil
            if let abandoned {
                if case .success(let channel) = result { channel.close(promise: nil) }
                promise.fail(abandoned)
            } else {
                if case .success(let channel) = result {
                    let address = channel.remoteAddress?.ipAddress ?? endpoint.host
                    trace.tell("connected to \(address), port \(endpoint.port)")
                }
                promise.completeWith(result)
            }
        }
        return promise.futureResult
    }

    private func bootstrap() -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(deadlines.connect))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.autoRead, value: false)
            .channelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
            .connect(host: endpoint.host, port: endpoint.port)
            .flatMapErrorThrowing { throw SSHError(connecting: $0) }
    }

    /// Fails the connection when a step is not done in time.
    private func limit<Value>(
        _ handler: SSHHandler, _ operation: String, _ time: Duration, until end: EventLoopFuture<Value>
    ) {
        let timer = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) {
            handler.fail(SSHError(.timedOut, operation: operation, reason: "no response within \(time)"))
        }
        end.assumeIsolated().whenComplete { _ in timer.cancel() }
    }
}

/// The key exchange, until the host key is known.
private final class KeyExchangeOperation: SSHOperation {
    let name = "handshake"
    private let promise: EventLoopPromise<[UInt8]>
    private(set) var isOver = false

    init(promise: EventLoopPromise<[UInt8]>) { self.promise = promise }

    func step(on connection: SSHHandler) throws(SSHError) -> Bool {
        guard try connection.session.handshake() else { return false }
        guard let key = connection.session.hostKey else {
            throw SSHError(.protocolViolation, operation: name, reason: "it sent no host key")
        }
        isOver = true
        promise.succeed(key)
        return true
    }

    func connectionEnded(_ error: SSHError) {
        isOver = true
        promise.fail(error)
    }
}
