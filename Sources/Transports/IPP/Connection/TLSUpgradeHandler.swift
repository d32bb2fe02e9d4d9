import NIOCore
import TLS

/// Upgrades a connection in place (RFC 2817 §3), between the socket and HTTP; leaves the pipeline when it is done.
///
/// Not Sendable: every member is used on the channel's event loop.
final class TLSUpgradeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let host: String
    private let deadline: NIODeadline
    /// Puts TLS below, and waits for its handshake.
    private let shakeHands: () -> EventLoopFuture<TLSHandshake>
    private var upgrade = TLSUpgrade()
    private var handshake: TLSHandshake?
    private var hasBegunTLS = false
    private var promise: EventLoopPromise<TLSHandshake>?
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(host: String, deadline: NIODeadline, shakeHands: @escaping () -> EventLoopFuture<TLSHandshake>) {
        self.host = host
        self.deadline = deadline
        self.shakeHands = shakeHands
    }

    /// Begins; ends once everything after goes over TLS.
    func upgrade(on eventLoop: any EventLoop) -> EventLoopFuture<TLSHandshake> {
        let promise = eventLoop.makePromise(of: TLSHandshake.self)
        self.promise = promise
        guard let context else {
            end(.failure(ChannelError.ioOnClosedChannel))
            return promise.futureResult
        }
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] () -> Void in
            end(.failure(HTTPFailure(cause: .timedOut(.handshake), nothingTaken: true)))
        }
        context.writeAndFlush(
            wrapOutboundOut(context.channel.allocator.buffer(string: TLSUpgrade.request(host: host))), promise: nil)
        return promise.futureResult
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch upgrade.received(unwrapInboundIn(data).readableBytesView) {
        case .none: break
        case .startTLS: startTLS()
        case .done:
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            if let handshake { end(.success(handshake)) }
        case .refused(let status):
            end(.failure(HTTPFailure(cause: .upgradeRefused(.status(status)), nothingTaken: true)))
        case .malformed(let words): end(.failure(HTTPFailure(cause: .malformed(words), nothingTaken: true)))
        }
    }

    private func startTLS() {
        hasBegunTLS = true
        shakeHands().assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let handshake):
                self.handshake = handshake
                upgrade.handshakeDone()
            case .failure(let error): end(.failure(error))
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            end(.failure(HTTPFailure(cause: .closedEarly, nothingTaken: true)))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset is as good as hanging up, as long as no TLS has begun.
        let isRefusal = error is IOError && !hasBegunTLS
        end(.failure(isRefusal ? HTTPFailure(cause: .closedEarly, nothingTaken: true) : error))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(HTTPFailure(cause: .closedEarly, nothingTaken: true)))
        context.fireChannelInactive()
    }

    private func end(_ result: Result<TLSHandshake, any Error>) {
        timer?.cancel()
        timer = nil
        promise?.completeWith(result)
        promise = nil
    }
}
