import KioskAPIMessages
import NIOCore
import NIOHTTP1
import NIOPosix

/// One HTTP/1.1 connection over the daemon's Unix socket, for one request at a time. `ConnectionPool` or an event
/// stream owns it and must close it. Cancelling a call closes it.
struct ClientConnection: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<ExchangeHandler>

    static func open(
        _ socket: SocketLocation, timeout: TimeAmount, group: any EventLoopGroup
    ) async throws -> ClientConnection {
        guard !socket.isTooLong else { throw KioskClientError.tooLong(socket) }
        do {
            return try await ClientBootstrap(group: group).connectTimeout(timeout)
                .connect(unixDomainSocketPath: socket.path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        let handler = ExchangeHandler(socket: socket)
                        try channel.pipeline.syncOperations.addHandler(handler)
                        return ClientConnection(
                            channel: channel, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop)
                        )
                    }
                }
        } catch {
            throw Self.connecting(error, socket)
        }
    }

    private static func connecting(_ error: any Error, _ socket: SocketLocation) -> KioskClientError {
        if let code = (error as? IOError)?.errnoCode { return .connecting(errno: code, socket) }
        // The only error of the channel itself is its timeout.
        return error is ChannelError
            ? .notConnecting(socket)
            : KioskClientError(
                .socketUnusable, message: "\(socket.path) cannot be connected to: \(error)", socket: socket)
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
