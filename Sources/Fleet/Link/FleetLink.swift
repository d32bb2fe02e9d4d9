/// One message that goes to the hub or comes from it.
package struct HubMessage: Hashable, Sendable {
    package var subject: String
    /// Where a response is to go; nil where none is expected.
    package var replySubject: String?
    /// Each name once; names are case-sensitive, as NATS has them.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(
        subject: String, replySubject: String? = nil, headers: [String: String] = [:], body: [UInt8] = []
    ) {
        (self.subject, self.replySubject, self.headers, self.body) = (subject, replySubject, headers, body)
    }

    /// The status of a message that says something of the conversation instead of bringing content: 100 (heartbeat),
    /// 404 (no message), 408 (the request is over), 409, 503 (no responders). Nil for any other.
    package var status: Int? { headers[Self.statusHeader].flatMap { Int($0) } }

    /// Whether it stands in a bucket for a key that was deleted (ADR-8).
    package var isDeletion: Bool { headers["KV-Operation"] != nil }

    /// libnats gives the status line this name.
    package static let statusHeader = "Status"
}

/// The connection to the hub, which keeps itself: it is made anew when it breaks, and nothing waits for it.
package protocol FleetLink: Sendable {
    /// Whether the hub is reached just now.
    var isConnected: Bool { get }

    /// Sends a message, and returns the first message that comes to its reply subject. Throws `not-connected` where
    /// there is no connection, `no-response` after `timeout`, `no-responders`, and `CancellationError`.
    func request(_ message: HubMessage, timeout: Duration) async throws -> HubMessage

    /// Hands a message to the connection. That it returns says nothing of the hub.
    func publish(_ message: HubMessage) throws

    /// The messages of a subject, which may have wildcards, for as long as the sequence is read. At most `maximum` are
    /// kept unread; then the newest are dropped. Throws `not-connected` where there is no connection.
    func messages(of subject: String, maximum: Int) throws -> AsyncStream<HubMessage>

    /// A subject that nobody else knows, and its messages, as `messages(of:maximum:)` gives them.
    func inbox(maximum: Int) throws -> (subject: String, messages: AsyncStream<HubMessage>)

    /// Returns once the connection has broken, or at once where there is none. Throws `CancellationError`.
    func waitForDisconnection() async throws

    /// Returns once there is a connection. Throws `CancellationError`.
    func waitForConnection() async throws

    /// Returns once the link has ended by itself, with the reason, such as a login that was refused twice. Only another
    /// link leads to the hub then. Throws `CancellationError`.
    func waitForEnd() async throws -> FleetError

    /// Ends the connection. What waits for a response throws `not-connected`.
    func close()
}

/// A link on the way to another one, which does what this does not do itself.
package protocol ForwardingLink: FleetLink {
    var link: any FleetLink { get }
}

extension ForwardingLink {
    package var isConnected: Bool { link.isConnected }
    package func request(_ message: HubMessage, timeout: Duration) async throws -> HubMessage {
        try await link.request(message, timeout: timeout)
    }
    package func publish(_ message: HubMessage) throws { try link.publish(message) }
    package func messages(of subject: String, maximum: Int) throws -> AsyncStream<HubMessage> {
        try link.messages(of: subject, maximum: maximum)
    }
    package func inbox(maximum: Int) throws -> (subject: String, messages: AsyncStream<HubMessage>) {
        try link.inbox(maximum: maximum)
    }
    package func waitForDisconnection() async throws { try await link.waitForDisconnection() }
    package func waitForConnection() async throws { try await link.waitForConnection() }
    package func waitForEnd() async throws -> FleetError { try await link.waitForEnd() }
    package func close() { link.close() }
}
