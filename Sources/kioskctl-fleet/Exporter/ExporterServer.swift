import Glibc
import KioskTerminal
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Serves pages over HTTP/1.1, one request for each connection, on one event loop.
///
/// NIO itself and not the daemon's framework: two pages need no router, and the office's program stays small.
final class ExporterServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    /// What it listens at, with the port that the kernel chose where it had the choice.
    let port: Int

    /// More than whoever scrapes and looks needs at once. Further ones are closed.
    private static let maximumConnections = 64
    private static let backlog: Int32 = 64
    /// Of all header fields of a request together, in bytes; its target counts as one.
    private static let maximumHeaderSize = 16 * 1024
    private static let maximumHeaderCount = 50

    private init(_ group: MultiThreadedEventLoopGroup, _ listener: any Channel, port: Int) {
        (self.group, self.listener, self.port) = (group, listener, port)
    }

    /// Throws where it cannot listen there.
    static func start(
        at address: ExporterAddress, respond: @escaping @Sendable (ExporterRequest) -> ExporterResponse
    ) async throws -> ExporterServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let open = ConnectionCount()
        do {
            let listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.backlog, value: backlog)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try accept(channel, open, respond) }
                }
                .bind(host: address.host, port: address.port).get()
            return ExporterServer(group, listener, port: listener.localAddress?.port ?? address.port)
        } catch {
            try? await group.shutdownGracefully()
            let code = (error as? IOError)?.errnoCode
            let why = code.map { String(cString: strerror($0)) } ?? "\(error)"
            throw CommandFailure(message: "cannot listen at \(address): \(why); choose another --listen")
        }
    }

    /// Returns once nothing is served any more.
    func stop() async {
        try? await listener.close()
        try? await group.shutdownGracefully()
    }

    private static func accept(
        _ channel: any Channel, _ open: ConnectionCount,
        _ respond: @escaping @Sendable (ExporterRequest) -> ExporterResponse
    ) throws {
        guard open.number.add(1, ordering: .relaxed).newValue <= maximumConnections else {
            open.number.subtract(1, ordering: .relaxed)
            return channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in open.number.subtract(1, ordering: .relaxed) }
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = maximumHeaderSize
        limits.maxHeaderListSize = maximumHeaderSize
        limits.maxHeaderFieldCount = maximumHeaderCount
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), ByteToMessageHandler(decoder), HTTPServerProtocolErrorHandler(),
            ExporterConnection(respond),
        ])
    }

    private final class ConnectionCount: Sendable {
        let number = Atomic(0)
    }
}

/// One connection: a request, its response, and the end.
private final class ExporterConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let respond: @Sendable (ExporterRequest) -> ExporterResponse
    private var request: ExporterRequest?
    private var hasResponded = false
    private var deadline: Scheduled<Void>?

    /// How long a request may take, and then its response.
    private static let requestTime = TimeAmount.seconds(10)
    private static let responseTime = TimeAmount.seconds(30)

    init(_ respond: @escaping @Sendable (ExporterRequest) -> ExporterResponse) { self.respond = respond }

    func channelActive(context: ChannelHandlerContext) {
        close(context, after: Self.requestTime)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    private func close(_ context: ChannelHandlerContext, after time: TimeAmount) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // What comes behind the first request is not answered, and a body is not looked at.
        guard !hasResponded else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = ExporterRequest(
                method: head.method.rawValue, target: head.uri, host: head.headers.first(name: "host"))
        case .body: return
        case .end:
            guard let request else { return }
            hasResponded = true
            close(context, after: Self.responseTime)
            write(respond(request), isHead: request.method == "HEAD", context)
        }
    }

    private func write(_ response: ExporterResponse, isHead: Bool, _ context: ChannelHandlerContext) {
        let body = context.channel.allocator.buffer(string: response.body)
        var fields = HTTPHeaders(response.fields.map { ($0.name, $0.value) })
        fields.add(name: "Content-Length", value: "\(body.readableBytes)")
        fields.add(name: "Connection", value: "close")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Resets by clients, and requests that are not HTTP, to which the pipeline has responded.
        context.close(promise: nil)
    }
}
