import HTTPTypes
import KioskAPI
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Adds to one of Hummingbird's HTTP connections: `Expect: 100-continue`, answers that come before the request was
/// read, a deadline for bodies, problem details for bytes that are not HTTP, and the knowledge that the client has
/// gone.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Sent down the pipeline when a route is about to read the body.
    struct BodyWanted: Sendable {
        /// The time within which the body must end; nil where only the idle timeout counts.
        var time: TimeAmount?
    }

    /// After an answer that came early, what the client still sends is read for this long, so that it finds the answer
    /// instead of a broken pipe (RFC 9112 §9.6); then the connection is closed.
    private static let lingering: TimeAmount = .seconds(2)

    private let presence: ClientPresence
    /// Whether the connection was refused: its first answer is the last, and a client that sends no request is not
    /// waited for.
    private let isRefused: Bool
    private var isReadingRequest = false
    private var expectsContinue = false
    private var openRequests = 0
    private var closesAfterAnswer = false
    private var hasGivenLastAnswer = false
    private var isDiscarding = false
    private var isInputClosed = false
    private var closing: Scheduled<Void>?
    private var bodyDeadline: Scheduled<Void>?
    /// Whether something came that is not HTTP; nothing more is read then.
    private var hasFailed = false
    /// The problem to answer with, where no request is under way that is answered anyway.
    private var failure: Problem?
    /// The body of that answer, written between head and end of Hummingbird's own answer, which has none.
    private var failureBody: ByteBuffer?

    init(presence: ClientPresence, isRefused: Bool = false) {
        self.presence = presence
        self.isRefused = isRefused
    }

    func channelActive(context: ChannelHandlerContext) {
        if isRefused { closeSoon(context) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReadingRequest = true
            openRequests += 1
            expectsContinue = head.headerFields[.expect]?.lowercased() == "100-continue"
        case .body:
            expectsContinue = false
            if isDiscarding { return }
        case .end:
            isReadingRequest = false
            expectsContinue = false
            endBodyDeadline()
            if isDiscarding { return context.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Only the first error counts: the parser reports everything that follows as one more.
        guard let problem = Problem(malformedRequest: error) else { return context.fireErrorCaught(error) }
        guard !hasFailed, !hasGivenLastAnswer else { return }
        hasFailed = true
        endBodyDeadline()
        if isReadingRequest {
            // Whoever reads the body is told, and answers.
            closesAfterAnswer = true
        } else {
            // Hummingbird answers once the requests before it are answered.
            failure = problem
        }
        context.fireErrorCaught(error is HTTPParserError ? error : HTTPParserError.unknown)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let wanted = event as? BodyWanted else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if expectsContinue {
            expectsContinue = false
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
        if let time = wanted.time, isReadingRequest { startBodyDeadline(time, context) }
        promise?.succeed()
    }

    private func startBodyDeadline(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        endBodyDeadline()
        bodyDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.bodyDeadline = nil
            // Whoever reads the body is told, and answers.
            context.fireErrorCaught(BodyTooSlow(time: time))
        }
    }

    private func endBodyDeadline() {
        bodyDeadline?.cancel()
        bodyDeadline = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case _ where hasGivenLastAnswer: promise?.succeed()
        case .head(var head) where head.status.kind != .informational:
            if isReadingRequest || isRefused || head.headerFields[.connection] == "close" { closesAfterAnswer = true }
            if openRequests == 0, let failure {
                (head, failureBody) = failure.answer(insteadOf: head)
                closesAfterAnswer = true
            }
            if closesAfterAnswer { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            if let body = failureBody.take() { context.write(wrapOutboundOut(.body(body)), promise: nil) }
            openRequests = max(0, openRequests - 1)
            guard closesAfterAnswer else { return context.write(data, promise: promise) }
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { _ in self.linger(context) }
            context.writeAndFlush(data, promise: written)
            hasGivenLastAnswer = true
        default:
            context.write(data, promise: promise)
        }
    }

    private func linger(_ context: ChannelHandlerContext) {
        guard isReadingRequest || (hasFailed && !isInputClosed) else { return context.close(promise: nil) }
        isDiscarding = true
        closeSoon(context)
    }

    private func closeSoon(_ context: ChannelHandlerContext) {
        closing?.cancel()
        let channel = context.channel
        closing = context.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { endInput(.finishedSending) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        endInput(.closed)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closing?.cancel()
        endInput(.closed)
    }

    private func endInput(_ departure: ClientPresence.Departure) {
        isReadingRequest = false
        isInputClosed = true
        endBodyDeadline()
        presence.note(departure)
    }
}

/// The error of a body that did not end in its time.
struct BodyTooSlow: Error {
    var time: TimeAmount
}

extension Problem {
    /// Replaces an answer without a body by this problem.
    fileprivate func answer(insteadOf head: HTTPResponse) -> (HTTPResponse, ByteBuffer?) {
        guard let body = try? APIJSON.encode(self) else { return (head, nil) }
        var head = head
        head.status = HTTPResponse.Status(code: status)
        head.headerFields[.contentType] = APIMediaTypes.problem
        head.headerFields[.contentLength] = String(body.count)
        return (head, ByteBuffer(bytes: body))
    }
}
