import KioskTLS
import NIOCore
import NIOHTTP1
import NIOPosix

/// The printer's port on loopback, its listening sockets and its open connections. It lives on one event loop and is
/// used only there.
final class PrinterListener {
    /// More connections than any client needs. A client that takes all of them blocks others, but exhausts no memory.
    private static let connectionLimit = 256
    /// How long a connection may pass no byte in either direction.
    private static let idleLimit = TimeAmount.minutes(5)
    // Ten seconds in all.
    private static let listenRetries = 1000
    private static let listenRetryInterval = TimeAmount.milliseconds(10)

    let loop: any EventLoop
    let port: Int
    let tls: PrinterTLS?
    /// Keeps a port that the kernel chose while the printer is off the network; nil where the caller chose the port.
    private let reservedPort: ReservedPort?
    private var listeners: [any Channel] = []
    private var connections: [ObjectIdentifier: any Channel] = [:]

    /// Port 0 takes any free one.
    init(loop: any EventLoop, port: Int, tls: PrinterTLS?) throws(SimulatedPrinterError) {
        self.loop = loop
        self.tls = tls
        reservedPort = try port == 0 ? ReservedPort() : nil
        self.port = reservedPort?.number ?? port
    }

    var isListening: Bool { !listeners.isEmpty }
    var connectionCount: Int { connections.count }

    func add(_ connection: ObjectIdentifier, _ channel: any Channel) { connections[connection] = channel }
    func remove(_ connection: ObjectIdentifier) { connections[connection] = nil }

    // MARK: Listening

    /// Listens on loopback, over IPv4 and IPv6.
    func listen(for server: PrinterServer) -> EventLoopFuture<Void> {
        let server = NIOLoopBound(server, eventLoop: loop)
        let listener = NIOLoopBound(self, eventLoop: loop)
        return bind("127.0.0.1", server).flatMap { first in
            // "localhost" may mean ::1: a client that tries ::1 first must not meet another program on our port.
            listener.value.bind("::1", server).map { [first, $0] }.flatMapError { error in
                // Other errors: there is no IPv6 here.
                guard error.isAddressInUse else { return listener.value.loop.makeSucceededFuture([first]) }
                return first.close().flatMapThrowing { throw error }
            }
        }.map { listener.value.listeners = $0 }
    }

    /// Listens on the port that the printer has left. A child that this process is starting holds copies of its sockets
    /// until it has become another program, so that the port may be free only a moment later.
    func listenAgain(for server: PrinterServer) -> EventLoopFuture<Void> {
        listenAgain(for: NIOLoopBound(server, eventLoop: loop), retries: Self.listenRetries)
    }

    private func listenAgain(for server: NIOLoopBound<PrinterServer>, retries: Int) -> EventLoopFuture<Void> {
        let listener = NIOLoopBound(self, eventLoop: loop)
        return listen(for: server.value).flatMapError { error in
            guard error.isAddressInUse, retries > 0 else { return listener.value.loop.makeFailedFuture(error) }
            return listener.value.loop.scheduleTask(in: Self.listenRetryInterval) {}.futureResult.flatMap {
                listener.value.listenAgain(for: server, retries: retries - 1)
            }
        }
    }

    private func bind(_ host: String, _ server: NIOLoopBound<PrinterServer>) -> EventLoopFuture<any Channel> {
        let listener = NIOLoopBound(self, eventLoop: loop)
        return ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try listener.value.accept(channel, for: server.value) }
            }
            .bind(host: host, port: port)
    }

    // MARK: Leaving the network

    /// Breaks all connections, and refuses new ones. Returns whether the printer was listening.
    func close() -> Bool {
        let closing = listeners
        listeners = []
        for listener in closing { listener.close(promise: nil) }
        resetConnections()
        return !closing.isEmpty
    }

    /// Breaks all connections with a reset, as a device does that loses its power.
    func resetConnections() {
        for channel in connections.values { reset(channel) }
    }

    func reset(_ channel: any Channel) {
        // With a linger time of 0, closing resets.
        if let socket = channel as? any SocketOptionProvider {
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        // Bypasses TLS, which would send close_notify.
        if let context = try? channel.pipeline.syncOperations.context(handlerType: TLSHandler.self) {
            context.close(promise: nil)
        } else {
            channel.close(promise: nil)
        }
    }

    // MARK: The handlers of a connection

    private func accept(_ channel: any Channel, for server: PrinterServer) throws {
        guard connections.count < Self.connectionLimit else { return channel.close(promise: nil) }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleLimit))
        switch tls {
        case let tls? where tls.options.byUpgrade:
            try pipeline.configureHTTPServerPipeline(
                withServerUpgrade: (UpgradeRequiredHandler.upgraders(server), { _ in }), withErrorHandling: true)
            try pipeline.addHandler(UpgradeRequiredHandler(listener: self))
        case _?: try serveTLS(pipeline, for: server)
        case nil: try serve(pipeline, for: server)
        }
    }

    func serveTLS(_ pipeline: ChannelPipeline.SynchronousOperations, for server: PrinterServer) throws {
        if let tls { try pipeline.addHandler(tls.makeHandler()) }
        try serve(pipeline, for: server)
    }

    private func serve(_ pipeline: ChannelPipeline.SynchronousOperations, for server: PrinterServer) throws {
        try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
        try pipeline.addHandler(PrinterConnection(server: server))
    }
}

extension Error {
    fileprivate var isAddressInUse: Bool { (self as? IOError)?.errnoCode == EADDRINUSE }
}
