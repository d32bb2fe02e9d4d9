import KioskAPIMessages
import KioskTLS
import NIOCore
import NIOHTTP1

/// Runs requests on one connection, one at a time. Used on the channel's event loop only.
final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// Bytes of the longest response that is collected.
    private static let maximumResponseLength = 16 << 20

    private let address: DaemonAddress
    private var context: ChannelHandlerContext?
    private var state = State.idle
    /// The collected part of the response's body. It is not part of `state`, so that it grows in place.
    private var body = ByteBuffer()
    private var stream = ResponseStream()
    private var isRequestSent = false
    private var timeout = TimeAmount.zero
    /// When the request times out. Every progress moves it on; `timer` checks it, and is scheduled again only when it
    /// fires.
    private var deadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?

    private enum State {
        case idle
        case awaitingHead(EventLoopPromise<ClientResponse>, streams: Bool)
        case collecting(EventLoopPromise<ClientResponse>, HTTPResponseHead)
        case streaming
        case closed
    }

    init(address: DaemonAddress) {
        self.address = address
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
}

// MARK: - Requests

extension ExchangeHandler {
    /// Sends a request, or only its head when the body is a document. The future is the response, or the head of a
    /// streamed response.
    func begin(_ request: ClientRequest, on loop: any EventLoop) -> EventLoopFuture<ClientResponse> {
        let response = loop.makePromise(of: ClientResponse.self)
        guard let context, case .idle = state else {
            response.fail(KioskClientError.lost(address))
            return response.futureResult
        }
        state = .awaitingHead(response, streams: request.streamsResponse)
        timeout = request.timeout
        extendDeadline()
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        switch request.body {
        case .document:
            isRequestSent = false
            context.flush()
        case .bytes(let bytes):
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            end(context)
        case .none:
            end(context)
        }
        return response.futureResult
    }

    /// Sends a piece of the document; false when the response has begun and no more pieces are wanted.
    func send(_ piece: ByteBuffer, on loop: any EventLoop) -> EventLoopFuture<Bool> {
        guard let context, case .awaitingHead = state else { return loop.makeSucceededFuture(false) }
        return context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece)))).assumeIsolated().map {
            self.extendDeadline()
            return true
        }.nonisolated()
    }

    func endDocument() {
        guard let context, case .awaitingHead = state else { return }
        extendDeadline()
        end(context)
    }

    private func end(_ context: ChannelHandlerContext) {
        isRequestSent = true
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// The next piece of a streamed response; nil at its end.
    func nextPiece(on loop: any EventLoop) -> EventLoopFuture<ByteBuffer?> {
        let (future, wantsMore) = stream.next(on: loop)
        if wantsMore {
            extendDeadline()
            context?.read()
        }
        return future
    }
}

// MARK: - Channel events

extension ExchangeHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .awaitingHead(let response, let streams)):
            // An interim response (RFC 9110 §15.2) is followed by the final one.
            guard head.status.code >= 200 else { return }
            if streams, head.status == .ok {
                state = .streaming
                context.channel.setOption(.autoRead, value: false).whenFailure { response.fail($0) }
                response.succeed(takeResponse(head))
            } else {
                state = .collecting(response, head)
            }
        case (.body(var piece), .collecting):
            guard body.readableBytes + piece.readableBytes <= Self.maximumResponseLength else {
                return fail(KioskClientError.tooLarge(Self.maximumResponseLength, address), context)
            }
            body.writeBuffer(&piece)
        case (.end, .collecting(let response, let head)):
            finish()
            response.succeed(takeResponse(head))
            // A daemon that refuses a document early may read no more of it: a pending write would never end.
            if !isRequestSent { context.close(promise: nil) }
        case (.body(let piece), .streaming):
            extendDeadline()
            stream.append(piece)
        case (.end, .streaming):
            deadline = .distantFuture
            stream.end(.success(()))
        default:
            fail(KioskClientError.violation("it sent a part of a response out of order", address), context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .streaming = state, stream.isAwaited { context.read() }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // It sends no more: a response that is not whole never becomes so. It may wait for us to close, too.
        if event is TLSPeerClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(KioskClientError.lost(address), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The parser's error for a connection that closed in the middle of a response is invalidEOFState.
        if let error = error as? HTTPParserError, error != .invalidEOFState {
            fail(KioskClientError.violation("its response is not HTTP (\(error))", address), context)
        } else {
            fail(KioskClientError.lost(address), context)
        }
    }

    /// The response with this head and the collected body.
    private func takeResponse(_ head: HTTPResponseHead) -> ClientResponse {
        defer { body = ByteBuffer() }
        return ClientResponse(
            status: Int(head.status.code), contentType: head.headers.first(name: "Content-Type"), body: body,
            keepsAlive: head.isKeepAlive && isRequestSent
        )
    }

    private func finish() {
        state = .idle
        stopTimer()
    }

    private func fail(_ error: KioskClientError, _ context: ChannelHandlerContext) {
        let before = state
        state = .closed
        stopTimer()
        switch before {
        case .awaitingHead(let response, _), .collecting(let response, _): response.fail(error)
        case .streaming: stream.end(.failure(error))
        case .idle, .closed: break
        }
        context.close(promise: nil)
    }
}

// MARK: - Timeout

extension ExchangeHandler {
    private func extendDeadline() {
        deadline = .now() + timeout
        if timer == nil { startTimer() }
    }

    private func startTimer() {
        guard let context else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.timerFired() }
    }

    private func stopTimer() {
        timer?.cancel()
        timer = nil
        deadline = .distantFuture
    }

    private func timerFired() {
        timer = nil
        guard let context, deadline < .distantFuture else { return }
        if case .streaming = state, !stream.isAwaited {
            // Nobody waits for the daemon: the reader has not asked for the next piece yet.
            return extendDeadline()
        }
        guard deadline <= .now() else { return startTimer() }
        fail(KioskClientError.timedOut(address), context)
    }
}

// MARK: - Streamed responses

/// A buffer for the pieces of a streamed response, with one reader. Used on the channel's event loop only.
private struct ResponseStream {
    private var pieces = CircularBuffer<ByteBuffer>()
    /// The stream's end. Pieces that came before it are read first.
    private var end: Result<Void, any Error>?
    private var reader: EventLoopPromise<ByteBuffer?>?

    /// Whether a reader waits for a piece, so that the channel must be read.
    var isAwaited: Bool { reader != nil }

    /// The next piece or nil at the end, and whether the channel must be read for it.
    mutating func next(on loop: any EventLoop) -> (EventLoopFuture<ByteBuffer?>, wantsMore: Bool) {
        if let piece = pieces.popFirst() { return (loop.makeSucceededFuture(piece), false) }
        if let end { return (loop.makeCompletedFuture(end.map { nil }), false) }
        // One reader at a time: an earlier one was cancelled, and its read ends.
        reader?.succeed(nil)
        let promise = loop.makePromise(of: ByteBuffer?.self)
        reader = promise
        return (promise.futureResult, true)
    }

    mutating func append(_ piece: ByteBuffer) {
        if let reader {
            self.reader = nil
            reader.succeed(piece)
        } else {
            pieces.append(piece)
        }
    }

    mutating func end(_ end: Result<Void, any Error>) {
        guard self.end == nil else { return }
        self.end = end
        reader?.completeWith(end.map { nil })
        reader = nil
    }
}
