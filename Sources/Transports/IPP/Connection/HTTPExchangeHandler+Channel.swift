import NIOCore
import NIOHTTP1

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
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sendDocument()
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            ended(.closedEarly, nothingTaken: nothingAcknowledged(context.channel))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ended(HTTPFailure.Cause(error), nothingTaken: false)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended(.closedEarly, nothingTaken: false)
        context.fireChannelInactive()
    }

    private func ended(_ cause: HTTPFailure.Cause, nothingTaken: Bool) {
        if let idleSince, running == nil, !isSpent { idleLimit.printerClosed(after: .now() - idleSince) }
        step { $0.connectionEnded(cause, nothingTaken: nothingTaken) }
        spend()
    }

    /// Whether the printer closed (FIN) before its TCP took a byte of this request: then nobody can have read any, and
    /// nobody will, since a host answers what comes to a closed socket with RST. The FIN itself acknowledges all that
    /// arrived before it, so the count cannot be late. A bare RST proves nothing: it may come from a program that read
    /// and then died, and overtakes a delayed acknowledgement.
    private func nothingAcknowledged(_ channel: any Channel) -> Bool {
        guard let before = running?.acknowledgedBefore, before > 0, let info = TCPInfo.read(channel) else { return false }
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
        default: self = .channel("\(error)")
        }
    }
}
