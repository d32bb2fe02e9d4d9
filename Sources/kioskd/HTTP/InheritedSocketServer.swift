import KioskServiceManager
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Hummingbird's connections at a socket that listens already: its own server binds one.
///
/// It serves a duplicate, so that the socket stays open for the next server or program; connections that come meanwhile
/// wait in the kernel.
struct InheritedSocketServer: Service {
    let socket: InheritedSocket
    let connections: APIConnections
    let backlog: Int32
    let logger: Logger
    let onRunning: @Sendable (any Channel) async -> Void

    init(
        socket: InheritedSocket, connections: APIConnections, backlog: Int, logger: Logger,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) {
        self.socket = socket
        self.connections = connections
        self.backlog = Int32(backlog)
        self.logger = logger
        self.onRunning = onRunning
    }

    private struct NoDescriptor: Error, CustomStringConvertible {
        var description: String { "there are too few file descriptors; raise LimitNOFILE= in kioskd.service" }
    }

    func run() async throws {
        guard let descriptor = socket.duplicate() else { throw NoDescriptor() }
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: backlog)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(QuiescingHandler())
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(descriptor) { channel in connections.setup(channel: channel, logger: logger) }
        let listener = server.channel
        try await withGracefulShutdownHandler {
            await onRunning(listener)
            try await withThrowingDiscardingTaskGroup { group in
                do {
                    try await server.executeThenClose { inbound in
                        for try await connection in inbound {
                            group.addTask { await connections.handle(value: connection, logger: logger) }
                        }
                    }
                } catch {
                    // Its connections end, too: whoever started this serves the socket anew.
                    guard Task.isShuttingDownGracefully || Task.isCancelled else { throw error }
                }
            }
        } onGracefulShutdown: {
            listener.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }
}

/// Ends a server gracefully: it accepts no more, and its connections end behind their responses. A handler of the
/// listening channel.
private final class QuiescingHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private var connections: [ObjectIdentifier: any Channel] = [:]

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        let id = ObjectIdentifier(connection)
        connections[id] = connection
        connection.closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
            self.connections[id] = nil
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        for connection in connections.values {
            connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        context.close(promise: nil)
    }
}
