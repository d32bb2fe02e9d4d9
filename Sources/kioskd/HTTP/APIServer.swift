import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import KioskAPI
import KioskServiceManager
import KioskTLS
import Logging
import NIOCore
import NIOHTTPTypes
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Hummingbird's HTTP/1.1 server on a Unix socket or over TCP, with the bounds of this API.
///
/// It is built on Hummingbird's server and router without its `Application`, which would keep a clock ticking for the
/// `Date` field and make a logger for every request.
enum APIServer {
    /// Where connections come in.
    enum Entrance: Sendable {
        /// At a new Unix socket of this path.
        case path(String)
        case tcp(host: String, port: Int)
        /// At a socket that listens already.
        case inherited(InheritedSocket)
    }

    /// A connection on which nothing moves for `idleTimeout` is closed: an idle one, and one whose client stopped amid
    /// a request. `network` is nil on a Unix socket.
    static func service(
        at entrance: Entrance, network: NetworkListener? = nil, idleTimeout: TimeAmount, limits: CallerLimits,
        descriptors: DescriptorLimit, responder: APIResponder, logger: Logger,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> any Service {
        let connections = APIConnections(
            network: network, limits: limits, idleTimeout: idleTimeout, descriptors: descriptors, responder: responder)
        let onServerRunning: @Sendable (any Channel) async -> Void = { channel in
            let added = channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(
                    ListenerHandler(descriptors: descriptors), position: .first)
            }
            try? await added.get()
            await onRunning(channel)
        }
        func server(at address: BindAddress) -> any Service {
            connections.server(
                configuration: ServerConfiguration(address: address, backlog: backlog),
                onServerRunning: onServerRunning, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        }
        switch entrance {
        case .path(let path): return server(at: .unixDomainSocket(path: path))
        case .tcp(let host, let port): return server(at: .hostname(host, port: port))
        case .inherited(let socket):
            return InheritedSocketServer(
                socket: socket, connections: connections, backlog: backlog, logger: logger, onRunning: onServerRunning)
        }
    }

    private static let backlog = 1024
}

/// One client's connection, and whether it is served.
struct APIConnection: ServerChildChannelValue {
    let channel: any Channel
    /// Nil where the connection ends at once.
    let parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>?
    let admission: Admission
    let presence: ClientPresence
    /// The other end; nil on a Unix socket.
    let peer: NetworkPeer?

    enum Admission: Sendable {
        /// The connection is served. The caller is the one that the kernel named when the connection was opened.
        case admitted(Caller)
        /// The response to the first request is this problem.
        case refused(Problem)
        /// The connection ends at once.
        case closed
    }
}

/// Sets up accepted connections within the callers' limits, and responds to their requests.
struct APIConnections: ServerChildChannel {
    /// Where the connections come in; nil on a Unix socket.
    let network: NetworkListener?
    let limits: CallerLimits
    let idleTimeout: TimeAmount
    let descriptors: DescriptorLimit
    let responder: APIResponder

    /// The most bytes of all header fields of a request together, and the most fields.
    private static let maximumHeaderSize = 32 * 1024
    private static let maximumHeaderCount = 100

    /// The time to the end of a request's header over TCP, and to the end of the TLS handshake.
    private static let headerTime = TimeAmount.seconds(10)

    /// Never fails, since that would end the server: a connection that cannot be served is closed in `handle`.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<APIConnection> {
        let presence = ClientPresence()
        var peer: NetworkPeer?
        let admission =
            if let network { self.admission(of: channel, at: network, &peer) } else {
                self.admission(of: channel, logger)
            }
        var isRefused = false
        if case .refused = admission { isRefused = true }
        if case .closed = admission, network != nil {
            return channel.eventLoop.makeSucceededFuture(
                APIConnection(channel: channel, parts: nil, admission: admission, presence: presence, peer: nil))
        }
        return http(presence, isRefused: isRefused, peer) { _, _, _ in }.setup(channel: channel, logger: logger)
            .map { [peer] in
                APIConnection(channel: channel, parts: $0, admission: admission, presence: presence, peer: peer)
            }
    }

    /// A connection over TCP: within the limits of its address, and with TLS in front where the listener has it.
    private func admission(
        of channel: any Channel, at network: NetworkListener, _ peer: inout NetworkPeer?
    ) -> APIConnection.Admission {
        do {
            if let descriptor = descriptor(of: channel), descriptors.capacity(beside: descriptor) != .plenty {
                descriptors.logRefusal("connections are refused, since few file descriptors are left")
                throw Problem(.overloaded, detail: "the daemon is out of file descriptors; try again in a moment")
            }
            let admitted = try network.door.admit(channel, isSecure: network.isSecure)
            peer = admitted
            if network.isSecure {
                guard let context = network.door.certificate?.context else { return close(channel) }
                try channel.pipeline.syncOperations.addHandlers(
                    PlainRequestHandler(isOwnName: { admitted.isOwnName($0) }),
                    TLSHandler(server: context, handshakeTimeout: Self.headerTime))
            }
            return .admitted(Caller(.nobody, address: peer?.address.description))
        } catch {
            // Within TLS, a client is told nothing before its handshake.
            guard !network.isSecure else { return close(channel) }
            return close(channel, telling: Problem(describing: error))
        }
    }

    private func close(_ channel: any Channel) -> APIConnection.Admission {
        channel.eventLoop.execute { channel.close(promise: nil) }
        return .closed
    }

    private func admission(of channel: any Channel, _ logger: Logger) -> APIConnection.Admission {
        let caller: Caller
        do {
            caller = try Caller(of: channel)
        } catch {
            logger.error("a connection is closed without a response: \(error)")
            return .closed
        }
        do {
            let capacity = descriptor(of: channel).map(descriptors.capacity(beside:)) ?? .plenty
            guard capacity == .plenty || capacity == .scarce && limits.isPrivileged(caller) else {
                descriptors.logRefusal("connections are refused, since few file descriptors are left")
                let problem = Problem(
                    .overloaded, detail: "the daemon is out of file descriptors; try again in a moment")
                if capacity == .none { return close(channel, telling: problem) }
                throw problem
            }
            let place = try limits.connections.reserve(for: caller)
            channel.closeFuture.whenComplete { _ in place.giveBack() }
            return .admitted(caller)
        } catch {
            let problem = Problem(describing: error)
            guard let place = try? limits.refusals.reserve(for: caller) else { return close(channel, telling: problem) }
            channel.closeFuture.whenComplete { _ in place.giveBack() }
            return .refused(problem)
        }
    }

    /// Sends the reason before the connection ends, without waiting for a request.
    private func close(_ channel: any Channel, telling problem: Problem) -> APIConnection.Admission {
        if let descriptor = descriptor(of: channel) { problem.send(to: descriptor) }
        // Its descriptor is given back before more connections are accepted, not once a task has its turn.
        return close(channel)
    }

    private func descriptor(of channel: any Channel) -> NIOBSDSocket.Handle? {
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
    }

    func handle(value connection: APIConnection, logger: Logger) async {
        guard let parts = connection.parts else { return }
        let (presence, peer) = (connection.presence, connection.peer)
        switch connection.admission {
        case .admitted(let caller):
            await http(presence, peer, responder.serve(caller, presence, limits, peer))
                .handle(value: parts, logger: logger)
        case .refused(let problem):
            await http(presence, peer, responder.refuse(problem)).handle(value: parts, logger: logger)
        case .closed:
            try? await parts.executeThenClose { _, _ in }
        }
    }

    private func http(
        _ presence: ClientPresence, isRefused: Bool = false, _ peer: NetworkPeer?,
        _ respond: @escaping HTTPChannelHandler.Responder
    ) -> HTTP1Channel {
        HTTP1Channel(
            responder: respond,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    ConnectionHandler(
                        presence: presence, isRefused: isRefused, network: peer.map(ConnectionHandler.Network.init))
                ],
                idleTimeout: idleTimeout,
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: Self.maximumHeaderSize, maxHeaderListSize: Self.maximumHeaderSize,
                    maxHeaderFieldCount: Self.maximumHeaderCount
                )
            )
        )
    }
}

extension Problem {
    /// Sends this problem as a whole response on a connection that nothing was written to yet; it fits into the
    /// socket's buffer.
    fileprivate func send(to descriptor: NIOBSDSocket.Handle) {
        guard let body = try? APIJSON.encode(self) else { return }
        let head =
            "HTTP/1.1 \(status) \(HTTPResponse.Status(code: status).reasonPhrase)\r\nContent-Type: \(APIMediaTypes.problem)\r\nContent-Length: \(body.count)\r\n"
            + "Retry-After: \(code.retryAfter ?? 1)\r\nConnection: close\r\n\r\n"
        let bytes = Array(head.utf8) + body
        _ = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
        }
    }
}

/// The limit on open file descriptors (RLIMIT_NOFILE), of which connections never take the last. Printers, documents,
/// the database and what draws need some, and libdispatch ends the process when it cannot open a file of its own
/// (`_dispatch_workq_count_runnable_workers` in its workqueue.c).
final class DescriptorLimit: Sendable {
    enum Capacity: Hashable, Sendable {
        case plenty
        /// Root and the daemon's own user alone are served.
        case scarce
        /// Nobody is served any more.
        case none
    }

    private let refused: CInt
    private let logger: Logger
    private let lastLogged = Mutex<NIODeadline?>(nil)

    /// `refused` is how many connections of other users may be kept for a moment although they are refused.
    init(refused: Int, logger: Logger) {
        self.refused = CInt(refused)
        self.logger = logger
    }

    /// The descriptors that are left besides a connection's own.
    func capacity(beside descriptor: CInt) -> Capacity {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .plenty }
        let count = CInt(clamping: limit.rlim_cur)
        // The kernel gives the lowest number that is free. Where there are so many, connections alone never come near
        // the limit (`CallerLimits`).
        guard count <= 1024 || count - descriptor <= 256 else { return .plenty }
        let (kept, keptForRoot) = (min(32, count / 6), min(16, count / 12))
        let free = (0..<count).count { fcntl($0, F_GETFD) == -1 }
        return free >= kept + keptForRoot + refused ? .plenty : free >= kept ? .scarce : .none
    }

    /// Logs that connections are refused, at most once a second.
    func logRefusal(_ why: String) {
        let isDue = lastLogged.withLock { last in
            let now = NIODeadline.now()
            if let last, now - last < .seconds(1) { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger.error("\(why): close connections, or raise LimitNOFILE= in kioskd.service")
    }
}

/// Keeps the listening socket open when a connection cannot be accepted, and pauses instead of trying over and over. It
/// is the first handler in the socket's pipeline.
final class ListenerHandler: ChannelInboundHandler {
    typealias InboundIn = Channel
    typealias InboundOut = Channel

    private let descriptors: DescriptorLimit

    init(descriptors: DescriptorLimit) { self.descriptors = descriptors }

    private static let pause: TimeAmount = .milliseconds(100)

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case ECONNABORTED: return
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: break
        default: return context.fireErrorCaught(error)
        }
        descriptors.logRefusal("connections cannot be accepted (\(error))")
        // The event loop would report the waiting connection again at once.
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenComplete { _ in
            channel.eventLoop.scheduleTask(in: Self.pause) { channel.setOption(.autoRead, value: true) }
        }
    }
}
