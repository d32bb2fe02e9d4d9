// Whoever imports the client gets the messages that its calls take and return.
@_exported public import KioskAPIMessages

/// A client of the daemon for a program that makes a few calls and ends: HTTP over its Unix socket, or over TCP and
/// TLS, on the thread that calls, without an event loop or tasks. `KioskClient` is the one for programs that stay.
///
/// Not for several threads at once. A call throws `KioskClientError`, `Problem` for parameters that are not valid, and
/// `CancellationError` on Ctrl-C within `Interruption.cancelling`.
package final class BlockingClient {
    package let address: DaemonAddress
    private let options: Options
    /// The connection of the last call, for the next one.
    private var idle: BlockingConnection?

    /// The client's timeouts.
    package struct Options {
        /// The time for the socket to accept a connection.
        package var connectTimeout = Duration.seconds(2)
        /// The time for a host to accept a connection and to agree on TLS.
        package var hostConnectTimeout = Duration.seconds(10)
        /// The time for the daemon's response, beyond the time that a request asks it to wait, and for each piece of a
        /// document.
        package var responseTimeout = Duration.seconds(30)
        /// The time from the beginning of a call to the beginning of its response; nil has no limit beyond the others.
        package var totalTimeout: Duration?
        /// The time after which a silent event stream counts as broken. The daemon sends a keep-alive every 15 seconds.
        package var eventTimeout = Duration.seconds(45)
        /// The delay before a broken event stream is opened again.
        package var reconnectDelay = Duration.seconds(1)

        package init() {}
    }

    package init(address: DaemonAddress, options: Options = Options()) {
        self.address = address
        self.options = options
    }

    package convenience init(socket: SocketLocation, options: Options = Options()) {
        self.init(address: .socket(socket), options: options)
    }

    /// Makes a call. Throws the problem with which the daemon refuses it. `progress` is called with the number of bytes
    /// of a streamed document that have been sent.
    package func perform<Value>(_ call: APICall<Value>, progress: (Int64) -> Void = { _ in }) throws -> Value {
        try exchange(call, progress: progress).value(of: call, address)
    }

    /// Sends a request over the idle connection or a new one. The daemon may close an idle one just now: then a request
    /// that may be sent twice is sent again.
    private func exchange<Value>(_ call: APICall<Value>, progress: (Int64) -> Void) throws -> APIResponse {
        let request = BlockingRequest(method: call.method, path: call.path, headers: call.headers, body: call.body)
        let begin = ContinuousClock.now
        var timeout: Duration {
            let time = options.responseTimeout + .seconds(call.wait)
            guard let total = options.totalTimeout else { return time }
            return min(time, max(.zero, total - begin.duration(to: .now)))
        }
        if let connection = takeIdle() {
            do {
                return try exchange(request, over: connection, timeout: timeout, progress: progress)
            } catch let error as KioskClientError where error.code == .connectionLost && call.isRepeatable {}
        }
        let connection = try connect()
        return try exchange(request, over: connection, timeout: timeout, progress: progress)
    }

    private func exchange(
        _ request: BlockingRequest, over connection: BlockingConnection, timeout: Duration, progress: (Int64) -> Void
    ) throws -> APIResponse {
        let (response, keepsAlive) = try connection.exchange(request, timeout: timeout, progress: progress)
        if keepsAlive { idle = connection }
        return response
    }

    private func takeIdle() -> BlockingConnection? {
        defer { idle = nil }
        return idle.flatMap { $0.isUsable ? $0 : nil }
    }

    private func connect() throws -> BlockingConnection {
        let isHost = if case .host = address { true } else { false }
        return try BlockingConnection(
            address, connectTimeout: isHost ? options.hostConnectTimeout : options.connectTimeout)
    }
}

// MARK: - Event streams

extension BlockingClient {
    /// Opens a connection whose response is a stream of server-sent events, after the event `id`.
    private func openEventStream(_ path: String, after id: String? = nil) throws -> BlockingConnection {
        var request = BlockingRequest(
            method: .get, path: path, headers: [("Accept", APIMediaTypes.eventStream)], body: .none)
        if let id { request.headers.append((APIHeaders.lastEventID, id)) }
        let connection = try connect()
        let (head, _) = try connection.begin(request, timeout: options.eventTimeout) { _ in }
        var response = APIResponse(status: head.status, contentType: head["content-type"], body: [])
        if head.status != 200 { response.body = try connection.collect() }
        try response.checkEventStream(address)
        return connection
    }

    /// Calls `show` with each event of a printer's trace, from now on for `time`, until the stream ends. It does not
    /// resume after an error.
    package func trace(_ printer: PrinterID, for time: Duration, _ show: (TraceEvent) throws -> Void) throws {
        try read(TraceParameter.path(printer, for: time), { try TraceEvent($0) }, show)
    }

    /// Calls `show` with each event of a search for printers, until it ends. It does not resume after an error.
    package func discover(_ filter: DiscoveryFilter, _ show: (DiscoveryEvent) throws -> Void) throws {
        try read(filter.streamPath, { try DiscoveryEvent($0) }, show)
    }

    /// Reads a stream that nothing is kept of to resume from. `decode` returns nil for what is not known.
    private func read<Event>(
        _ path: String, _ decode: (ServerSentEvent) throws -> Event?, _ show: (Event) throws -> Void
    ) throws {
        let connection = try openEventStream(path)
        var parser = ServerSentEventParser()
        while let piece = try connection.nextPiece() {
            for message in parser.parse(piece) {
                let event: Event?
                do {
                    event = try decode(message)
                } catch {
                    throw KioskClientError.violation("an event cannot be read: \(error)", address)
                }
                if let event { try show(event) }
            }
        }
    }

    /// Calls `show` with each of the engine's events from now on, or after the event `last`, until it returns false.
    ///
    /// When the daemon restarts or the connection breaks, connects again and resumes after the last event.
    /// `interrupted` is called each time with the reason. Throws when the daemon refuses the stream for good, or when
    /// the first connection fails or is refused for any reason. An event that cannot be read is skipped, and
    /// `interrupted` is told.
    package func events(
        after last: EngineEvent.ID?, interrupted: (KioskClientError) -> Void, show: (EngineEvent) throws -> Bool
    ) throws {
        var parser = ServerSentEventParser(lastEventID: last.map { String($0) })
        var wasConnected = false
        while true {
            do {
                let connection = try openEventStream(APIPaths.events, after: parser.lastEventID)
                wasConnected = true
                while let piece = try connection.nextPiece() {
                    for event in readable(parser.parse(piece), interrupted) {
                        guard try show(event) else { return }
                    }
                }
                throw KioskClientError.lost(address)
            } catch let error as KioskClientError
                where wasConnected && (error.code != .refused || error.retryAfter != nil)
            {
                parser = ServerSentEventParser(lastEventID: parser.lastEventID)
                interrupted(error)
                try Interruption.sleep(for: max(options.reconnectDelay, error.retryAfter ?? .zero))
            }
        }
    }

    /// The events that can be read. One that cannot costs no other: it is skipped, and told.
    private func readable(
        _ messages: [ServerSentEvent], _ interrupted: (KioskClientError) -> Void
    ) -> [EngineEvent] {
        messages.compactMap { message in
            do {
                return try EngineEvent(message)
            } catch {
                interrupted(.violation("an event cannot be read: \(error)", address))
                return nil
            }
        }
    }
}
