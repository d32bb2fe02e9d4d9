import NIOCore
import NIOHTTP1
import NIOPosix
import PrintModel
import TLS

// Being on the network, and leaving it.
extension PrinterCore {
    /// Listens on loopback; port 0 is replaced by one that stays this printer's while it is away, too.
    func listen() -> EventLoopFuture<Void> {
        do {
            if service.identity.port == 0 { service.identity.port = try reservePort() }
        } catch {
            return loop.makeFailedFuture(error)
        }
        let (box, port) = (NIOLoopBound(self, eventLoop: loop), service.identity.port)
        return bind("127.0.0.1", port).flatMap { first in
            // "localhost" may mean ::1: whoever tries that first must not meet somebody else on our port.
            box.value.bind("::1", port).map { [first, $0] }.flatMapError { error in
                // Other errors: there is no IPv6 here.
                guard error.isAddressInUse else { return box.value.loop.makeSucceededFuture([first]) }
                return first.close().flatMapThrowing { throw error }
            }
        }.map { box.value.listeners = $0 }
    }

    private func bind(_ host: String, _ port: Int) -> EventLoopFuture<any Channel> {
        let box = NIOLoopBound(self, eventLoop: loop)
        return ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try box.value.take(channel) }
            }
            .bind(host: host, port: port)
    }

    /// Off the network: connections break, and new ones are refused.
    func goOffline() {
        let closing = listeners
        listeners = []
        for listener in closing { listener.close(promise: nil) }
        dropConnections()
        if !closing.isEmpty { report(.offline) }
    }

    func comeBack() -> EventLoopFuture<Void> {
        guard listeners.isEmpty else { return loop.makeSucceededVoidFuture() }
        if !service.model.isOn { service.model.switchOn(at: now) }
        let box = NIOLoopBound(self, eventLoop: loop)
        return listenAgain(retries: Self.listenRetries).map {
            box.value.report(.online)
            box.value.settle()
        }
    }

    /// Listens on the port that it gave up before. A child that this process is starting holds copies of its sockets
    /// until it has become another program, so the port may be free a moment later only.
    private func listenAgain(retries: Int) -> EventLoopFuture<Void> {
        let box = NIOLoopBound(self, eventLoop: loop)
        return listen().flatMapError { error in
            guard error.isAddressInUse, retries > 0 else { return box.value.loop.makeFailedFuture(error) }
            return box.value.loop.scheduleTask(in: Self.listenPause) {}.futureResult.flatMap {
                box.value.listenAgain(retries: retries - 1)
            }
        }
    }

    /// Ten seconds in all.
    private static let listenRetries = 1000
    private static let listenPause: TimeAmount = .milliseconds(10)

    /// Breaks all connections with a reset, as a device that has lost its power does not say goodbye.
    func dropConnections() {
        for channel in connections.values { reset(channel) }
    }

    func reset(_ channel: any Channel) {
        // With a linger time of 0, closing resets.
        if let socket = channel as? any SocketOptionProvider {
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        // Past TLS, which would say goodbye.
        if let context = try? channel.pipeline.syncOperations.context(handlerType: TLSHandler.self) {
            context.close(promise: nil)
        } else {
            channel.close(promise: nil)
        }
    }

    func losePower() {
        service.actions += service.model.losePower(at: now)
        service.subscriptions.removeAll()
        dieAfter = nil
        diesBeforeAnswer = false
        settle()
        goOffline()
    }
}

extension Error {
    fileprivate var isAddressInUse: Bool { (self as? IOError)?.errnoCode == EADDRINUSE }
}
