import HTTPTypes
import KioskAPI
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import kioskd

/// The deadline for headers over TCP, on a clock that the test moves.
@Suite struct HeaderDeadlineTests {
    private static let request = "GET /v1/health HTTP/1.1\r\nHost: kiosk\r\n\r\n"

    private func channel(_ network: ConnectionHandler.Network?) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false)
        try channel.pipeline.syncOperations.addHandlers(
            HTTP1ToHTTPServerCodec(secure: false),
            ConnectionHandler(presence: ClientPresence(), network: network))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    /// Whether the first part of a request, or the failure in its place, is the one of a slow header.
    private func isCut(_ channel: EmbeddedChannel) -> Bool {
        do {
            try channel.throwIfErrorCaught()
            return false
        } catch { return error as? HTTPParserError == .unknown }
    }

    private func send(_ text: String, to channel: EmbeddedChannel) throws {
        try channel.writeInbound(ByteBuffer(string: text))
    }

    @Test func `a client that sends nothing is closed without a word`() throws {
        let channel = try channel(.init(isSecure: false))
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive && !isCut(channel))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    }

    @Test func `a header that drips does not gain time`() throws {
        let channel = try channel(.init(isSecure: false))
        for byte in Self.request.prefix(9) {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try send(String(byte), to: channel)
        }
        #expect(!isCut(channel))
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(isCut(channel))
        // The response in place of the one that is made for what is not HTTP.
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .badRequest)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        var text = ""
        while var bytes = try channel.readOutbound(as: ByteBuffer.self) {
            text += bytes.readString(length: bytes.readableBytes) ?? ""
        }
        #expect(text.hasPrefix("HTTP/1.1 408"))
        #expect(text.contains("header-too-slow") && text.contains("X-Content-Type-Options: nosniff"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }

    @Test func `the header after a request has a deadline of its own, an idle connection none`() throws {
        let channel = try channel(.init(isSecure: false))
        try send(Self.request, to: channel)
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(40))
        #expect(channel.isActive && !isCut(channel))
        try send("GET /", to: channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(isCut(channel))
    }

    @Test func `the time of a TLS handshake does not count`() throws {
        let channel = try channel(.init(isSecure: true))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive && !isCut(channel))
    }

    @Test func `the Unix socket has no deadline for headers, and no fields for browsers`() throws {
        let channel = try channel(nil)
        try send("GET /", to: channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive && !isCut(channel))
        try send(String(Self.request.dropFirst(5)), to: channel)
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        var bytes = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(bytes.readString(length: bytes.readableBytes)?.contains("nosniff") == false)
    }
}
