import NIOCore
import NIOPosix
import PrintModel

/// One way to a host: TCP, handshake, host key, login. Unchecked: its state is used on its event loop only.
final class ConnectionAttempt: @unchecked Sendable {
    private let endpoint: SSHEndpoint
    private let deadlines: SSHDeadlines
    private let eventLoop: any EventLoop
    private let threadPool: NIOThreadPool
    private var connecting: EventLoopPromise<any Channel>?
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
        /// Why the policy does not accept the key; then the connection is over.
        var refusal: SSHError?
    }

    /// Nobody wants it any more: it fails, now or at its next step.
    func abandon(_ error: SSHError) {
        if abandoned == nil { abandoned = error }
        connecting?.fail(error)
        if let handler = try? channel?.pipeline.syncOperations.handler(type: SSHHandler.self) { handler.fail(error) }
        channel?.close(promise: nil)
    }

    /// As far as the host key, and what the policy says of it; where another of the server's keys may be the one that
    /// is known, it is asked for that on another connection. When none is, the first is told.
    func shakeHands(judgedBy policy: HostKeyPolicy) -> EventLoopFuture<Shaken> {
        shakeHands(policy.preferredAlgorithms).flatMap { [self] shaken in
            var first = shaken
            do throws(SSHError) {
                try policy.judge(shaken.key, shaken.octets)
                return eventLoop.makeSucceededFuture(shaken)
            } catch {
                first.refusal = error
                shaken.handler.fail(error)
            }
            var rest = policy
            rest.alternatives.removeAll { $0.first == shaken.key.algorithm }
            guard case .hostKeyChanged = first.refusal?.code, !rest.alternatives.isEmpty else {
                return eventLoop.makeSucceededFuture(first)
            }
            rest.preferredAlgorithms = rest.alternatives.removeFirst()
            let refused = first
            return shakeHands(judgedBy: rest).map { later in
                if case .hostKeyChanged = later.refusal?.code { refused } else { later }
            }
        }
    }

    /// As far as the host key.
    private func shakeHands(_ preferred: [String]) -> EventLoopFuture<Shaken> {
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
            handler.start(
                LoginOperation(user: endpoint.user, material: material, eventLoop: eventLoop, promise: promise))
            return promise.futureResult
        }
        .flatMapErrorThrowing { error in
            // Where the material could not be loaded, nothing else ends the deadline.
            promise.fail(error)
            throw error
        }
        .map { handler }
    }

    /// Ends at once when it is abandoned; a connection that comes about later is closed.
    private func connect() -> EventLoopFuture<any Channel> {
        if let abandoned { return eventLoop.makeFailedFuture(abandoned) }
        let promise = eventLoop.makePromise(of: (any Channel).self)
        connecting = promise
        bootstrap().assumeIsolated().whenComplete { [self] result in
            connecting = nil
            if let abandoned {
                if case .success(let channel) = result { channel.close(promise: nil) }
                promise.fail(abandoned)
            } else {
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
            handler.fail(SSHError(.timedOut, operation: operation, reason: "no answer within \(time)"))
        }
        end.assumeIsolated().whenComplete { _ in timer.cancel() }
    }
}
