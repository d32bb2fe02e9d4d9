import NIOCore
import NIOHTTP1
import NIOPosix
import PrintModel

// Being on the network, and leaving it.
extension PrinterCore {
    private static let bindAttempts = 8

    /// Listens on loopback; port 0 is replaced by the one that was free.
    func listen() -> EventLoopFuture<Void> { listen(attempt: 1) }

    private func listen(attempt: Int) -> EventLoopFuture<Void> {
        let wanted = service.identity.port
        let box = NIOLoopBound(self, eventLoop: loop)
        return bind("127.0.0.1", wanted).flatMap { first -> EventLoopFuture<Void> in
            let port = first.localAddress?.port ?? wanted
            box.value.listeners = [first]
            // "localhost" may mean ::1: whoever tries that first must not meet somebody else on our port.
            return box.value.bind("::1", port).map { box.value.listeners.append($0) }
                .flatMapError { error in
                    let isTaken = (error as? IOError)?.errnoCode == EADDRINUSE
                    guard isTaken, wanted == 0, attempt < Self.bindAttempts else {
                        // No IPv6 here.
                        return box.value.loop.makeSucceededVoidFuture()
                    }
                    return first.close().flatMap { box.value.listen(attempt: attempt + 1) }
                }
                .map { if wanted == 0, box.value.listeners.first === first { box.value.service.identity.port = port } }
        }
    }

    private func bind(_ host: String, _ port: Int) -> EventLoopFuture<any Channel> {
        let box = NIOLoopBound(self, eventLoop: loop)
        return ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(PrinterConnection(core: box.value))
                }
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
        return listen().map {
            box.value.report(.online)
            box.value.settle()
        }
    }

    /// Breaks all connections with a reset, as a device that has lost its power does not say goodbye.
    func dropConnections() {
        for channel in connections.values { reset(channel) }
    }

    func reset(_ channel: any Channel) {
        // With a linger time of 0, closing resets.
        if let socket = channel as? any SocketOptionProvider {
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        channel.close(promise: nil)
    }

    func losePower() {
        service.actions += service.model.losePower(at: now)
        dieAfter = nil
        diesBeforeAnswer = false
        settle()
        goOffline()
    }
}
