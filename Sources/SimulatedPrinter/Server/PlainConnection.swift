import NIOCore
import NIOHTTP1

/// A connection without TLS to a printer that serves nobody so: every request is answered with 426, after which clients
/// connect anew and ask to upgrade first (RFC 2817 §4.2).
final class PlainConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// What clients may ask for; which version it becomes is TLS's own business.
    private static let protocols = ["TLS/1.3", "TLS/1.2", "TLS/1.1", "TLS/1.0"]

    private let core: PrinterCore

    init(core: PrinterCore) { self.core = core }

    static func upgraders(_ core: PrinterCore) -> [any HTTPServerProtocolUpgrader] {
        protocols.map { TLSUpgrader(supportedProtocol: $0, core: core) }
    }

    func handlerAdded(context: ChannelHandlerContext) { core.connections[ObjectIdentifier(self)] = context.channel }
    func handlerRemoved(context: ChannelHandlerContext) { core.connections[ObjectIdentifier(self)] = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let text = ByteBuffer(string: "This printer serves nobody without TLS.\n")
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

/// Puts TLS, and HTTP above it, in the place of plain HTTP.
private struct TLSUpgrader: HTTPServerProtocolUpgrader {
    let supportedProtocol: String
    let requiredUpgradeHeaders: [String] = []
    let core: PrinterCore

    func buildUpgradeResponse(
        channel: any Channel, upgradeRequest: HTTPRequestHead, initialResponseHeaders: HTTPHeaders
    ) -> EventLoopFuture<HTTPHeaders> {
        // §3.2: OPTIONS is what a client asks with that wants TLS before anything else is said.
        guard upgradeRequest.method == .OPTIONS else { return channel.eventLoop.makeFailedFuture(NoUpgrade()) }
        return channel.eventLoop.makeSucceededFuture(initialResponseHeaders)
    }

    func upgrade(context: ChannelHandlerContext, upgradeRequest: HTTPRequestHead) -> EventLoopFuture<Void> {
        context.eventLoop.makeCompletedFuture {
            let pipeline = context.pipeline.syncOperations
            let plain = try pipeline.context(handlerType: PlainConnection.self)
            try core.serveTLS(pipeline)
            pipeline.removeHandler(context: plain, promise: nil)
            // §3.3: the request itself is answered after the handshake, for which TLS lets it wait.
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nAllow: GET, OPTIONS, POST\r\nContent-Length: 0\r\n\r\n")
            try pipeline.context(handlerType: HTTPResponseEncoder.self)
                .writeAndFlush(NIOAny(IOData.byteBuffer(answer)), promise: nil)
        }
    }
}

/// The request goes on without TLS, to be answered with 426.
private struct NoUpgrade: Error {}
