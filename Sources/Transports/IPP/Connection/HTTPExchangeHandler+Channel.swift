import NIOCore
import NIOHTTP1
import TLS

// What the channel tells.
extension HTTPExchangeHandler {
    func handlerAdded(context: ChannelHandlerContext) { attach(context) }
    func handlerRemoved(context: ChannelHandlerContext) { attach(nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = NIODeadline.now()
        switch unwrapInboundIn(data) {
        case .head(let head): step { $0.received(head, now: now) }
        case .body(var bytes): step { $0.received(&bytes, now: now) }
        case .end: step { $0.receivedEnd(now: now) }
        }
        goOn()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        goOn()
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            ended(.closedEarly, nothingTaken: nothingAcknowledged(context.channel))
        } else if event is TLSPeerClosed {
            peerClosed(context)
        } else if let handshake = event as? TLSHandshake {
            isLateRefusalPossible = handshake.version == "TLSv1.3"
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTruncated = (error as? TLSError)?.code == .truncated
        let nothingTaken = isTruncated ? nothingAcknowledged(context.channel) : isClientRefused(error)
        ended(HTTPFailure.Cause(error), nothingTaken: nothingTaken)
    }

    /// close_notify: no answer comes any more. What proves that nothing was taken is the FIN behind it, which follows
    /// at once but for a few that wait for ours.
    private func peerClosed(_ context: ChannelHandlerContext) {
        isPeerClosed = true
        guard let call = currentCall else { return ended(.closedEarly, nothingTaken: false) }
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] () -> Void in
            if let self, currentCall === call { ended(.closedEarly, nothingTaken: false) }
        }
    }

    /// Whether the printer refused our certificate, or the want of one. In TLS 1.3 it says so only after our side has
    /// shaken hands (RFC 8446 §4.4.2.4), so that a request may be on its way; but nobody reads that before the
    /// handshake's end, and no renegotiation asks for a certificate later.
    private func isClientRefused(_ error: any Error) -> Bool {
        (error as? TLSError)?.code == .clientRefused && count == 1 && isLateRefusalPossible
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended(.closedEarly, nothingTaken: false)
        context.fireChannelInactive()
    }

    func ended(_ cause: HTTPFailure.Cause, nothingTaken: Bool) {
        if count == 0, endBeforeUse == nil { endBeforeUse = cause }
        if let idleSince, running == nil, !isSpent { idleLimit.printerClosed(after: .now() - idleSince) }
        step { $0.connectionEnded(cause, nothingTaken: nothingTaken) }
        spend()
    }

    /// Whether the printer closed (FIN) before its TCP took a byte of this request: then nobody can have read any, and
    /// nobody will, since a host answers what comes to a closed socket with RST. The FIN itself acknowledges all that
    /// arrived before it, so the count cannot be late. A bare RST proves nothing: it may come from a program that read
    /// and then died, and overtakes a delayed acknowledgement.
    private func nothingAcknowledged(_ channel: any Channel) -> Bool {
        guard let before = running?.acknowledgedBefore, before > 0, let info = TCPInfo.read(channel) else {
            return false
        }
        return info.bytesAcknowledged == before
    }
}

extension HTTPFailure.Cause {
    init(_ error: any Error) {
        switch error {
        case let error as IOError: self = .socket(errno: error.errnoCode)
        case HTTPParserError.invalidEOFState: self = .closedEarly
        case let error as HTTPParserError: self = .malformed("its answer is no HTTP (\(error))")
        case let error as NIOHTTPDecoderError: self = .malformed("its answer is no HTTP (\(error))")
        case ChannelError.eof: self = .closedEarly
        case let error as TLSError: self = error.code == .truncated ? .closedEarly : .tls(error)
        default: self = .channel("\(error)")
        }
    }
}
