import NIOCore
import NIOEmbedded
import PrintModel
import TLS
import TestSupport
import Testing

/// The handler between a session in memory and an embedded channel.
@Suite struct TLSHandlerTests {
    /// A client's channel whose server is a bare session.
    private final class Desk {
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

        /// Lets the pipeline go, which refers to itself.
        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

        func connect() throws {
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.7", port: 631)).result()
        }

        /// Lets the server take what the client wrote and answer, until both are quiet.
        func exchange() throws {
            var isMoving = true
            while isMoving {
                isMoving = false
                // The client's last flight waits for a write, but not for long.
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
                while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                    _ = server.feed(Array(bytes.readableBytesView))
                    isMoving = isMoving || bytes.readableBytes > 0
                }
                _ = server.handshake()
                received += server.drain().0
                try answer()
            }
        }

        /// Hands over what the server has to send.
        func answer() throws {
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
        let desk = try await Desk(version: version)
        try desk.open()
        #expect(desk.record.events == ["handshake"])
        try desk.write("hello ").result()
        try desk.write("world").result()
        try desk.exchange()
        #expect(desk.text == "hello world")
        _ = desk.server.put(Array("answer".utf8))
        try desk.answer()
        desk.server.shutdown()
        try desk.answer()
        desk.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(desk.record.events == ["handshake", "read answer", "peer closed", "input closed"])
    }

    @Test func `writes wait for the handshake and keep their order`() async throws {
        let desk = try await Desk()
        try desk.connect()
        let first = desk.write("one, ")
        let second = desk.channel.write(ByteBuffer(string: "two, "))
        let third = desk.write("three")
        let unflushed = desk.channel.write(ByteBuffer(string: " and never flushed"))
        #expect(!first.isDone && !second.isDone && !third.isDone)
        try desk.exchange()
        try first.result()
        try second.result()
        try third.result()
        #expect(desk.text == "one, two, three")
        #expect(!unflushed.isDone)
        desk.channel.flush()
        try desk.exchange()
        #expect(desk.text == "one, two, three and never flushed")
    }

    @Test(arguments: [false, true])
    func `the last flight shares the first write's flush, or goes out with the end`(isClosing: Bool) async throws {
        let desk = try await Desk()
        try desk.connect()
        while let bytes = try desk.channel.readOutbound(as: ByteBuffer.self) {
            _ = desk.server.feed(Array(bytes.readableBytesView))
        }
        _ = desk.server.handshake()
        try desk.channel.writeInbound(ByteBuffer(bytes: desk.server.output()))
        #expect(desk.record.events == ["handshake"])
        #expect(try desk.channel.readOutbound(as: ByteBuffer.self) == nil)
        if isClosing { try desk.channel.close().result() } else { try desk.write("hello").result() }
        while let bytes = try desk.channel.readOutbound(as: ByteBuffer.self) {
            _ = desk.server.feed(Array(bytes.readableBytesView))
        }
        _ = desk.server.handshake()
        let (received, outcome) = desk.server.drain()
        #expect(String(decoding: received, as: UTF8.self) == (isClosing ? "" : "hello"))
        #expect(outcome.isClosed == isClosing)
    }

    @Test func `a write's promise follows its ciphertext`() async throws {
        let fixtures = try await TLSFixtures.get()
        let holder = WriteHolder()
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
        // Three pieces of ciphertext: the write is done with the last of them only.
        let write = channel.send(ByteBuffer(repeating: 9, count: 300_000))
        let pieces = holder.take()
        #expect(pieces.count == 3)
        #expect(pieces.allSatisfy { $0.0.readableBytes < 140_000 })
        pieces[0].1?.succeed()
        pieces[1].1?.succeed()
        #expect(!write.isDone)
        pieces[2].1?.fail(ChannelError.eof)
        #expect(throws: ChannelError.eof) { try write.result() }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        holder.take().forEach { $0.1?.fail(ChannelError.eof) }
    }

    @Test func `a refused certificate fails what waits, and sends no more than an alert`() async throws {
        let desk = try await Desk(trust: .ask)
        try desk.connect()
        let write = desk.write("secret")
        let handshake = try desk.channel.pipeline.syncOperations.handler(type: TLSHandler.self).handshake(
            on: desk.channel.eventLoop)
        #expect(throws: TLSError.self) { try desk.exchange() }
        let error = #expect(throws: TLSError.self) { try write.result() }
        #expect(error?.code == .notAccepted)
        #expect(throws: TLSError.self) { try handshake.result() }
        #expect(desk.record.events == ["error notAccepted", "inactive"])
        #expect(desk.text.isEmpty)
        #expect(throws: TLSError.self) { try desk.write("more").result() }
    }

    @Test func `an end of input without close_notify is truncation, and nothing else`() async throws {
        let desk = try await Desk()
        try desk.open()
        _ = desk.server.put(Array("HTTP/1.1 200 OK\r\n\r\nhalf a bo".utf8))
        try desk.answer()
        let unflushed = desk.channel.write(ByteBuffer(string: "x"))
        desk.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(
            desk.record.events == ["handshake", "read HTTP/1.1 200 OK\r\n\r\nhalf a bo", "error truncated", "inactive"])
        #expect(throws: (any Error).self) { try unflushed.result() }
        #expect(throws: TLSError.self) { try desk.channel.throwIfErrorCaught() }
    }

    @Test func `a channel that goes away says so before it is inactive`() async throws {
        let desk = try await Desk()
        try desk.open()
        desk.channel.pipeline.fireChannelInactive()
        #expect(desk.record.events.prefix(3) == ["handshake", "error truncated", "inactive"])
    }

    @Test(arguments: [false, true])
    func `an end in the middle of the handshake fails it`(isHalf: Bool) async throws {
        let desk = try await Desk()
        try desk.connect()
        let write = desk.write("secret")
        if isHalf {
            desk.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        } else {
            desk.channel.pipeline.fireChannelInactive()
        }
        let error = #expect(throws: TLSError.self) { try write.result() }
        #expect(error?.code == .truncated)
        #expect(desk.record.events.prefix(2) == ["error truncated", "inactive"])
    }

    @Test func `closing in the middle of the handshake fails what waits`() async throws {
        let desk = try await Desk()
        try desk.connect()
        let write = desk.write("secret")
        try desk.channel.close().result()
        #expect(throws: ChannelError.ioOnClosedChannel) { try write.result() }
        #expect(desk.record.events == ["inactive"])
        #expect(throws: ChannelError.ioOnClosedChannel) { try desk.write("more").result() }
    }

    @Test func `closing sends close_notify`() async throws {
        let desk = try await Desk()
        try desk.open()
        try desk.write("bye").result()
        try desk.channel.close().result()
        try desk.exchange()
        #expect(desk.text == "bye")
        #expect(desk.server.drain().1.isClosed)
        #expect(desk.record.events == ["handshake", "inactive"])
    }

    @Test func `a handshake that takes too long is given up`() async throws {
        let desk = try await Desk()
        try desk.connect()
        desk.channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(desk.record.events.isEmpty)
        desk.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(desk.record.events == ["error handshakeFailed", "inactive"])
        let done = try await Desk()
        try done.open()
        done.channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(done.record.events == ["handshake"])
    }

    @Test func `bounds what waits for the handshake`() async throws {
        let desk = try await Desk()
        try desk.connect()
        let write = desk.channel.write(ByteBuffer(repeating: 1, count: 2 << 20))
        #expect(throws: TLSError.self) { try write.result() }
        #expect(desk.record.events == ["error broken", "inactive"])
    }

    @Test func `a server's refusal that comes after the handshake is told as such`() async throws {
        let desk = try await Desk(clientCAs: true)
        #expect(throws: TLSError.self) { try desk.open() }
        #expect(desk.record.events == ["handshake", "error clientRefused", "inactive"])
    }

    @Test func `an empty write keeps its place and succeeds`() async throws {
        let desk = try await Desk()
        try desk.connect()
        let early = desk.write("")
        try desk.exchange()
        try early.result()
        try desk.write("").result()
        #expect(desk.text.isEmpty)
    }
}
