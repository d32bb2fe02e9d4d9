import KioskAPIMessages
import NIOCore
import NIOPosix
import Synchronization

/// The client's connections to the daemon. A connection is kept after its request for the next one.
final class ConnectionPool: Sendable {
    private let address: DaemonAddress
    private let connectTimeout: TimeAmount
    /// Nil where no TLS is spoken.
    private let tls: HostTLS?
    private let group: any EventLoopGroup
    /// Connections that wait for their next request, the last used at the end.
    private let idle = Mutex<[ClientConnection]>([])

    /// One thread serves far more requests than one daemon can handle. It lives as long as the process.
    private static let sharedGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// More idle connections than this are closed.
    private static let maximumIdle = 64

    /// Connections run on `group`; nil is one thread that all clients of this process share.
    init(address: DaemonAddress, connectTimeout: TimeAmount, group: (any EventLoopGroup)?) {
        self.address = address
        self.connectTimeout = connectTimeout
        tls = if case .host(let host) = address, host.usesTLS { HostTLS(host) } else { nil }
        self.group = group ?? Self.sharedGroup
    }

    deinit { closeIdle() }

    /// Closes the idle connections. Requests in progress go on; later ones open new connections.
    func closeIdle() {
        let connections = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        for connection in connections { connection.close() }
    }

    /// Sends a request over an idle or new connection. The daemon may have closed an idle one just now: then a
    /// request that may be sent twice is sent again.
    func exchange(_ request: ClientRequest) async throws -> ClientResponse {
        if let connection = takeIdle() {
            do {
                return try await exchange(request, over: connection)
            } catch let error as KioskClientError where error.code == .connectionLost && request.isRepeatable {}
        }
        return try await exchange(request, over: connect())
    }

    private func exchange(_ request: ClientRequest, over connection: ClientConnection) async throws -> ClientResponse {
        let response: ClientResponse
        do {
            response = try await connection.exchange(request)
        } catch {
            connection.close()
            throw error
        }
        keep(connection, if: response.keepsAlive)
        return response
    }

    /// How often to try again while the socket's backlog is full (EAGAIN, unix(7)), and how long to wait in between.
    private static let backlogTries = 100
    private static let backlogDelay = Duration.milliseconds(10)

    /// Opens a connection that the caller owns and closes.
    func connect() async throws -> ClientConnection {
        for _ in 0..<Self.backlogTries {
            do {
                return try await open()
            } catch let error as KioskClientError where error.code == .daemonBusy {
                try await Task.sleep(for: Self.backlogDelay)
            }
        }
        return try await open()
    }

    private func open() async throws -> ClientConnection {
        let connection: ClientConnection
        switch address {
        case .socket(let socket):
            connection = try await .open(socket, timeout: connectTimeout, group: group)
        case .host(let host):
            connection = try await .open(host, tls: tls, timeout: connectTimeout, group: group)
        }
        guard !Task.isCancelled else {
            connection.close()
            throw CancellationError()
        }
        return connection
    }

    private func takeIdle() -> ClientConnection? {
        idle.withLock { idle in
            while let connection = idle.popLast() {
                if connection.isOpen { return connection }
            }
            return nil
        }
    }

    private func keep(_ connection: ClientConnection, if keepsAlive: Bool) {
        let isKept = idle.withLock { idle in
            guard keepsAlive, connection.isOpen, idle.count < Self.maximumIdle else { return false }
            idle.append(connection)
            return true
        }
        if !isKept { connection.close() }
    }
}
