import KioskTestSupport
import NIOCore
import NIOPosix
import Testing

@testable import KioskIPP

@Suite struct TCPInfoTests {
    private func withConnection(
        _ script: @escaping ScriptedPrinter.Script, _ body: (any Channel) async throws -> Void
    ) async throws {
        let peer = try ScriptedPrinter(script)
        defer { peer.stop() }
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: peer.port).get()
        try await body(channel)
        try? await channel.close()
    }

    private func read(_ channel: any Channel) async throws -> TCPInfo {
        try #require(try await channel.eventLoop.submit { TCPInfo.read(channel) }.get())
    }

    @Test func `counts the bytes that the other side acknowledged`() async throws {
        let isRead = Gate()
        try await withConnection({ connection in
            try connection.read(1234)
            isRead.open()
            connection.waitForClose()
        }) { channel in
            let before = try await read(channel)
            #expect(before.isEstablished)
            #expect(before.bytesAcknowledged > 0)
            try await channel.writeAndFlush(ByteBuffer(repeating: 1, count: 1234))
            try await isRead.wait()
            try await eventually("the acknowledgement") {
                try await read(channel).bytesAcknowledged == before.bytesAcknowledged + 1234
            }
        }
    }

    @Test func `knows that the other side closed`() async throws {
        let isClosed = Gate()
        try await withConnection({ connection in
            connection.finish()
            isClosed.open()
            connection.waitForClose()
        }) { channel in
            try await isClosed.wait()
            #expect(try await !read(channel).isEstablished)
        }
    }
}
