import NIOCore
import NIOHTTP1

/// One request and its answer at a time on one connection. Lives on the channel's event loop alone.
final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// Bytes of an answer that is collected.
    static let maximumAnswer = 16 << 20

    private let socket: SocketLocation
    private var context: ChannelHandlerContext?
    private var state = State.idle
    /// What was collected of the answer; beside the state, so that it grows in place.
    private var body = ByteBuffer()
    private var stream = AnswerStream()
    private var isRequestSent = false
    private var timeout = TimeAmount.zero
    private var deadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?

    private enum State {
        case idle
        case awaitingHead(EventLoopPromise<ClientAnswer>, streams: Bool)
        case collecting(EventLoopPromise<ClientAnswer>, HTTPResponseHead)
        case streaming
        case closed
    }

    init(socket: SocketLocation) {
        self.socket = socket
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
}

/// What the connection asks of it.
extension ExchangeHandler {
    /// Sends a request, or its head when the body is a document; the future is the answer, or its head when that
    /// streams.
    func begin(_ request: ClientRequest, on loop: any EventLoop) -> EventLoopFuture<ClientAnswer> {
        let answer = loop.makePromise(of: ClientAnswer.self)
        guard let context, case .idle = state else {
            answer.fail(KioskClientError.lost(socket))
            return answer.futureResult
        }
        state = .awaitingHead(answer, streams: request.streamsAnswer)
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
        return answer.futureResult
    }

    /// Sends a piece of the document; false when the answer came already and no more is wanted.
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

    /// The next piece of a streamed answer; nil at its end.
    func nextPiece(on loop: any EventLoop) -> EventLoopFuture<ByteBuffer?> {
        let (future, wantsMore) = stream.next(on: loop)
        if wantsMore {
            extendDeadline()
            context?.read()
        }
        return future
    }
}

/// What the channel tells it.
extension ExchangeHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .awaitingHead(let answer, let streams)):
            // An interim answer (RFC 9110 §15.2) is followed by the real one.
            guard head.status.code >= 200 else { return }
            if streams, head.status == .ok {
                state = .streaming
                context.channel.setOption(.autoRead, value: false).whenFailure { answer.fail($0) }
                answer.succeed(self.answer(head))
            } else {
                state = .collecting(answer, head)
            }
        case (.body(var piece), .collecting):
            guard body.readableBytes + piece.readableBytes <= Self.maximumAnswer else {
                return fail(KioskClientError.tooLarge(Self.maximumAnswer, socket), context)
            }
            body.writeBuffer(&piece)
        case (.end, .collecting(let answer, let head)):
            finish()
            answer.succeed(self.answer(head))
            // Who refuses a document early may read no more of it: a write under way would never end.
            if !isRequestSent { context.close(promise: nil) }
        case (.body(let piece), .streaming):
            extendDeadline()
            stream.take(piece)
        case (.end, .streaming):
            deadline = .distantFuture
            stream.end(.success(()))
        default:
            fail(KioskClientError.violation("it spoke out of turn", socket), context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .streaming = state, stream.isAwaited { context.read() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(KioskClientError.lost(socket), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The parser's word for a connection that closed in the middle of an answer is invalidEOFState.
        if let error = error as? HTTPParserError, error != .invalidEOFState {
            fail(KioskClientError.violation("its answer is no HTTP (\(error))", socket), context)
        } else {
            fail(KioskClientError.lost(socket), context)
        }
    }

    private func answer(_ head: HTTPResponseHead) -> ClientAnswer {
        defer { body = ByteBuffer() }
        return ClientAnswer(
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
        case .awaitingHead(let answer, _), .collecting(let answer, _): answer.fail(error)
        case .streaming: stream.end(.failure(error))
        case .idle, .closed: break
        }
        context.close(promise: nil)
    }
}

/// The deadline: pushed on with every sign of life, looked at by one timer that is set anew only when it fires.
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
            // Nobody waits for the peer: it is the reader who takes his time.
            return extendDeadline()
        }
        guard deadline <= .now() else { return startTimer() }
        fail(KioskClientError.timedOut(socket), context)
    }
}
