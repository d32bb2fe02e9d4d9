package import NIOCore

/// TLS in a channel's pipeline, client or server. Below it is ciphertext, above it plaintext.
///
/// - A write's promise succeeds when the socket took all of its ciphertext. Writes before the handshake's end wait; at
///   most `longestWait` octets of them, since no back-pressure reaches the writer until then: await `handshake(on:)`
///   before writing more. Later ones become ciphertext at once, so that the channel's writability counts them.
/// - `TLSHandshake` is fired as a user inbound event when it is done, `TLSPeerClosed` at the other side's close_notify.
///   The end of the stream is forwarded (`ChannelEvent.inputClosed`, `channelInactive`) after a close_notify; without
///   one, `TLSError` `.truncated` is fired first, in the place of `inputClosed`, and the channel closed.
/// - Every failure of TLS is fired as a `TLSError`, pending writes fail with it, and the channel is closed. Nothing of
///   ours has gone out when it is about trust.
/// - Closing sends our close_notify and does not wait for the other's.
///
/// Not Sendable: every member is used on the channel's event loop.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = IOData
    package typealias OutboundOut = ByteBuffer

    enum Phase {
        /// The channel is not active yet.
        case unconnected
        case handshaking
        case open(TLSHandshake)
        /// Failed or closed, with what later writes fail with.
        case over(any Error)
    }

    struct WaitingWrite {
        var bytes: ByteBuffer
        var promise: EventLoopPromise<Void>?
    }

    /// Octets that may wait for the handshake's end.
    static let longestWait = 1 << 20

    let session: TLSSession
    private let handshakeTimeout: TimeAmount
    private var timer: Scheduled<Void>?
    private var handshakeWaiters: [EventLoopPromise<TLSHandshake>] = []
    var phase = Phase.unconnected
    private(set) var context: ChannelHandlerContext?
    /// Writes before the handshake's end; marked where a flush stood.
    var waiting = MarkedCircularBuffer<WaitingWrite>(initialCapacity: 4)
    var waitingOctets = 0
    /// A half closure that was asked for before the handshake's end: with a promise, or without one.
    var wantsOutputClosed: EventLoopPromise<Void>??
    /// The other side's close_notify came.
    var isPeerClosed = false
    var isOutputClosed = false
    /// Somebody above asked for data, and got none yet.
    var wantsData = false
    /// A client's last flight is written and not flushed: the request that waited for the handshake will be written at
    /// once, and shares its segment. Runs out where nobody writes.
    var lastFlightHold: Scheduled<Void>?
    /// Octets that answer the other side and not a write of ours, and that the socket has not taken yet.
    var unsentReplies = 0

    /// A client. `host`: the name or address (without brackets) that was connected to, for SNI and the certificate's
    /// check; throws where it can be no host's name.
    package init(
        client context: TLSContext, host: String, sessions: TLSSessionCache? = nil,
        handshakeTimeout: TimeAmount = .seconds(10)
    ) throws(TLSError) {
        session = try TLSSession(client: context, host: host, sessions: sessions)
        self.handshakeTimeout = handshakeTimeout
    }

    package init(server context: TLSContext, handshakeTimeout: TimeAmount = .seconds(10)) throws(TLSError) {
        session = try TLSSession(server: context)
        self.handshakeTimeout = handshakeTimeout
    }

    /// The end of the handshake, or why there is none. On the channel's event loop.
    package func handshake(on eventLoop: any EventLoop) -> EventLoopFuture<TLSHandshake> {
        switch phase {
        case .open(let handshake): return eventLoop.makeSucceededFuture(handshake)
        case .over(let error): return eventLoop.makeFailedFuture(error)
        case .unconnected, .handshaking:
            let promise = eventLoop.makePromise(of: TLSHandshake.self)
            handshakeWaiters.append(promise)
            return promise.futureResult
        }
    }
}

// The beginning.
extension TLSHandler {
    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { start(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        end(ChannelError.ioOnClosedChannel)
        self.context = nil
    }

    package func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    private func start(_ context: ChannelHandlerContext) {
        guard case .unconnected = phase else { return }
        phase = .handshaking
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: handshakeTimeout) { [self] () -> Void in
            let seconds = handshakeTimeout.nanoseconds / 1_000_000_000
            fail(TLSError(.handshakeFailed, reason: "the handshake was not done within \(seconds) s"))
        }
        shakeHands()
        // Also where nobody above reads yet.
        context.read()
    }

    func shakeHands() {
        guard case .handshaking = phase, let context else { return }
        switch session.handshake() {
        case .failed(let error): fail(error)
        case .wantsInput: sendReplies()
        case .done(let handshake):
            timer?.cancel()
            timer = nil
            phase = .open(handshake)
            sendLastFlight()
            takeHandshakeWaiters().forEach { $0.succeed(handshake) }
            context.fireUserInboundEventTriggered(handshake)
        }
    }

    private func takeHandshakeWaiters() -> [EventLoopPromise<TLSHandshake>] {
        defer { handshakeWaiters = [] }
        return handshakeWaiters
    }
}

// The end.
extension TLSHandler {
    /// Tells everybody, sends our alert where there is one, and closes.
    func fail(_ error: TLSError) {
        if case .over = phase { return }
        guard let context else { return end(error) }
        sendReplies()
        flushLastFlight()
        // Sending may itself have failed, and told.
        if case .over = phase { return }
        end(error)
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    /// Fails what waits; nothing is encrypted or decrypted any more.
    func end(_ error: any Error) {
        if case .over = phase { return }
        phase = .over(error)
        timer?.cancel()
        timer = nil
        lastFlightHold?.cancel()
        lastFlightHold = nil
        let writes = waiting
        waiting = MarkedCircularBuffer(initialCapacity: 0)
        waitingOctets = 0
        for write in writes { write.promise?.fail(error) }
        if case .some(let promise) = wantsOutputClosed { promise?.fail(error) }
        wantsOutputClosed = nil
        takeHandshakeWaiters().forEach { $0.fail(error) }
    }
}
