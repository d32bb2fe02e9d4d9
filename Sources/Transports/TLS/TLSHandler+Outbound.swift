package import NIOCore

// What goes to the socket.
extension TLSHandler {
    /// Plaintext that becomes one write of ciphertext.
    private static var pieceLength: Int { 128 << 10 }
    /// What the other side may make us answer without taking our answers.
    private static var mostUnsentReplies: Int { 64 << 10 }
    private static var longestHold: TimeAmount { .milliseconds(1) }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let bytes) = unwrapOutboundIn(data) else {
            // A file would have to be read here, on the event loop.
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        switch phase {
        case .over(let error): promise?.fail(error)
        case .open where isOutputClosed: promise?.fail(ChannelError.outputClosed)
        case .open where waiting.isEmpty: encrypt(WaitingWrite(bytes: bytes, promise: promise))
        case .open, .unconnected, .handshaking:
            waiting.append(WaitingWrite(bytes: bytes, promise: promise))
            waitingOctets += bytes.readableBytes
            if waitingOctets > Self.longestWait {
                fail(TLSError(.broken, reason: "more than \(Self.longestWait) octets wait for the handshake's end"))
            }
        }
    }

    package func flush(context: ChannelHandlerContext) {
        switch phase {
        case .unconnected, .handshaking: waiting.mark()
        case .open, .over: flushDown()
        }
    }

    private func flushDown() {
        lastFlightHold?.cancel()
        lastFlightHold = nil
        context?.flush()
    }

    func flushLastFlight() {
        if lastFlightHold != nil { flushDown() }
    }

    package func read(context: ChannelHandlerContext) {
        wantsData = true
        context.read()
    }

    /// Sends the handshake's last flight, and what waited for it, flushed as far as that was flushed.
    func sendLastFlight() {
        writeReplies()
        if waiting.isEmpty, wantsOutputClosed == nil, !session.isServer, let context {
            lastFlightHold = context.eventLoop.assumeIsolated().scheduleTask(in: Self.longestHold) { [self] in
                flushLastFlight()
            }
            return
        }
        waitingOctets = 0
        while waiting.hasMark, let write = waiting.popFirst() { encrypt(write) }
        context?.flush()
        while let write = waiting.popFirst() { encrypt(write) }
        guard case .some(let promise) = wantsOutputClosed, let context else { return }
        wantsOutputClosed = nil
        closeOutput(context, promise)
    }

    /// Hands ciphertext down, without a flush; the last of it bears the promise.
    private func encrypt(_ write: WaitingWrite) {
        guard case .open = phase, let context else {
            if case .over(let error) = phase { write.promise?.fail(error) }
            return
        }
        var rest = write.bytes
        repeat {
            let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceLength)) ?? rest
            var ciphertext = context.channel.allocator.buffer(
                capacity: piece.readableBytes + piece.readableBytes / 256 + 64)
            if let error = encrypt(piece, into: &ciphertext) {
                write.promise?.fail(error)
                return fail(error)
            }
            context.write(wrapOutboundOut(ciphertext), promise: rest.readableBytes == 0 ? write.promise : nil)
        } while rest.readableBytes > 0
    }

    /// Nil, or why not. Nothing at all becomes nothing at all.
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

    /// Sends what no write of ours asked for: handshake, alerts, answers.
    func sendReplies() {
        guard session.pendingOutput > 0 else { return }
        writeReplies()
        flushDown()
    }

    func writeReplies() {
        guard session.pendingOutput > 0, let context else { return }
        var reply = context.channel.allocator.buffer(capacity: session.pendingOutput)
        takeOutput(into: &reply)
        let count = reply.readableBytes
        unsentReplies += count
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in unsentReplies -= count }
        context.write(wrapOutboundOut(reply), promise: sent)
        if unsentReplies > Self.mostUnsentReplies, !isOver {
            fail(TLSError(.broken, reason: "it asks for more answers than it takes"))
        }
    }
}

// Closing.
extension TLSHandler {
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch (mode, phase) {
        case (.all, _):
            session.shutdown()
            sendReplies()
            flushLastFlight()
            end(ChannelError.ioOnClosedChannel)
            context.close(mode: .all, promise: promise)
        case (.output, .open) where !isOutputClosed: closeOutput(context, promise)
        case (.output, .unconnected), (.output, .handshaking):
            if case .some = wantsOutputClosed {
                promise?.fail(ChannelError.outputClosed)
            } else {
                wantsOutputClosed = promise
            }
        case (.output, _), (.input, _): context.close(mode: mode, promise: promise)
        }
    }

    /// TLS 1.3's half closure (RFC 8446 §6.1): the other direction goes on.
    func closeOutput(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        isOutputClosed = true
        session.shutdown()
        sendReplies()
        context.flush()
        context.close(mode: .output, promise: promise)
    }
}
