internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import PrintModel

/// One way to a host: TCP, handshake, host key, login. Unchecked: its state is used on its event loop only.
final class ConnectionAttempt: @unchecked Sendable {
    private let endpoint: SSHEndpoint
    private let deadlines: SSHDeadlines
    private let eventLoop: any EventLoop
    private let threadPool: NIOThreadPool
    private var channel: (any Channel)?
    private var abandoned: SSHError?

    init(_ endpoint: SSHEndpoint, deadlines: SSHDeadlines, eventLoop: any EventLoop, threadPool: NIOThreadPool) {
        self.endpoint = endpoint
        self.deadlines = deadlines
        self.eventLoop = eventLoop
        self.threadPool = threadPool
    }

    struct Shaken: Sendable {
        var handler: SSHHandler
        var key: HostKey
        var octets: [UInt8]
    }

    /// Nobody wants it any more: it fails, now or at its next step.
    func abandon(_ error: SSHError) {
        if abandoned == nil { abandoned = error }
        if let handler = try? channel?.pipeline.syncOperations.handler(type: SSHHandler.self) { handler.fail(error) }
        channel?.close(promise: nil)
    }

    /// As far as a host key that the policy accepts; where another of the server's keys may be the one that is known, it is
    /// asked for that on another connection.
    func shakeHands(judgedBy policy: HostKeyPolicy) -> EventLoopFuture<Shaken> {
        shakeHands(policy.preferredAlgorithms).flatMap { [self] shaken in
            do throws(SSHError) {
                try policy.judge(shaken.key, shaken.octets)
                return eventLoop.makeSucceededFuture(shaken)
            } catch {
                shaken.handler.fail(error)
                var rest = policy
                rest.alternatives.removeAll { $0.first == shaken.key.algorithm }
                guard case .hostKeyChanged = error.code, !rest.alternatives.isEmpty else {
                    return eventLoop.makeFailedFuture(error)
                }
                rest.preferredAlgorithms = rest.alternatives.removeFirst()
                return shakeHands(judgedBy: rest).flatMapErrorThrowing { later in
                    if let later = later as? SSHError, case .hostKeyChanged = later.code { throw error }
                    throw later
                }
            }
        }
    }

    /// As far as the host key.
    func shakeHands(_ preferred: [String]) -> EventLoopFuture<Shaken> {
        connect().flatMapThrowing { [self] channel in
            if let abandoned {
                channel.close(promise: nil)
                throw abandoned
            }
            self.channel = channel
            let handler = SSHHandler(session: try SSHSession(preferred: preferred))
            try channel.pipeline.syncOperations.addHandler(handler)
            channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
            return handler
        }
        .flatMap { [self] handler in
            let promise = eventLoop.makePromise(of: [UInt8].self)
            limit(handler, "handshake", deadlines.handshake, until: promise.futureResult)
            handler.start(HandshakeOperation(promise: promise))
            return promise.futureResult.flatMapThrowing { octets in
                guard let key = HostKey(wire: octets) else {
                    throw SSHError(.protocolViolation, operation: "handshake", reason: "its host key is no key")
                }
                return Shaken(handler: handler, key: key, octets: octets)
            }
        }
    }

    /// Until the server lets us in.
    func logIn(_ handler: SSHHandler, _ login: SSHLogin) -> EventLoopFuture<SSHHandler> {
        let promise = eventLoop.makePromise(of: Void.self)
        limit(handler, "log in", deadlines.login, until: promise.futureResult)
        return LoginMaterial.load(login, threadPool: threadPool, eventLoop: eventLoop).flatMap { [self] material in
            handler.start(LoginOperation(user: endpoint.user, material: material, eventLoop: eventLoop, promise: promise))
            return promise.futureResult
        }
        .flatMapErrorThrowing { error in
            // Where the material could not be loaded, nothing else ends the deadline.
            promise.fail(error)
            throw error
        }
        .map { handler }
    }

    private func connect() -> EventLoopFuture<any Channel> {
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
            handler.fail(SSHError(.timedOut, operation: operation, reason: "no answer within \(time)"))
        }
        end.assumeIsolated().whenComplete { _ in timer.cancel() }
    }
}

extension SSHError {
    /// Why no connection came about: of all addresses tried, the last one's reason.
    init(connecting error: any Error) {
        switch error {
        case let error as SSHError: self = error
        case let error as NIOConnectionError:
            if let last = error.connectionErrors.last {
                self.init(connecting: last.error)
            } else {
                self.init(.hostNotFound, operation: "connect", reason: "its name leads to no address")
            }
        case ChannelError.connectTimeout:
            self.init(.timedOut, operation: "connect", reason: "no answer in time")
        case let error as IOError:
            let code: Code =
                switch error.errnoCode {
                case ECONNREFUSED: .connectionRefused
                case ETIMEDOUT: .timedOut
                default: .unreachable
                }
            let words = strerror(error.errnoCode).map { String(cString: $0) } ?? "errno \(error.errnoCode)"
            self.init(code, operation: "connect", reason: words, native: .errno(error.errnoCode))
        case is CancellationError: self.init(.cancelled, operation: "connect", reason: "cancelled")
        default: self.init(.unreachable, operation: "connect", reason: "\(error)")
        }
    }
}
