import NIOCore
import NIOHTTP1

/// A connection without TLS to a printer that requires TLS: the response to every request is 426 Upgrade Required.
/// Clients then connect anew and ask to upgrade first (RFC 2817 §4.2).
final class UpgradeRequiredHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// What clients may ask for. TLS itself negotiates the version that is used.
    private static let protocols = ["TLS/1.3", "TLS/1.2", "TLS/1.1", "TLS/1.0"]

    private let listener: PrinterListener

    init(listener: PrinterListener) { self.listener = listener }

    static func upgraders(_ server: PrinterServer) -> [any HTTPServerProtocolUpgrader] {
        protocols.map { TLSUpgrader(supportedProtocol: $0, server: server) }
    }

    func handlerAdded(context: ChannelHandlerContext) { listener.add(ObjectIdentifier(self), context.channel) }
    func handlerRemoved(context: ChannelHandlerContext) { listener.remove(ObjectIdentifier(self)) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let text = ByteBuffer(string: "This printer requires TLS.\n")
        let headers: HTTPHeaders = [
            "upgrade": "TLS/1.2, HTTP/1.1", "connection": "Upgrade, close", "content-type": "text/plain; charset=utf-8",
            "content-length": "\(text.readableBytes)",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: .upgradeRequired, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(text))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !(error is NoUpgrade) { context.close(promise: nil) }
    }
}

/// Replaces plain HTTP with TLS, and HTTP above it.
private struct TLSUpgrader: HTTPServerProtocolUpgrader {
    let supportedProtocol: String
    let requiredUpgradeHeaders: [String] = []
    let server: PrinterServer

    func buildUpgradeResponse(
        channel: any Channel, upgradeRequest: HTTPRequestHead, initialResponseHeaders: HTTPHeaders
    ) -> EventLoopFuture<HTTPHeaders> {
        // §3.2: a client that wants TLS before it sends anything else asks with OPTIONS.
        guard upgradeRequest.method == .OPTIONS else { return channel.eventLoop.makeFailedFuture(NoUpgrade()) }
        return channel.eventLoop.makeSucceededFuture(initialResponseHeaders)
    }

    func upgrade(context: ChannelHandlerContext, upgradeRequest: HTTPRequestHead) -> EventLoopFuture<Void> {
        context.eventLoop.makeCompletedFuture {
            let pipeline = context.pipeline.syncOperations
            let plain = try pipeline.context(handlerType: UpgradeRequiredHandler.self)
            try server.listener.serveTLS(pipeline, for: server)
            pipeline.removeHandler(context: plain, promise: nil)
            // §3.3: the response to the request itself follows the handshake, for which TLS holds it back.
            let response = ByteBuffer(
                string: "HTTP/1.1 200 OK\r\nAllow: GET, OPTIONS, POST\r\nContent-Length: 0\r\n\r\n")
            try pipeline.context(handlerType: HTTPResponseEncoder.self)
                .writeAndFlush(NIOAny(IOData.byteBuffer(response)), promise: nil)
        }
    }
}

/// The request goes on without TLS, and its response is 426.
private struct NoUpgrade: Error {}
