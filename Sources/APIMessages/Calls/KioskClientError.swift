import Glibc

/// The error of a failed request to the daemon. Calls also throw `CancellationError`, `DocumentSourceError` (the file
/// cannot be opened) and `Problem` (invalid parameters).
public struct KioskClientError: Error, Hashable, Sendable {
    /// The kind of the error.
    public var code: Code
    /// What failed and what to do, for people.
    public var message: String
    /// Where the daemon was asked.
    public var address: DaemonAddress
    /// The daemon's problem details; only with `Code.refused`.
    public var problem: Problem?

    /// An error of a request to the daemon at `address`.
    public init(_ code: Code, message: String, address: DaemonAddress, problem: Problem? = nil) {
        self.code = code
        self.message = message
        self.address = address
        self.problem = problem
    }

    /// The kind of an error. More are added as the client grows: compare with the constants.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable {
            case daemonNotRunning = "daemon-not-running"
            case daemonBusy = "daemon-busy"
            case permissionDenied = "permission-denied"
            case socketUnusable = "socket-unusable"
            case connectionLost = "connection-lost"
            case timedOut = "timed-out"
            case refused
            case protocolViolation = "protocol-violation"
            case responseTooLarge = "response-too-large"
            case documentUnreadable = "document-unreadable"
            case hostUnreachable = "host-unreachable"
            case certificateNotTrusted = "certificate-not-trusted"
            case tlsFailed = "tls-failed"
        }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        public var description: String { value.rawValue }

        /// Nobody listens on the socket, or it does not exist.
        public static let daemonNotRunning = Code(.daemonNotRunning)
        /// More clients connect at once than the daemon can take; try again.
        public static let daemonBusy = Code(.daemonBusy)
        /// The user may not open the socket.
        public static let permissionDenied = Code(.permissionDenied)
        /// The path is not a socket's, or too long for one.
        public static let socketUnusable = Code(.socketUnusable)
        /// The daemon closed the connection before its response was complete. It may have accepted the request or not.
        public static let connectionLost = Code(.connectionLost)
        /// The daemon did not respond in time. It may have accepted the request or not.
        public static let timedOut = Code(.timedOut)
        /// The daemon responded with a problem.
        public static let refused = Code(.refused)
        /// The program at the socket does not speak the API.
        public static let protocolViolation = Code(.protocolViolation)
        /// The response is longer than the client reads.
        public static let responseTooLarge = Code(.responseTooLarge)
        /// The document could not be read to its end.
        public static let documentUnreadable = Code(.documentUnreadable)
        /// The host has no address, or no way leads to it.
        public static let hostUnreachable = Code(.hostUnreachable)
        /// The host did not prove that it is the one that was meant. Nothing was sent to it.
        public static let certificateNotTrusted = Code(.certificateNotTrusted)
        /// TLS could not be set up with the host. Nothing was sent to it.
        public static let tlsFailed = Code(.tlsFailed)
    }
}

extension KioskClientError {
    /// The time after which to send the same request again, where the daemon is overloaded or shutting down.
    public var retryAfter: Duration? { problem?.code.retryAfter.map { .seconds($0) } }
}

extension KioskClientError: CustomStringConvertible {
    public var description: String { message }
}

// MARK: - Causes

extension KioskClientError {
    private static func notRunning(_ address: DaemonAddress) -> KioskClientError {
        let start =
            switch address {
            case .socket(let socket): starting(socket)
            case .host(let host):
                "start it there with `kioskd --listen \(host.isLoopback ? "127.0.0.1" : "ADDRESS"):\(host.port)`, or correct the URL"
            }
        return KioskClientError(
            .daemonNotRunning, message: "kioskd is not running: nothing listens at \(address); \(start)",
            address: address
        )
    }

    private static func starting(_ socket: SocketLocation) -> String {
        switch socket.origin {
        case .system:
            "start it with `systemctl start kioskd`, or name its socket with --socket or $\(SocketLocation.environmentKey)"
        case .stateDirectory:
            "start it with `kioskd --state-dir \(socket.path.dropLast(SocketLocation.fileName.utf8.count + 1))`"
        case .option: "start it with `kioskd --socket \(socket.path)`, or name its real socket"
        case .environment: "start it, or correct $\(SocketLocation.environmentKey)"
        case .runtimeDirectory: "start it with `kioskd`"
        }
    }

    /// The error of `connect(2)` with this number.
    package static func connecting(errno code: Int32, _ address: DaemonAddress) -> KioskClientError {
        switch address {
        case .socket(let socket): connecting(errno: code, socket)
        case .host(let host): connecting(errno: code, host)
        }
    }

    private static func connecting(errno code: Int32, _ socket: SocketLocation) -> KioskClientError {
        switch code {
        case ENOENT, ECONNREFUSED, ENOTDIR:
            return notRunning(.socket(socket))
        case EAGAIN:
            return KioskClientError(
                .daemonBusy, message: "kioskd at \(socket.path) has too many connections waiting; try again",
                address: .socket(socket)
            )
        case EACCES, EPERM:
            return KioskClientError(
                .permissionDenied,
                message:
                    "this user may not use kioskd's socket \(socket.path); join the group that owns it (see ls -l)",
                address: .socket(socket)
            )
        default:
            return KioskClientError(
                .socketUnusable,
                message:
                    "\(socket.path) cannot be connected to: \(String(cString: strerror(code))); check that it is kioskd's socket",
                address: .socket(socket)
            )
        }
    }

    private static func connecting(errno code: Int32, _ host: RemoteHost) -> KioskClientError {
        switch code {
        case ECONNREFUSED: notRunning(.host(host))
        case ETIMEDOUT: notConnecting(.host(host))
        default:
            KioskClientError(
                .hostUnreachable,
                message:
                    "\(host) cannot be connected to: \(String(cString: strerror(code))); check the network and the URL",
                address: .host(host)
            )
        }
    }

    /// The host's name has no address; `reason` is the resolver's.
    package static func unknownHost(_ reason: String, _ host: RemoteHost) -> KioskClientError {
        KioskClientError(
            .hostUnreachable,
            message: "\(host) has no address: \(reason); check the name, or write the address in the URL",
            address: .host(host))
    }

    package static func tooLong(_ socket: SocketLocation) -> KioskClientError {
        KioskClientError(
            .socketUnusable,
            message:
                "the socket's path \(socket.path) has more than \(SocketLocation.maximumPathLength) bytes; use a shorter one",
            address: .socket(socket)
        )
    }

    package static func lost(_ address: DaemonAddress) -> KioskClientError {
        KioskClientError(
            .connectionLost,
            message: "kioskd closed the connection before its response was whole; it may have accepted the request: "
                + "see `kioskctl jobs` before sending again",
            address: address
        )
    }

    /// The socket takes no connection in time.
    package static func notConnecting(_ address: DaemonAddress) -> KioskClientError {
        KioskClientError(
            .timedOut, message: "kioskd does not accept connections at \(address); see whether it hangs",
            address: address)
    }

    package static func timedOut(_ address: DaemonAddress) -> KioskClientError {
        KioskClientError(
            .timedOut, message: "kioskd at \(address) did not respond in time; see whether it hangs", address: address
        )
    }

    package static func violation(_ what: String, _ address: DaemonAddress) -> KioskClientError {
        KioskClientError(
            .protocolViolation, message: "what listens at \(address) is not kioskd: \(what)", address: address
        )
    }

    package static func tooLarge(_ limit: Int, _ address: DaemonAddress) -> KioskClientError {
        KioskClientError(
            .responseTooLarge, message: "the response has more than \(limit) bytes; ask for less, with a limit",
            address: address
        )
    }

    package static func refused(_ problem: Problem, _ address: DaemonAddress) -> KioskClientError {
        KioskClientError(.refused, message: problem.description, address: address, problem: problem)
    }
}
