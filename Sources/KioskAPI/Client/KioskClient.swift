public import NIOCore
import NIOPosix
import Synchronization

/// A client of the daemon: HTTP over its Unix socket, on connections that are kept for the next request.
///
///     guard let receipt = RoleName(rawValue: "receipt") else { return }
///     let client = KioskClient()
///     let job = try await client.submit(.bytes(Array("Tea 2.50\n".utf8)), to: receipt, wait: .seconds(10))
///     print(job.state, job.evidence)
///
/// Every call may be made from any task, at the same time as others, and ends with `CancellationError` soon after its
/// task is cancelled; every wait has a deadline. All other errors are `KioskClientError`s (and `DocumentSourceError`s
/// of a file that cannot be opened).
public final class KioskClient: Sendable {
    public let socket: SocketLocation
    let options: Options
    private let group: any EventLoopGroup
    /// Connections that wait for their next request, the last used at the end.
    private let idle = Mutex<[ClientConnection]>([])

    /// How patient the client is.
    public struct Options: Hashable, Sendable {
        public var connectTimeout = Duration.seconds(2)
        /// For the daemon's answer, beyond the time that a request asks it to wait; and for each piece of a document.
        public var answerTimeout = Duration.seconds(30)
        /// An event stream that is silent for so long is dead; the daemon shows life every 15 seconds.
        public var eventTimeout = Duration.seconds(45)
        /// Before a broken event stream is opened again.
        public var reconnectDelay = Duration.seconds(1)

        public init() {}
    }

    /// One thread serves far more requests than one daemon can take; it lives as long as the process.
    private static let sharedGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// More idle connections than this are closed.
    private static let maximumIdle = 64

    /// Connections run on `eventLoopGroup`; nil is one thread that all clients of this process share.
    public init(
        socket: SocketLocation, options: Options = Options(),
        eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        self.socket = socket
        self.options = options
        self.group = eventLoopGroup ?? Self.sharedGroup
    }

    /// The daemon that `$KIOSKD_SOCKET`, `$XDG_RUNTIME_DIR` or the system names; see `SocketLocation`.
    public convenience init() {
        self.init(socket: .forClient())
    }

    /// Closes the connections that are kept. Calls that are under way go on; later ones connect anew.
    public func close() {
        let connections = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        for connection in connections { connection.close() }
    }

    deinit { close() }
}

extension KioskClient {
    /// Sends a request over a kept or new connection. A kept one may have been closed by the daemon just now: then a
    /// request that may be sent twice is.
    func exchange(_ request: ClientRequest) async throws -> ClientAnswer {
        if let kept = takeIdle() {
            do {
                return try await exchange(request, over: kept)
            } catch let error as KioskClientError where error.code == .connectionLost && request.isRepeatable {}
        }
        return try await exchange(request, over: connect())
    }

    private func exchange(_ request: ClientRequest, over connection: ClientConnection) async throws -> ClientAnswer {
        let answer: ClientAnswer
        do {
            answer = try await connection.exchange(request)
        } catch {
            connection.close()
            throw error
        }
        keep(connection, if: answer.keepsAlive)
        return answer
    }

    /// How often a full backlog (EAGAIN, unix(7)) is tried again, at `backlogDelay`'s distance.
    private static let backlogTries = 100
    private static let backlogDelay = Duration.milliseconds(10)

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
        let connection = try await ClientConnection.open(
            socket, timeout: TimeAmount(options.connectTimeout), group: group
        )
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
