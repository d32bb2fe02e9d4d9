import NIOCore
import NIOHTTP1
import NIOPosix
import PrintModel

/// Makes connections to printers: the one place where a socket is opened, and where TLS goes between it and HTTP.
struct Connector: Sendable {
    let eventLoop: any EventLoop
    let threadPool: NIOThreadPool
    let connectTimeout: TimeAmount
    /// Whether what goes to an address never leaves this computer.
    let staysInside: @Sendable (SocketAddress) -> Bool

    /// RFC 8010 §4 says nothing of header sizes; answers of printers have a few hundred bytes of them.
    private static let headerLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1024
        limits.maxHeaderListSize = 64 * 1024
        limits.maxHeaderFieldCount = 128
        return limits
    }()

    /// Opens a connection; fails with a connect error of NIO.
    func connect(to url: PrinterURL, idleLimit: IdleLimit) -> EventLoopFuture<HTTPConnection> {
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // The end of input is an event of its own, so that what the printer acknowledged can be read before the socket closes.
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(
                .writeBufferWaterMark, value: .init(low: DocumentBody.chunkSize, high: 2 * DocumentBody.chunkSize)
            )
            .channelInitializer { [threadPool] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    // TLS for ipps:// comes first here.
                    let decoder = HTTPResponseDecoder(limitConfiguration: Self.headerLimits)
                    try pipeline.addHandlers(
                        HTTPRequestEncoder(), ByteToMessageHandler(decoder),
                        HTTPExchangeHandler(threadPool: threadPool, idleLimit: idleLimit)
                    )
                }
            }
        return bootstrap.connect(host: url.host, port: url.effectivePort ?? 631).flatMapThrowing { [staysInside] channel in
            let handler = try channel.pipeline.syncOperations.handler(type: HTTPExchangeHandler.self)
            return HTTPConnection(
                channel: channel, handler: handler, isPrivate: channel.remoteAddress.map(staysInside) ?? false
            )
        }
    }
}
