/// Why the client could not do what it was asked. A cancelled call throws `CancellationError` instead.
public struct KioskClientError: Error, Hashable, Sendable {
    public var code: Code
    /// What happened, and what to do next; for people.
    public var message: String
    /// The socket that was used.
    public var socket: SocketLocation
    /// What the daemon answered; only with `Code.refused`.
    public var problem: Problem?

    public init(_ code: Code, message: String, socket: SocketLocation, problem: Problem? = nil) {
        self.code = code
        self.message = message
        self.socket = socket
        self.problem = problem
    }

    /// Grows with the client; compare with the constants.
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
            case answerTooLarge = "answer-too-large"
            case documentUnreadable = "document-unreadable"
        }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        public var description: String { value.rawValue }

        public static let daemonNotRunning = Code(.daemonNotRunning)
        /// More clients connect at once than it can take; try again.
        public static let daemonBusy = Code(.daemonBusy)
        public static let permissionDenied = Code(.permissionDenied)
        /// The path is no socket's, or too long for one.
        public static let socketUnusable = Code(.socketUnusable)
        /// The daemon closed the connection before its answer was whole: whether it took the request is not known.
        public static let connectionLost = Code(.connectionLost)
        public static let timedOut = Code(.timedOut)
        /// The daemon answered with a problem.
        public static let refused = Code(.refused)
        /// What answers there does not speak the API.
        public static let protocolViolation = Code(.protocolViolation)
        public static let answerTooLarge = Code(.answerTooLarge)
        public static let documentUnreadable = Code(.documentUnreadable)
    }
}

extension KioskClientError {
    /// The time after which to send the same request again, where the daemon is overloaded or shutting down.
    public var retryAfter: Duration? { problem?.code.retryAfter.map { .seconds($0) } }
}

extension KioskClientError: CustomStringConvertible {
    public var description: String { message }
}
