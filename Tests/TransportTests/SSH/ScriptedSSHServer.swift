import NIOCore
import NIOPosix

/// A server that does with each connection what a test says: no SSH of its own. Listens until it is let go.
final class ScriptedSSHServer: Sendable {
    private let channel: any Channel
    let port: Int

    init(_ script: @escaping @Sendable (any Channel) -> Void) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                script(channel)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }
}

extension Channel {
    func say(_ text: String) { writeAndFlush(ByteBuffer(string: text), promise: nil) }

    /// The same over and over, as long as somebody takes it.
    func repeatForever(_ text: String) {
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenSuccess { self.repeatForever(text) }
        writeAndFlush(ByteBuffer(string: text), promise: promise)
    }
}
