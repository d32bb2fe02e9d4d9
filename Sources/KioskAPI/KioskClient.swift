// A client imports KioskAPI alone: its calls take and return the API's messages.
@_exported public import KioskAPIMessages
public import NIOCore
import NIOHTTP1

/// A client of the daemon: HTTP over its Unix socket, or to another machine over TCP and TLS.
///
///     guard let receipt = RoleName(rawValue: "receipt") else { return }
///     let client = KioskClient()
///     let job = try await client.submit(.bytes(Array("Tea 2.50\n".utf8)), to: receipt, wait: .seconds(10))
///     print(job.state, job.evidence)
///
/// To a daemon on another machine, with its token and the key that it is known by:
///
///     let host = try RemoteHost("https://kiosk.local", fingerprint: Fingerprint("sha256:…"), token: Secret(token))
///     let client = KioskClient(host: host)
///
/// Calls may be made from any task, also at the same time. A call ends with `CancellationError` soon after its task is
/// cancelled. Every wait has a timeout. All other errors are `KioskClientError`s, `Problem`s for parameters that are
/// not valid, and `DocumentSourceError`s for a file that cannot be opened.
public final class KioskClient: Sendable {
    /// Where the daemon is reached.
    public let address: DaemonAddress
    let options: Options
    let connections: ConnectionPool

    /// The client's timeouts.
    public struct Options: Hashable, Sendable {
        /// The time for the socket to accept a connection.
        public var connectTimeout = Duration.seconds(2)
        /// The time for a host to accept a connection, and again to agree on TLS.
        public var hostConnectTimeout = Duration.seconds(10)
        /// The time for the daemon's response, beyond the time that a request asks it to wait, and for each piece of a
        /// document.
        public var responseTimeout = Duration.seconds(30)
        /// The time after which a silent event stream counts as broken. The daemon sends a keep-alive every 15 seconds.
        public var eventTimeout = Duration.seconds(45)
        /// The delay before a broken event stream is opened again.
        public var reconnectDelay = Duration.seconds(1)

        public init() {}
    }

    /// Connections run on `eventLoopGroup`; nil is one thread that all clients of this process share.
    public convenience init(
        socket: SocketLocation, options: Options = Options(), eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        self.init(address: .socket(socket), options: options, eventLoopGroup: eventLoopGroup)
    }

    /// A client of a daemon on another machine. Connections run on `eventLoopGroup`; nil is one thread that all clients
    /// of this process share.
    public convenience init(
        host: RemoteHost, options: Options = Options(), eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        self.init(address: .host(host), options: options, eventLoopGroup: eventLoopGroup)
    }

    /// A client of the daemon at `address`. Connections run on `eventLoopGroup`; nil is one thread that all clients of
    /// this process share.
    public init(
        address: DaemonAddress, options: Options = Options(),
        eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        self.address = address
        self.options = options
        let isHost = if case .host = address { true } else { false }
        connections = ConnectionPool(
            address: address,
            connectTimeout: TimeAmount(isHost ? options.hostConnectTimeout : options.connectTimeout),
            group: eventLoopGroup)
    }

    /// A client of the daemon that `$KIOSKD_SOCKET`, `$XDG_RUNTIME_DIR` or the system names; see `SocketLocation`.
    public convenience init() {
        self.init(socket: .forClient())
    }

    /// Closes the idle connections. Calls in progress go on; later ones connect again.
    public func close() { connections.closeIdle() }
}

extension KioskClient {
    /// Makes a call. Throws the problem with which the daemon refuses it. `progress` is called with the number of bytes
    /// of a streamed document that have been sent.
    func perform<Value>(
        _ call: APICall<Value>, progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws -> Value {
        let request = ClientRequest(
            call, timeout: TimeAmount(options.responseTimeout + .seconds(call.wait)), address: address,
            progress: progress
        )
        return try await connections.exchange(request).whole.value(of: call, address)
    }

    /// Opens a connection whose response is a stream of server-sent events, after the event `id`. The caller closes it.
    func openEventStream(_ path: String, after id: String? = nil) async throws -> ClientConnection {
        var request = ClientRequest(
            method: .GET, path: path, address: address, headers: [("Accept", APIMediaTypes.eventStream)],
            timeout: TimeAmount(options.eventTimeout), streamsResponse: true, isRepeatable: true
        )
        if let id { request.headers.append((APIHeaders.lastEventID, id)) }
        let connection = try await connections.connect()
        do {
            try await connection.exchange(request).whole.checkEventStream(address)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }
}
