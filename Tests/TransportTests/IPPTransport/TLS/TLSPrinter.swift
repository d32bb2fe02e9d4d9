import KioskPrintModel
import KioskTLS
import NIOCore
import NIOPosix

@testable import KioskIPP

/// A scripted printer behind TLS, and a transport; both end with the test's body.
struct TLSPrinter {
    let printer: ScriptedPrinter
    let proxy: TLSProxy
    let transport: IPPTransport

    static func with(
        _ context: TLSContext? = nil, mode: TLSProxy.Mode = .tls, credentials: (any CredentialSource)? = nil,
        deadlines: IPPTransport.Deadlines = .patient,
        staysInside: @escaping @Sendable (SocketAddress) -> Bool = { _ in false }, trace: WireTrace = WireTrace(),
        script: @escaping ScriptedPrinter.Script = { try $0.serve() }, _ body: (TLSPrinter) async throws -> Void
    ) async throws {
        let fixtures = try await TLSFixtures.get()
        let context = try context ?? TLSContext.server(fixtures.identity)
        let printer = try ScriptedPrinter(script)
        defer { printer.stop() }
        let proxy = try await TLSProxy(context, to: printer.port, mode: mode)
        let transport = IPPTransport(
            credentials: credentials, deadlines: deadlines, trace: trace, staysInside: staysInside)
        let result: Result<Void, any Error>
        do {
            try await body(TLSPrinter(printer: printer, proxy: proxy, transport: transport))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await transport.shutDown()
        try await proxy.stop()
        try result.get()
    }

    func contactError(_ target: PrinterTarget) async -> TransportError? {
        do {
            _ = try await transport.contact(target)
            return nil
        } catch {
            return error as? TransportError
        }
    }
}

/// A TLS proxy on loopback for a scripted printer: decrypts what the client sends, and encrypts what the printer sends.
///
/// The printer gets a connection only when the handshake is done.
final class TLSProxy: Sendable {
    enum Mode: Sendable {
        case tls
        /// Plain HTTP that answers 426 to whatever does not upgrade (RFC 2817); other upgrades are answered with 501.
        case upgrade(isRefused: Bool)
    }

    let handshakes = Recorder<TLSHandshake>()
    /// The requests that arrived in clear.
    let clear = Recorder<String>()
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    init(_ context: TLSContext, to printer: Int, mode: Mode = .tls) async throws {
        let (handshakes, clear) = (handshakes, clear)
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    switch mode {
                    case .tls: try pipeline.addHandler(TLSHandler(server: context))
                    case .upgrade(let isRefused):
                        try pipeline.addHandler(UpgradingHandler(context, isRefused: isRefused, clear: clear))
                    }
                    try pipeline.addHandler(Relay(to: printer, handshakes: handshakes))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func target(_ scheme: String = "ipps", trust: Trust, host: String = "127.0.0.1") throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL("\(scheme)://\(host):\(port)/ipp/print"), credentials: "office", trust: trust)
    }

    func stop() async throws { try await channel.close() }
}

/// Connects to the printer when the handshake is done, and passes bytes on both ways.
private final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let port: Int
    private let handshakes: Recorder<TLSHandshake>
    private var printer: (any Channel)?
    private var waiting: [ByteBuffer] = []

    init(to port: Int, handshakes: Recorder<TLSHandshake>) {
        (self.port, self.handshakes) = (port, handshakes)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let handshake = event as? TLSHandshake {
            handshakes.add(handshake)
            connect(context)
        }
    }

    private func connect(_ context: ChannelHandlerContext) {
        let client = context.channel
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Back(client)) }
            }
            .connect(host: "127.0.0.1", port: port)
            .assumeIsolated()
            .whenSuccess { [self] channel in
                printer = channel
                for bytes in waiting { channel.writeAndFlush(bytes, promise: nil) }
                waiting = []
            }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let printer else { return waiting.append(unwrapInboundIn(data)) }
        printer.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { printer?.close(promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private final class Back: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let client: any Channel
        init(_ client: any Channel) { self.client = client }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            client.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
    }
}

/// Reads requests in clear until one upgrades.
private final class UpgradingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let context: TLSContext
    private let isRefused: Bool
    private let clear: Recorder<String>
    private var head = ""

    init(_ context: TLSContext, isRefused: Bool, clear: Recorder<String>) {
        (self.context, self.isRefused, self.clear) = (context, isRefused, clear)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        head += String(buffer: unwrapInboundIn(data))
        guard head.contains("\r\n\r\n") else { return }
        clear.add(head)
        if !head.hasPrefix("OPTIONS * HTTP/1.1\r\n") {
            send(
                "HTTP/1.1 426 Upgrade Required\r\nUpgrade: TLS/1.2,HTTP/1.1\r\nConnection: Upgrade, close\r\n"
                    + "Content-Length: 0\r\n\r\n",
                context)
            context.close(promise: nil)
        } else if isRefused {
            send("HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n", context)
        } else {
            send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2\r\n\r\n", context)
            do {
                try context.pipeline.syncOperations.addHandler(TLSHandler(server: self.context), position: .first)
            } catch {
                context.close(promise: nil)
            }
        }
        head = ""
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is TLSHandshake {
            // RFC 2817 §3.3: the response to the request itself follows over TLS.
            send("HTTP/1.1 200 OK\r\nAllow: POST\r\nContent-Length: 2\r\n\r\nok", context)
        }
        context.fireUserInboundEventTriggered(event)
        if event is TLSHandshake { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }

    private func send(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}
