import NIOCore
import NIOHTTP1
import NIOPosix

/// One connection to the daemon. Every call ends when its task is cancelled, and the connection with it.
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
            throw KioskClientError.connecting(error, socket)
        }
    }

    var isOpen: Bool { channel.isActive }

    func close() { channel.close(promise: nil) }

    /// Sends a request and returns its answer, or the head of an answer that streams.
    func exchange(_ request: ClientRequest) async throws -> ClientAnswer {
        try await closingOnCancellation {
            let loop = channel.eventLoop
            let answer = loop.flatSubmit { handler.value.begin(request, on: loop) }
            if case .document(let reader, let progress) = request.body {
                try await send(reader, progress: progress)
            }
            return try await answer.get()
        }
    }

    /// Sends the document piece by piece: the next is read when the one before has left.
    private func send(_ reader: DocumentReader, progress: @Sendable (Int64) -> Void) async throws {
        let loop = channel.eventLoop
        var sent: Int64 = 0
        while true {
            let piece: ByteBuffer?
            do {
                piece = try await reader.read(at: sent)
            } catch {
                // What has been sent is no whole document: closing tells the daemon to drop it.
                close()
                throw error
            }
            guard let piece else { break }
            sent += Int64(piece.readableBytes)
            do {
                guard try await loop.flatSubmit({ handler.value.send(piece, on: loop) }).get() else { return }
            } catch {
                // The daemon may have answered before it closed; the answer tells more than the broken pipe.
                return
            }
            progress(sent)
        }
        loop.execute { handler.value.endDocument() }
    }

    /// The next piece of a streamed answer; nil at its end.
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
