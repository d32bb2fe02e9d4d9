package import NIOCore

/// Fired by `TLSHandler` as a user inbound event when the peer's close_notify is received: it sends no more data.
///
/// The end of the TCP stream is a separate event (`ChannelEvent.inputClosed`). It follows soon, or never if the peer
/// waits for our close_notify.
package struct TLSPeerClosed: Hashable, Sendable {}

/// The TLS of a channel's pipeline, as client or server: ciphertext towards the socket, plaintext on the other side.
///
/// - A write's promise succeeds when the socket has taken all of its ciphertext. Writes before the end of the handshake
///   wait, at most `PendingWrites.limit` octets of them, since no back-pressure reaches the writer until then: await
///   `handshake(on:)` before writing more. Later writes are encrypted at once, so that the channel's writability counts
///   them.
/// - `TLSHandshake` is fired as a user inbound event after the handshake, `TLSPeerClosed` at the peer's close_notify.
///   The end of the stream is forwarded (`ChannelEvent.inputClosed`, `channelInactive`) after a close_notify. Without
///   one, `TLSError` `.truncated` is fired first, instead of `inputClosed`, and the channel is closed.
/// - Every TLS failure is fired as a `TLSError`, fails the pending writes, and closes the channel. If the failure is
///   about trust, none of our data has been sent.
/// - Closing sends our close_notify and does not wait for the peer's.
///
/// Not Sendable: every member is used on the channel's event loop.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = IOData
    package typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// The channel is not active yet.
        case unconnected
        case handshaking
        case established(TLSHandshake)
        /// Failed or closed. Later writes fail with this error.
        case closed(any Error)
    }

    /// The plaintext that becomes one write of ciphertext.
    private static let chunkLength = 128 << 10
    /// The maximum octets of protocol messages that the peer may cause without receiving them.
    private static let maximumUnsentProtocolBytes = 64 << 10
    /// How long a client's last flight waits for the first write.
    private static let maximumFlushDelay = TimeAmount.milliseconds(1)

    private let session: TLSSession
    private let handshakeTimeout: TimeAmount
    private var timer: Scheduled<Void>?
    private var handshakePromises: [EventLoopPromise<TLSHandshake>] = []
    private var phase = Phase.unconnected
    private var context: ChannelHandlerContext?
    /// The writes before the end of the handshake.
    private var pendingWrites = PendingWrites()
    /// A half closure that was requested before the end of the handshake, with or without a promise.
    private var pendingOutputClose: EventLoopPromise<Void>??
    /// Whether the peer's close_notify was received.
    private var isPeerClosed = false
    private var isOutputClosed = false
    /// Whether a handler above requested data and has received none yet.
    private var wantsData = false
    /// The delayed flush of a client's last flight. The request that waits for the handshake is usually written at once
    /// and then shares its TCP segment. The delay ends if nobody writes.
    private var delayedFlush: Scheduled<Void>?
    /// Octets of protocol messages that the socket has not taken yet.
    private var unsentProtocolBytes = 0

    /// Creates a client. `host` is the name or the address (without brackets) of the connection, for SNI and the
    /// verification of the certificate. Throws if it is not a valid host name.
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

    /// The result of the handshake, or its failure. Call it on the channel's event loop.
    package func handshake(on eventLoop: any EventLoop) -> EventLoopFuture<TLSHandshake> {
        switch phase {
        case .established(let handshake): return eventLoop.makeSucceededFuture(handshake)
        case .closed(let error): return eventLoop.makeFailedFuture(error)
        case .unconnected, .handshaking:
            let promise = eventLoop.makePromise(of: TLSHandshake.self)
            handshakePromises.append(promise)
            return promise.futureResult
        }
    }

    private var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }
}

// Handshake.
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
            fail(TLSError(.handshakeFailed, reason: "the handshake took longer than \(seconds) s"))
        }
        continueHandshake()
        // The handshake needs data even if no handler above reads yet.
        context.read()
    }

    private func continueHandshake() {
        guard case .handshaking = phase, let context else { return }
        switch session.handshake() {
        case .failed(let error): fail(error)
        case .wantsInput: sendProtocolMessages()
        case .done(let handshake):
            timer?.cancel()
            timer = nil
            phase = .established(handshake)
            sendLastFlight()
            takeHandshakePromises().forEach { $0.succeed(handshake) }
            context.fireUserInboundEventTriggered(handshake)
        }
    }

    /// Sends the handshake's last flight and the pending writes. Flushes them as far as the writer did.
    private func sendLastFlight() {
        writeProtocolMessages()
        if pendingWrites.isEmpty, pendingOutputClose == nil, !session.isServer, let context {
            delayedFlush = context.eventLoop.assumeIsolated().scheduleTask(in: Self.maximumFlushDelay) { [self] in
                flushLastFlight()
            }
            return
        }
        pendingWrites.beginSending()
        while let write = pendingWrites.popFlushed() { encrypt(write) }
        context?.flush()
        while let write = pendingWrites.popFirst() { encrypt(write) }
        guard case .some(let promise) = pendingOutputClose, let context else { return }
        pendingOutputClose = nil
        closeOutput(context, promise)
    }

    private func takeHandshakePromises() -> [EventLoopPromise<TLSHandshake>] {
        defer { handshakePromises = [] }
        return handshakePromises
    }
}

// Inbound.
extension TLSHandler {
    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let received = unwrapInboundIn(data)
        var plaintext: ByteBuffer?
        var outcome = TLSSession.ReadOutcome.wantsInput
        received.withUnsafeReadableBytes { octets in
            var rest = octets[...]
            while !rest.isEmpty, !isClosed {
                let taken = session.receive(UnsafeRawBufferPointer(rebasing: rest))
                rest = rest.dropFirst(taken)
                continueHandshake()
                outcome = decrypt(into: &plaintext, sizeHint: octets.count)
                guard case .wantsInput = outcome, taken > 0 else { return }
            }
        }
        if let plaintext, plaintext.readableBytes > 0 {
            wantsData = false
            context.fireChannelRead(wrapInboundOut(plaintext))
        }
        handle(outcome)
        sendProtocolMessages()
    }

    /// Decrypts everything that was received. The plaintext of one call is not longer than what was received plus one
    /// record.
    private func decrypt(into plaintext: inout ByteBuffer?, sizeHint: Int) -> TLSSession.ReadOutcome {
        guard case .established = phase, let context else { return .wantsInput }
        while true {
            var outcome = TLSSession.ReadOutcome.wantsInput
            var buffer = plaintext ?? context.channel.allocator.buffer(capacity: max(sizeHint, 256))
            plaintext = nil
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 64) { space in
                outcome = session.read(into: space)
                if case .read(let count) = outcome { return count }
                return 0
            }
            plaintext = buffer
            guard case .read = outcome else { return outcome }
        }
    }

    private func handle(_ outcome: TLSSession.ReadOutcome) {
        switch outcome {
        case .read, .wantsInput: break
        case .failed(let error): fail(error)
        case .closed:
            guard !isPeerClosed, !isClosed else { return }
            isPeerClosed = true
            context?.fireUserInboundEventTriggered(TLSPeerClosed())
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // Records without data may have been read. A handler that waits for data does not call read again.
        var isHandshaking = false
        if case .handshaking = phase { isHandshaking = true }
        if isHandshaking || (wantsData && !isClosed) { context.read() }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? ChannelEvent == .inputClosed else { return context.fireUserInboundEventTriggered(event) }
        // After a failure, the end of the stream must not look like the end of a message.
        guard !isClosed else { return }
        receiveEnd()
        if !isClosed { context.fireUserInboundEventTriggered(event) }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if !isClosed { receiveEnd() }
        end(ChannelError.eof)
        context.fireChannelInactive()
    }

    private func receiveEnd() {
        session.receiveEnd()
        continueHandshake()
        var rest: ByteBuffer?
        // All received data is decrypted already. This call tells whether close_notify was the last record.
        handle(decrypt(into: &rest, sizeHint: 0))
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The socket's error says more than the truncation that it causes.
        end(error)
        context.fireErrorCaught(error)
    }
}

// Outbound.
extension TLSHandler {
    package func read(context: ChannelHandlerContext) {
        wantsData = true
        context.read()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let bytes) = unwrapOutboundIn(data) else {
            // Encrypting a file would read it here, on the event loop.
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        switch phase {
        case .closed(let error): promise?.fail(error)
        case .established where isOutputClosed: promise?.fail(ChannelError.outputClosed)
        case .established where pendingWrites.isEmpty:
            encrypt(PendingWrites.Write(bytes: bytes, promise: promise))
        case .established, .unconnected, .handshaking:
            pendingWrites.append(PendingWrites.Write(bytes: bytes, promise: promise))
            if pendingWrites.exceedsLimit {
                fail(TLSError(.broken, reason: "more than \(PendingWrites.limit) octets wait for the handshake"))
            }
        }
    }

    package func flush(context: ChannelHandlerContext) {
        switch phase {
        case .unconnected, .handshaking: pendingWrites.flush()
        case .established, .closed: flushSocket()
        }
    }

    private func flushSocket() {
        delayedFlush?.cancel()
        delayedFlush = nil
        context?.flush()
    }

    private func flushLastFlight() {
        if delayedFlush != nil { flushSocket() }
    }

    /// Writes ciphertext without a flush. Its last chunk carries the promise.
    private func encrypt(_ write: PendingWrites.Write) {
        guard case .established = phase, let context else {
            if case .closed(let error) = phase { write.promise?.fail(error) }
            return
        }
        var rest = write.bytes
        repeat {
            let chunk = rest.readSlice(length: min(rest.readableBytes, Self.chunkLength)) ?? rest
            var ciphertext = context.channel.allocator.buffer(
                capacity: chunk.readableBytes + chunk.readableBytes / 256 + 64)
            if let error = encrypt(chunk, into: &ciphertext) {
                write.promise?.fail(error)
                return fail(error)
            }
            context.write(wrapOutboundOut(ciphertext), promise: rest.readableBytes == 0 ? write.promise : nil)
        } while rest.readableBytes > 0
    }

    /// Returns nil, or why encrypting failed. Empty plaintext becomes empty ciphertext.
    private func encrypt(_ plaintext: ByteBuffer, into ciphertext: inout ByteBuffer) -> TLSError? {
        var failure: TLSError?
        plaintext.withUnsafeReadableBytes { octets in
            var rest = octets[...]
            while !rest.isEmpty, failure == nil {
                switch session.write(UnsafeRawBufferPointer(rebasing: rest)) {
                case .written(let count): rest = rest.dropFirst(count)
                case .full: takeOutput(into: &ciphertext)
                case .failed(let error): failure = error
                }
            }
        }
        takeOutput(into: &ciphertext)
        return failure
    }

    private func takeOutput(into ciphertext: inout ByteBuffer) {
        let count = session.pendingOutput
        guard count > 0 else { return }
        ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { session.takeOutput(into: $0) }
    }

    /// Sends the session's own output, which no write requested: handshake, alerts, key updates.
    private func sendProtocolMessages() {
        guard session.pendingOutput > 0 else { return }
        writeProtocolMessages()
        flushSocket()
    }

    private func writeProtocolMessages() {
        guard session.pendingOutput > 0, let context else { return }
        var messages = context.channel.allocator.buffer(capacity: session.pendingOutput)
        takeOutput(into: &messages)
        let count = messages.readableBytes
        unsentProtocolBytes += count
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in unsentProtocolBytes -= count }
        context.write(wrapOutboundOut(messages), promise: sent)
        if unsentProtocolBytes > Self.maximumUnsentProtocolBytes, !isClosed {
            fail(TLSError(.broken, reason: "it requests more protocol messages than it receives"))
        }
    }
}

// Closing and failing.
extension TLSHandler {
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch (mode, phase) {
        case (.all, _):
            session.shutdown()
            sendProtocolMessages()
            flushLastFlight()
            end(ChannelError.ioOnClosedChannel)
            context.close(mode: .all, promise: promise)
        case (.output, .established) where !isOutputClosed: closeOutput(context, promise)
        case (.output, .unconnected), (.output, .handshaking):
            if case .some = pendingOutputClose {
                promise?.fail(ChannelError.outputClosed)
            } else {
                pendingOutputClose = promise
            }
        case (.output, _), (.input, _): context.close(mode: mode, promise: promise)
        }
    }

    /// Closes our direction only, as TLS 1.3 allows (RFC 8446 §6.1).
    private func closeOutput(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        isOutputClosed = true
        session.shutdown()
        sendProtocolMessages()
        context.flush()
        context.close(mode: .output, promise: promise)
    }

    /// Reports the failure, sends our alert if there is one, and closes the channel.
    private func fail(_ error: TLSError) {
        if isClosed { return }
        guard let context else { return end(error) }
        sendProtocolMessages()
        flushLastFlight()
        // Sending may have failed itself and reported that.
        if isClosed { return }
        end(error)
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    /// Fails everything that waits. Nothing is encrypted or decrypted afterwards.
    private func end(_ error: any Error) {
        if isClosed { return }
        phase = .closed(error)
        timer?.cancel()
        timer = nil
        delayedFlush?.cancel()
        delayedFlush = nil
        for write in pendingWrites.removeAll() { write.promise?.fail(error) }
        if case .some(let promise) = pendingOutputClose { promise?.fail(error) }
        pendingOutputClose = nil
        takeHandshakePromises().forEach { $0.fail(error) }
    }
}
