import KioskPrintModel
import KioskTLS
import KioskTestSupport
import NIOCore
import NIOEmbedded
import Testing

/// The handler in an embedded channel, whose peer is a session in memory.
@Suite struct TLSHandlerTests {
    /// A client's embedded channel and the server's session.
    private final class ClientChannel {
        let channel: EmbeddedChannel
        let server: TLSSession
        let record = EventRecord()
        private(set) var received: [UInt8] = []

        init(trust: Trust? = nil, version: TLSVersion = .tls13, clientCAs: Bool = false) async throws {
            let fixtures = try await TLSFixtures.get()
            let handler = try TLSHandler(client: .client(trust ?? fixtures.trust, version: version), host: "localhost")
            server = try TLSSession(
                server: .server(
                    fixtures.identity, clientCAs: clientCAs ? fixtures.authority.root : nil, requiresClient: clientCAs,
                    version: version))
            channel = EmbeddedChannel(handlers: [handler, record])
        }

        /// Breaks the reference cycle of the pipeline.
        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

        func connect() throws {
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.7", port: 631)).result()
        }

        /// Transfers data in both directions until both sides have nothing to send.
        func exchange() throws {
            var hasData = true
            while hasData {
                hasData = false
                // The client's last flight waits for a write for 1 ms.
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
                while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                    _ = server.feed(Array(bytes.readableBytesView))
                    hasData = hasData || bytes.readableBytes > 0
                }
                _ = server.handshake()
                received += server.drain().0
                try transferToClient()
            }
        }

        /// Transfers what the server has to send.
        func transferToClient() throws {
            let octets = server.output()
            guard !octets.isEmpty else { return }
            try channel.writeInbound(ByteBuffer(bytes: octets))
            channel.pipeline.fireChannelReadComplete()
            try exchange()
        }

        func open() throws {
            try connect()
            try exchange()
        }

        func write(_ text: String) -> EventLoopFuture<Void> { channel.send(ByteBuffer(string: text)) }
        var text: String { String(decoding: received, as: UTF8.self) }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `fires the handshake, then data, in order`(version: TLSVersion) async throws {
        let client = try await ClientChannel(version: version)
        try client.open()
        #expect(client.record.events == ["handshake"])
        try client.write("hello ").result()
        try client.write("world").result()
        try client.exchange()
        #expect(client.text == "hello world")
        _ = client.server.put(Array("answer".utf8))
        try client.transferToClient()
        client.server.shutdown()
        try client.transferToClient()
        client.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(client.record.events == ["handshake", "read answer", "peer closed", "input closed"])
    }

    @Test func `writes wait for the handshake and keep their order`() async throws {
        let client = try await ClientChannel()
        try client.connect()
        let first = client.write("one, ")
        let second = client.channel.write(ByteBuffer(string: "two, "))
        let third = client.write("three")
        let unflushed = client.channel.write(ByteBuffer(string: " and never flushed"))
        #expect(!first.isDone && !second.isDone && !third.isDone)
        try client.exchange()
        try first.result()
        try second.result()
        try third.result()
        #expect(client.text == "one, two, three")
        #expect(!unflushed.isDone)
        client.channel.flush()
        try client.exchange()
        #expect(client.text == "one, two, three and never flushed")
    }

    @Test(arguments: [false, true])
    func `the last flight shares the first write's flush, or goes out with the end`(isClosing: Bool) async throws {
        let client = try await ClientChannel()
        try client.connect()
        while let bytes = try client.channel.readOutbound(as: ByteBuffer.self) {
            _ = client.server.feed(Array(bytes.readableBytesView))
        }
        _ = client.server.handshake()
        try client.channel.writeInbound(ByteBuffer(bytes: client.server.output()))
        #expect(client.record.events == ["handshake"])
        #expect(try client.channel.readOutbound(as: ByteBuffer.self) == nil)
        if isClosing { try client.channel.close().result() } else { try client.write("hello").result() }
        while let bytes = try client.channel.readOutbound(as: ByteBuffer.self) {
            _ = client.server.feed(Array(bytes.readableBytesView))
        }
        _ = client.server.handshake()
        let (received, outcome) = client.server.drain()
        #expect(String(decoding: received, as: UTF8.self) == (isClosing ? "" : "hello"))
        #expect(outcome.isClosed == isClosing)
    }

    @Test func `a write's promise follows its ciphertext`() async throws {
        let fixtures = try await TLSFixtures.get()
        let holder = HeldWrites()
        let record = EventRecord()
        let channel = EmbeddedChannel(
            handlers: [holder, try TLSHandler(client: .client(fixtures.trust), host: "localhost"), record])
        let server = try TLSSession(server: .server(fixtures.identity))
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.7", port: 631)).result()
        while record.events.isEmpty {
            for (bytes, promise) in holder.take() {
                _ = server.feed(Array(bytes.readableBytesView))
                promise?.succeed()
            }
            _ = server.handshake()
            try channel.writeInbound(ByteBuffer(bytes: server.output()))
        }
        holder.take().forEach { $0.1?.succeed() }
        // Three chunks of ciphertext: the write succeeds only with the last one.
        let write = channel.send(ByteBuffer(repeating: 9, count: 300_000))
        let chunks = holder.take()
        #expect(chunks.count == 3)
        #expect(chunks.allSatisfy { $0.0.readableBytes < 140_000 })
        chunks[0].1?.succeed()
        chunks[1].1?.succeed()
        #expect(!write.isDone)
        chunks[2].1?.fail(ChannelError.eof)
        #expect(throws: ChannelError.eof) { try write.result() }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        holder.take().forEach { $0.1?.fail(ChannelError.eof) }
    }

    @Test func `a refused certificate fails what waits, and sends no more than an alert`() async throws {
        let client = try await ClientChannel(trust: .ask)
        try client.connect()
        let write = client.write("secret")
        let handshake = try client.channel.pipeline.syncOperations.handler(type: TLSHandler.self).handshake(
            on: client.channel.eventLoop)
        #expect(throws: TLSError.self) { try client.exchange() }
        let error = #expect(throws: TLSError.self) { try write.result() }
        #expect(error?.code == .notAccepted)
        #expect(throws: TLSError.self) { try handshake.result() }
        #expect(client.record.events == ["error notAccepted", "inactive"])
        #expect(client.text.isEmpty)
        #expect(throws: TLSError.self) { try client.write("more").result() }
    }

    @Test func `an end of input without close_notify is truncation, and nothing else`() async throws {
        let client = try await ClientChannel()
        try client.open()
        _ = client.server.put(Array("HTTP/1.1 200 OK\r\n\r\nhalf a bo".utf8))
        try client.transferToClient()
        let unflushed = client.channel.write(ByteBuffer(string: "x"))
        client.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(
            client.record.events == [
                "handshake", "read HTTP/1.1 200 OK\r\n\r\nhalf a bo", "error truncated", "inactive",
            ])
        #expect(throws: (any Error).self) { try unflushed.result() }
        #expect(throws: TLSError.self) { try client.channel.throwIfErrorCaught() }
    }

    @Test func `a channel that goes away says so before it is inactive`() async throws {
        let client = try await ClientChannel()
        try client.open()
        client.channel.pipeline.fireChannelInactive()
        #expect(client.record.events.prefix(3) == ["handshake", "error truncated", "inactive"])
    }

    @Test(arguments: [false, true])
    func `an end in the middle of the handshake fails it`(isHalf: Bool) async throws {
        let client = try await ClientChannel()
        try client.connect()
        let write = client.write("secret")
        if isHalf {
            client.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        } else {
            client.channel.pipeline.fireChannelInactive()
        }
        let error = #expect(throws: TLSError.self) { try write.result() }
        #expect(error?.code == .truncated)
        #expect(client.record.events.prefix(2) == ["error truncated", "inactive"])
    }

    @Test func `closing in the middle of the handshake fails what waits`() async throws {
        let client = try await ClientChannel()
        try client.connect()
        let write = client.write("secret")
        try client.channel.close().result()
        #expect(throws: ChannelError.ioOnClosedChannel) { try write.result() }
        #expect(client.record.events == ["inactive"])
        #expect(throws: ChannelError.ioOnClosedChannel) { try client.write("more").result() }
    }

    @Test func `closing sends close_notify`() async throws {
        let client = try await ClientChannel()
        try client.open()
        try client.write("bye").result()
        try client.channel.close().result()
        try client.exchange()
        #expect(client.text == "bye")
        #expect(client.server.drain().1.isClosed)
        #expect(client.record.events == ["handshake", "inactive"])
    }

    @Test func `a handshake that takes too long is given up`() async throws {
        let client = try await ClientChannel()
        try client.connect()
        client.channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(client.record.events.isEmpty)
        client.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(client.record.events == ["error handshakeFailed", "inactive"])
        let done = try await ClientChannel()
        try done.open()
        done.channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(done.record.events == ["handshake"])
    }

    @Test func `bounds what waits for the handshake`() async throws {
        let client = try await ClientChannel()
        try client.connect()
        let write = client.channel.write(ByteBuffer(repeating: 1, count: 2 << 20))
        #expect(throws: TLSError.self) { try write.result() }
        #expect(client.record.events == ["error broken", "inactive"])
    }

    @Test func `a server's refusal that comes after the handshake is told as such`() async throws {
        let client = try await ClientChannel(clientCAs: true)
        #expect(throws: TLSError.self) { try client.open() }
        #expect(client.record.events == ["handshake", "error clientRefused", "inactive"])
    }

    @Test func `an empty write keeps its place and succeeds`() async throws {
        let client = try await ClientChannel()
        try client.connect()
        let early = client.write("")
        try client.exchange()
        try early.result()
        try client.write("").result()
        #expect(client.text.isEmpty)
    }
}

/// The last handler of a test's pipeline: records what reaches it.
final class EventRecord: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private(set) var events: [String] = []
    private(set) var received: [UInt8] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        received += bytes.readableBytesView
        events.append("read \(String(buffer: bytes))")
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is TLSHandshake: events.append("handshake")
        case is TLSPeerClosed: events.append("peer closed")
        case ChannelEvent.inputClosed: events.append("input closed")
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        events.append((error as? TLSError).map { "error \($0.code.name)" } ?? "error \(error)")
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) { events.append("inactive") }
}

/// Holds all writes until the test takes them, like a socket that is not writable.
final class HeldWrites: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private var held: [(ByteBuffer, EventLoopPromise<Void>?)] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        held.append((unwrapOutboundIn(data), promise))
    }

    func take() -> [(ByteBuffer, EventLoopPromise<Void>?)] {
        defer { held = [] }
        return held
    }
}

extension EventLoopFuture where Value: Sendable {
    /// Whether an embedded event loop has completed the future.
    var isDone: Bool { completion != nil }

    /// The result of a future that an embedded event loop has completed.
    @discardableResult
    func result() throws -> Value {
        guard let completion else { throw TestSupportError("the future is not complete") }
        return try completion.get()
    }

    private var completion: Result<Value, any Error>? {
        var completion: Result<Value, any Error>?
        assumeIsolated().whenComplete { completion = $0 }
        return completion
    }
}

extension EmbeddedChannel {
    /// Calls `writeAndFlush`. An asynchronous test would otherwise get the overload that waits.
    func send(_ bytes: ByteBuffer) -> EventLoopFuture<Void> { writeAndFlush(bytes) }
}
