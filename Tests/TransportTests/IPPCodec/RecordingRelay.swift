import NIOCore
import NIOPosix
import Synchronization

/// A TCP relay on loopback that records both directions of each connection.
final class RecordingRelay: Sendable {
    /// The two directions of one connection.
    struct Connection: Sendable {
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
    }

    private let recording = Recording()
    private let listener: any Channel

    /// Relays from a free port to `port`.
    init(to port: Int) async throws {
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [recording] client in
                let index = recording.open()
                return ClientBootstrap(group: client.eventLoop)
                    .channelInitializer { server in
                        server.eventLoop.makeCompletedFuture {
                            try server.pipeline.syncOperations.addHandler(
                                Handler(other: client) { recording.append($0, to: index, \.toClient) })
                        }
                    }
                    .connect(host: "localhost", port: port)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(
                            Handler(other: server) { recording.append($0, to: index, \.toServer) })
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { listener.localAddress?.port ?? 0 }
    var connections: [Connection] { recording.connections }

    func stop() async throws { try await listener.close() }
}

extension RecordingRelay {
    private final class Recording: Sendable {
        private let state = Mutex<[Connection]>([])

        var connections: [Connection] { state.withLock { $0 } }

        func open() -> Int {
            state.withLock {
                $0.append(Connection())
                return $0.count - 1
            }
        }

        func append(_ bytes: ByteBufferView, to index: Int, _ direction: WritableKeyPath<Connection, [UInt8]>) {
            state.withLock { $0[index][keyPath: direction].append(contentsOf: bytes) }
        }
    }

    /// Writes what its side reads to the other side, and closes the other side when its side ends.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private let record: @Sendable (ByteBufferView) -> Void

        init(other: any Channel, record: @escaping @Sendable (ByteBufferView) -> Void) {
            self.other = other
            self.record = record
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            record(buffer.readableBytesView)
            other.writeAndFlush(buffer, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
