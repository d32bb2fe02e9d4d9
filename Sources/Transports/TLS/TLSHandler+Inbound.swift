package import NIOCore

// What comes from the socket.
extension TLSHandler {
    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let received = unwrapInboundIn(data)
        var plaintext: ByteBuffer?
        var outcome = TLSSession.ReadOutcome.wantsInput
        received.withUnsafeReadableBytes { octets in
            var rest = octets[...]
            while !rest.isEmpty, !isOver {
                let taken = session.receive(UnsafeRawBufferPointer(rebasing: rest))
                rest = rest.dropFirst(taken)
                shakeHands()
                outcome = decrypt(into: &plaintext, sizeHint: octets.count)
                guard case .wantsInput = outcome, taken > 0 else { return }
            }
        }
        if let plaintext, plaintext.readableBytes > 0 {
            wantsData = false
            context.fireChannelRead(wrapInboundOut(plaintext))
        }
        note(outcome)
        sendReplies()
    }

    var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    /// Decrypts all that is there. The plaintext of one call is no longer than what was received, and one record.
    private func decrypt(into plaintext: inout ByteBuffer?, sizeHint: Int) -> TLSSession.ReadOutcome {
        guard case .open = phase, let context else { return .wantsInput }
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

    private func note(_ outcome: TLSSession.ReadOutcome) {
        switch outcome {
        case .read, .wantsInput: break
        case .failed(let error): fail(error)
        case .closed:
            guard !isPeerClosed, !isOver else { return }
            isPeerClosed = true
            context?.fireUserInboundEventTriggered(TLSPeerClosed())
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // Records came, but no data: whoever waits for data will not ask again.
        var isHandshaking = false
        if case .handshaking = phase { isHandshaking = true }
        if isHandshaking || (wantsData && !isOver) { context.read() }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? ChannelEvent == .inputClosed else { return context.fireUserInboundEventTriggered(event) }
        // After a failure, nobody may take the end of the stream for the end of a message.
        guard !isOver else { return }
        receiveEnd()
        if !isOver { context.fireUserInboundEventTriggered(event) }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if !isOver { receiveEnd() }
        end(ChannelError.eof)
        context.fireChannelInactive()
    }

    private func receiveEnd() {
        session.receiveEnd()
        shakeHands()
        var rest: ByteBuffer?
        // All that was received was decrypted when it came; this tells whether close_notify was the last of it.
        note(decrypt(into: &rest, sizeHint: 0))
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The socket's own error says more than the truncation that it causes.
        end(error)
        context.fireErrorCaught(error)
    }
}
