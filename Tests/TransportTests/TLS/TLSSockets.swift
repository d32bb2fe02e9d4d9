import KioskTLS
import KioskTestSupport
import NIOCore
import NIOPosix
import Synchronization

/// The events at the end of a pipeline on a real socket.
final class SocketLog: Sendable {
    private struct State {
        var events: [String] = []
        var received: [UInt8] = []
        var handshake: TLSHandshake?
        var error: TLSError?
    }
    private let state = Mutex(State())

    var events: [String] { state.withLock(\.events) }
    var received: [UInt8] { state.withLock(\.received) }
    var text: String { String(decoding: received, as: UTF8.self) }
    var handshake: TLSHandshake? { state.withLock(\.handshake) }
    var error: TLSError? { state.withLock(\.error) }
    var isInactive: Bool { events.last == "inactive" }

    func note(_ event: String) { state.withLock { $0.events.append(event) } }
    func note(_ bytes: ByteBuffer) { state.withLock { $0.received += bytes.readableBytesView } }
    func note(_ handshake: TLSHandshake) { state.withLock { $0.handshake = handshake } }
    func note(_ error: TLSError) { state.withLock { $0.error = error } }
}

/// Fills a log. If `echoes`, sends all data back.
final class SocketRecorder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let log: SocketLog
    private let echoes: Bool

    init(_ log: SocketLog, echoes: Bool = false) {
        self.log = log
        self.echoes = echoes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        log.note(unwrapInboundIn(data))
        if echoes { context.writeAndFlush(data, promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let handshake as TLSHandshake:
            log.note(handshake)
            log.note("handshake")
        case is TLSPeerClosed: log.note("peer closed")
        case ChannelEvent.inputClosed:
            log.note("input closed")
            if echoes { context.close(promise: nil) }
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        (error as? TLSError).map { log.note($0) }
        log.note((error as? TLSError).map { "error \($0.code.name)" } ?? "error")
    }

    func channelInactive(context: ChannelHandlerContext) { log.note("inactive") }
}

/// A client's TLS connection on loopback.
struct SocketClient: Sendable {
    let channel: any Channel
    let log = SocketLog()
    /// The handshake, or its failure.
    let handshake: EventLoopFuture<TLSHandshake>

    init(_ context: TLSContext, port: Int, host: String = "localhost", sessions: TLSSessionCache? = nil) async throws {
        let log = self.log
        let handshakes = Mutex<EventLoopFuture<TLSHandshake>?>(nil)
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try TLSHandler(client: context, host: host, sessions: sessions)
                    try channel.pipeline.syncOperations.addHandlers(handler, SocketRecorder(log))
                    // Called here, since a server that refuses us may end the pipeline before `connect` returns.
                    let handshake = handler.handshake(on: channel.eventLoop)
                    handshakes.withLock { $0 = handshake }
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        guard let handshake = handshakes.withLock({ $0 }) else { throw TestSupportError("the channel has no TLS") }
        self.handshake = handshake
    }

    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }
    func send(_ text: String) async throws { try await send(Array(text.utf8)) }
    func finish() async throws {
        channel.close(promise: nil)
        try await eventually("the end of the connection") { !channel.isActive }
    }
}

/// A TLS server on loopback that echoes all data.
struct SocketServer: Sendable {
    let channel: any Channel
    let logs = Logs()
    var port: Int { channel.localAddress?.port ?? 0 }

    final class Logs: Sendable {
        private let all = Mutex<[SocketLog]>([])
        func new() -> SocketLog {
            let log = SocketLog()
            all.withLock { $0.append(log) }
            return log
        }
        var first: SocketLog? { all.withLock(\.first) }
        var last: SocketLog? { all.withLock(\.last) }
        var count: Int { all.withLock(\.count) }
    }

    init(_ context: TLSContext) async throws {
        let logs = self.logs
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        TLSHandler(server: context), SocketRecorder(logs.new(), echoes: true))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}
