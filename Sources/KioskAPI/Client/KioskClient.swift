public import NIOCore
import NIOHTTP1

/// A client of the daemon: HTTP over its Unix socket.
///
///     guard let receipt = RoleName(rawValue: "receipt") else { return }
///     let client = KioskClient()
///     let job = try await client.submit(.bytes(Array("Tea 2.50\n".utf8)), to: receipt, wait: .seconds(10))
///     print(job.state, job.evidence)
///
/// Calls may be made from any task, also at the same time. A call ends with `CancellationError` soon after its task is
/// cancelled. Every wait has a timeout. All other errors are `KioskClientError`s, and `DocumentSourceError`s for a file
/// that cannot be opened.
public final class KioskClient: Sendable {
    public let socket: SocketLocation
    let options: Options
    let connections: ConnectionPool

    /// The client's timeouts.
    public struct Options: Hashable, Sendable {
        public var connectTimeout = Duration.seconds(2)
        /// The time for the daemon's response, beyond the time that a request asks it to wait, and for each piece of a
        /// document.
        public var answerTimeout = Duration.seconds(30)
        /// The time after which a silent event stream counts as broken. The daemon sends a keep-alive every 15 seconds.
        public var eventTimeout = Duration.seconds(45)
        /// The delay before a broken event stream is opened again.
        public var reconnectDelay = Duration.seconds(1)

        public init() {}
    }

    /// Connections run on `eventLoopGroup`; nil is one thread that all clients of this process share.
    public init(
        socket: SocketLocation, options: Options = Options(),
        eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        self.socket = socket
        self.options = options
        connections = ConnectionPool(
            socket: socket, connectTimeout: TimeAmount(options.connectTimeout), group: eventLoopGroup)
    }

    /// A client of the daemon that `$KIOSKD_SOCKET`, `$XDG_RUNTIME_DIR` or the system names; see `SocketLocation`.
    public convenience init() {
        self.init(socket: .forClient())
    }

    /// Closes the idle connections. Calls in progress go on; later ones connect again.
    public func close() { connections.closeIdle() }
}

extension KioskClient {
    /// Sends a request without a body or with a JSON body, and reads the JSON of its response.
    func request<Value: Decodable>(
        _ method: HTTPMethod, _ path: String, body: (any Encodable)? = nil, wait: Int = 0, as type: Value.Type
    ) async throws -> Value {
        try value(of: await request(method, path, body: body, wait: wait), as: type)
    }

    /// Sends a request whose response has no body that matters.
    @discardableResult
    func request(
        _ method: HTTPMethod, _ path: String, body: (any Encodable)? = nil, wait: Int = 0
    ) async throws -> ClientResponse {
        var request = ClientRequest(
            method: method, path: path, timeout: timeout(wait: wait), isRepeatable: method != .POST
        )
        if let body {
            request.body = .bytes(ByteBuffer(bytes: try APIJSON.encode(body)))
            request.headers = [("Content-Type", APIMediaTypes.json)]
        }
        return try await send(request)
    }

    /// Sends a request. Throws the problem with which the daemon refuses it.
    func send(_ request: ClientRequest) async throws -> ClientResponse {
        try checked(await connections.exchange(request))
    }

    /// The time for the response to a request that may wait `wait` seconds.
    func timeout(wait: Int) -> TimeAmount {
        TimeAmount(options.answerTimeout + .seconds(wait))
    }

    /// Throws the problem in a response that is not a success.
    func checked(_ response: ClientResponse) throws -> ClientResponse {
        guard !(200..<300).contains(response.status) else { return response }
        guard response.contentType?.hasPrefix(APIMediaTypes.problem) == true,
            let problem = try? APIJSON.decode(Problem.self, from: response.body.readableBytesView)
        else {
            throw KioskClientError.violation(
                "it answered with status \(response.status) and no problem details", socket)
        }
        throw KioskClientError.refused(problem, socket)
    }

    /// The JSON value in a response.
    func value<Value: Decodable>(of response: ClientResponse, as type: Value.Type) throws -> Value {
        do {
            return try APIJSON.decode(type, from: response.body.readableBytesView)
        } catch {
            throw KioskClientError.violation("its answer cannot be read: \(error)", socket)
        }
    }
}
