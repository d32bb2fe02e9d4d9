import KioskPrintModel
import KioskTLS
import KioskTestSupport
import NIOCore
import NIOPosix
import Testing

/// Two handlers connected by a real socket.
@Suite struct TLSSocketTests {
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `carries a million bytes there and back`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let server = try await SocketServer(.server(fixtures.identity, version: version))
        let client = try await SocketClient(.client(fixtures.trust), port: server.port)
        #expect(try await client.handshake.get().version == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
        let document = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
        try await client.send(document)
        try await eventually("the echo") { client.log.received.count >= document.count }
        #expect(client.log.received == document)
        try await client.finish()
        try await eventually("the server's end") { server.logs.first?.isInactive == true }
        #expect(server.logs.first?.events == ["handshake", "peer closed", "input closed", "inactive"])
        try await server.channel.close()
    }

    @Test func `half closes, and still hears the answer`() async throws {
        let fixtures = try await TLSFixtures.get()
        let server = try await SocketServer(.server(fixtures.identity))
        let client = try await SocketClient(.client(fixtures.trust), port: server.port)
        // Sent before the end of the handshake, so it waits.
        async let sent: Void = client.send("last words")
        try await sent
        try await client.channel.close(mode: .output)
        try await eventually("the end") { client.log.isInactive }
        #expect(client.log.text == "last words")
        #expect(client.log.events == ["handshake", "peer closed", "inactive"])
        try await server.channel.close()
    }

    @Test func `a half closure in the middle of the handshake comes after what was written`() async throws {
        let fixtures = try await TLSFixtures.get()
        let server = try await SocketServer(.server(fixtures.identity))
        let client = try await SocketClient(.client(fixtures.trust), port: server.port)
        let written = client.channel.write(ByteBuffer(string: "all I have"))
        client.channel.flush()
        try await client.channel.close(mode: .output)
        try await written.get()
        try await eventually("the end") { client.log.isInactive }
        #expect(client.log.text == "all I have")
        try await client.finish()
        try await server.channel.close()
    }

    @Test func `a write's promise waits until the socket took it all`() async throws {
        let fixtures = try await TLSFixtures.get()
        // A server that reads nothing after the handshake.
        let context = try TLSContext.server(fixtures.identity)
        let log = SocketLog()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        TLSHandler(server: context), StopReadingAfterHandshake(), SocketRecorder(log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try await SocketClient(.client(fixtures.trust), port: server.localAddress?.port ?? 0)
        _ = try await client.handshake.get()
        try await eventually("the server's handshake") { log.handshake != nil }
        try await client.send("small")
        let large = client.channel.eventLoop.makePromise(of: Void.self)
        // More than both sockets' buffers.
        client.channel.writeAndFlush(ByteBuffer(repeating: 1, count: 32 << 20), promise: large)
        try await eventually("back-pressure") { !client.channel.isWritable }
        try await client.finish()
        await #expect(throws: (any Error).self) { try await large.futureResult.get() }
        try await server.close()
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `resumes over sockets`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let server = try await SocketServer(.server(fixtures.identity, version: version))
        let context = try TLSContext.client(fixtures.server.pin)
        let sessions = TLSSessionCache()
        for round in 0..<4 {
            let client = try await SocketClient(context, port: server.port, sessions: sessions)
            try await client.send("receipt")
            try await eventually("the echo") { client.log.text == "receipt" }
            #expect(client.log.handshake?.isResumed == (round > 0))
            try await client.finish()
        }
        try await server.channel.close()
    }

    @Test func `a client that vanishes in the middle of the handshake harms nobody`() async throws {
        let fixtures = try await TLSFixtures.get()
        let server = try await SocketServer(.server(fixtures.identity))
        let raw = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: server.port).get()
        try await raw.writeAndFlush(ByteBuffer(bytes: [0x16, 0x03, 0x01, 0x02]))
        try await raw.close()
        try await eventually("the server's end") { server.logs.first?.isInactive == true }
        #expect(server.logs.first?.events == ["error truncated", "inactive"])
        let client = try await SocketClient(.client(fixtures.trust), port: server.port)
        _ = try await client.handshake.get()
        try await client.finish()
        try await server.channel.close()
    }

    @Test func `nobody speaks TLS to a server that speaks plainly`() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")).flatMap {
                    channel.close(mode: .output)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try await SocketClient(.client(.none), port: server.localAddress?.port ?? 0)
        let error = await #expect(throws: TLSError.self) { try await client.handshake.get() }
        #expect(error?.code == .handshakeFailed)
        try await server.close()
    }
}

/// Stops reading after the handshake.
private final class StopReadingAfterHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is TLSHandshake { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
        context.fireUserInboundEventTriggered(event)
    }
}
