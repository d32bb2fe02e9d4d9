import KioskAPIMessages
import NIOCore
import NIOHTTP1
import NIOPosix

/// One HTTP/1.1 connection to the daemon, for one request at a time. `ConnectionPool` or an event stream owns it and
/// must close it. Cancelling a call closes it.
struct ClientConnection: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<ExchangeHandler>

    /// Connects over the daemon's Unix socket.
    static func open(
        _ socket: SocketLocation, timeout: TimeAmount, group: any EventLoopGroup
    ) async throws -> ClientConnection {
        guard !socket.isTooLong else { throw KioskClientError.tooLong(socket) }
        do {
            return try await ClientBootstrap(group: group).connectTimeout(timeout)
                .connect(unixDomainSocketPath: socket.path) { channel in
                    channel.eventLoop.makeCompletedFuture { try make(on: channel, .socket(socket)) }
                }
        } catch {
            throw KioskClientError(connecting: error, socket)
        }
    }

    /// Connects over TCP, and over TLS where `tls` is given: then nothing is sent until the host has proved who it is.
    static func open(
        _ host: RemoteHost, tls: HostTLS?, timeout: TimeAmount, group: any EventLoopGroup
    ) async throws -> ClientConnection {
        let bootstrap = ClientBootstrap(group: group).connectTimeout(timeout)
        let context = try await tls?.prepared()
        let (connection, handshake): (ClientConnection, EventLoopFuture<Void>)
        do {
            (connection, handshake) = try await bootstrap.connect(host: host.name, port: host.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    var handshake = channel.eventLoop.makeSucceededVoidFuture()
                    if let tls, let context {
                        handshake = try tls.start(on: channel, context, timeout: timeout)
                    }
                    return (try make(on: channel, .host(host)), handshake)
                }
            }
        } catch {
            throw KioskClientError(connecting: error, host)
        }
        do {
            try await handshake.get()
            return connection
        } catch {
            connection.close()
            throw tls?.error(error) ?? error
        }
    }

    /// Makes the connection of a channel, on its event loop.
    private static func make(on channel: any Channel, _ address: DaemonAddress) throws -> ClientConnection {
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        let handler = ExchangeHandler(address: address)
        try channel.pipeline.syncOperations.addHandler(handler)
        return ClientConnection(channel: channel, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop))
    }

    var isOpen: Bool { channel.isActive }

    func close() { channel.close(promise: nil) }

    /// Sends a request and returns its response, or the head of a streamed response.
    func exchange(_ request: ClientRequest) async throws -> ClientResponse {
        try await closingOnCancellation {
            let loop = channel.eventLoop
            let response = loop.flatSubmit { handler.value.begin(request, on: loop) }
            if case .document(let reader, let progress) = request.body {
                try await send(reader, progress: progress)
            }
            return try await response.get()
        }
    }

    /// Sends the document piece by piece. The next piece is read when the one before has been written.
    private func send(_ reader: DocumentReader, progress: @Sendable (Int64) -> Void) async throws {
        let loop = channel.eventLoop
        var sent: Int64 = 0
        while true {
            let piece: ByteBuffer?
            do {
                piece = try await reader.read(at: sent)
            } catch {
                // The document is incomplete: the daemon drops it when the connection closes.
                close()
                throw error
            }
            guard let piece else { break }
            sent += Int64(piece.readableBytes)
            do {
                guard try await loop.flatSubmit({ handler.value.send(piece, on: loop) }).get() else { return }
            } catch {
                // The daemon may have responded before it closed; its response says more than a broken pipe.
                return
            }
            progress(sent)
        }
        loop.execute { handler.value.endDocument() }
    }

    /// The next piece of a streamed response; nil at its end.
    func nextPiece() async throws -> ByteBuffer? {
        try await closingOnCancellation {
            let loop = channel.eventLoop
            return try await loop.flatSubmit { handler.value.nextPiece(on: loop) }.get()
        }
    }

    private func closingOnCancellation<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await withTaskCancellationHandler(operation: work) { close() }
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }
}

extension KioskClientError {
    /// The error of connecting to a Unix socket.
    fileprivate init(connecting error: any Error, _ socket: SocketLocation) {
        if let code = (error as? IOError)?.errnoCode {
            self = .connecting(errno: code, .socket(socket))
        } else if error is ChannelError {
            // The only error of the channel itself is its timeout.
            self = .notConnecting(.socket(socket))
        } else {
            self.init(
                .socketUnusable, message: "\(socket.path) cannot be connected to: \(error)", address: .socket(socket))
        }
    }

    /// The error of connecting to a host, all of whose addresses were tried.
    fileprivate init(connecting error: any Error, _ host: RemoteHost) {
        let causes = (error as? NIOConnectionError)?.connectionErrors.map(\.error) ?? [error]
        if let known = error as? KioskClientError {
            self = known
        } else if let code = causes.lazy.compactMap({ ($0 as? IOError)?.errnoCode }).first {
            self = .connecting(errno: code, .host(host))
        } else if causes.isEmpty {
            self = .unknownHost("its name is not known", host)
        } else {
            self = .notConnecting(.host(host))
        }
    }
}
