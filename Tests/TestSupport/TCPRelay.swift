import NIOCore
import NIOPosix

/// A way to a server on loopback that can be cut and broken: relays TCP connections from a free port to the server's.
///
/// While it is cut nothing gets through, no end of a connection either, and new connections wait; none is refused or
/// reset. What was under way arrives once it is healed. Of each direction only what one read brings is kept in memory.
package final class TCPRelay: Sendable {
    package let port: Int
    private let listener: any Channel
    private let traffic: NIOLoopBound<Traffic>

    package init(to target: Int) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let traffic = try await loop.submit { NIOLoopBound(Traffic(on: loop), eventLoop: loop) }.get()
        listener = try await ServerBootstrap(group: loop)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                // The client is not read, and not known to have ended, until this is over.
                traffic.value.wayIsOpen().flatMap {
                    ClientBootstrap(group: client.eventLoop)
                        .channelOption(.autoRead, value: false)
                        .channelInitializer { server in
                            server.eventLoop.makeCompletedFuture {
                                try server.pipeline.syncOperations.addHandler(
                                    Direction(from: server, to: client, isLast: false, traffic.value))
                            }
                        }
                        .connect(host: "127.0.0.1", port: target)
                }
                .flatMapThrowing { server in
                    do {
                        try client.pipeline.syncOperations.addHandler(
                            Direction(from: client, to: server, isLast: true, traffic.value))
                    } catch {
                        server.close(promise: nil)
                        throw error
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.traffic = traffic
        port = listener.localAddress?.port ?? 0
    }

    deinit {
        listener.close(promise: nil)
        traffic.eventLoop.execute { [traffic] in traffic.value.heal() }
    }

    /// Lets nothing through until it is healed.
    package func cut() async throws { try await perform { $0.cut() } }

    package func heal() async throws { try await perform { $0.heal() } }

    /// Resets all connections, at both of their ends. New ones get through.
    package func reset() async throws { try await perform { $0.reset() } }

    private func perform(_ change: @escaping @Sendable (Traffic) -> Void) async throws {
        try await traffic.eventLoop.submit { [traffic] in change(traffic.value) }.get()
    }
}

extension TCPRelay {
    /// The connections of a relay; used on its event loop alone.
    private final class Traffic {
        private let loop: any EventLoop
        /// There is one while the way is cut.
        private var healing: EventLoopPromise<Void>?
        private var directions: [ObjectIdentifier: Direction] = [:]

        init(on loop: any EventLoop) { self.loop = loop }

        var isCut: Bool { healing != nil }

        func wayIsOpen() -> EventLoopFuture<Void> { healing?.futureResult ?? loop.makeSucceededVoidFuture() }

        func add(_ direction: Direction) { directions[ObjectIdentifier(direction)] = direction }
        func remove(_ direction: Direction) { directions[ObjectIdentifier(direction)] = nil }

        func cut() {
            if healing == nil { healing = loop.makePromise() }
        }

        func heal() {
            let healing = healing
            self.healing = nil
            healing?.succeed()
            for direction in Array(directions.values) { direction.pass() }
        }

        func reset() {
            for direction in Array(directions.values) { direction.reset() }
        }
    }

    /// What one end of a connection sends to the other one.
    private final class Direction: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let channel: any Channel
        private let other: any Channel
        private let traffic: Traffic
        /// What was read and not passed on yet.
        private var held = ByteBuffer()
        private var wasActive = false
        private var isEnded = false
        /// Whether reading begins, at both ends, once this one is active: true for the one that becomes so last.
        private let isLast: Bool

        init(from channel: any Channel, to other: any Channel, isLast: Bool, _ traffic: Traffic) {
            (self.channel, self.other, self.isLast, self.traffic) = (channel, other, isLast, traffic)
        }

        func handlerAdded(context: ChannelHandlerContext) { traffic.add(self) }

        func handlerRemoved(context: ChannelHandlerContext) {
            if !wasActive { traffic.remove(self) }
        }

        func channelActive(context: ChannelHandlerContext) {
            wasActive = true
            guard isLast else { return }
            channel.read()
            other.read()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            held.writeBuffer(&bytes)
        }

        func channelReadComplete(context: ChannelHandlerContext) { pass() }

        func channelInactive(context: ChannelHandlerContext) {
            isEnded = true
            pass()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        /// Passes on what was read, and the end after it; reads on once the other end has taken it.
        func pass() {
            guard wasActive, !traffic.isCut else { return }
            let bytes = held
            held = ByteBuffer()
            other.writeAndFlush(bytes).assumeIsolated().whenComplete { [self] _ in
                if isEnded {
                    other.close(promise: nil)
                    traffic.remove(self)
                } else {
                    channel.read()
                }
            }
        }

        func reset() {
            // With a linger time of 0, closing resets.
            if let socket = channel as? any SocketOptionProvider {
                _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            }
            channel.close(promise: nil)
        }
    }
}
