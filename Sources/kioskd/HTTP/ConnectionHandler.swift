internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// What Hummingbird leaves open on one HTTP connection: `Expect: 100-continue`, an answer that comes before its
/// request was read, and knowing that the client stopped sending.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Sent down the pipeline when a route is about to read the body.
    struct BodyWanted: Sendable {}

    /// After an answer that came early, what the client still sends is read for this long, so that it finds the answer
    /// instead of a broken pipe (RFC 9112 §9.6); then the connection is closed.
    private static let lingering: TimeAmount = .seconds(2)

    private var isReadingRequest = false
    private var expectsContinue = false
    private var closesAfterAnswer = false
    private var isDiscarding = false
    private var lingerTask: Scheduled<Void>?
    private var isInputClosed = false
    private var inputClosed: EventLoopPromise<Void>?

    /// Succeeds when the client sends nothing more, ever.
    func whenInputCloses(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        if isInputClosed { return eventLoop.makeSucceededVoidFuture() }
        let promise = inputClosed ?? eventLoop.makePromise(of: Void.self)
        inputClosed = promise
        return promise.futureResult
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReadingRequest = true
            expectsContinue = head.headerFields[.expect]?.lowercased() == "100-continue"
        case .body:
            expectsContinue = false
            if isDiscarding { return }
        case .end:
            isReadingRequest = false
            expectsContinue = false
            if isDiscarding { return context.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if expectsContinue {
            expectsContinue = false
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational && isReadingRequest:
            closesAfterAnswer = true
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where closesAfterAnswer:
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { _ in self.linger(context) }
            context.writeAndFlush(data, promise: written)
        default:
            context.write(data, promise: promise)
        }
    }

    private func linger(_ context: ChannelHandlerContext) {
        guard isReadingRequest else { return context.close(promise: nil) }
        isDiscarding = true
        let channel = context.channel
        lingerTask = context.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { endInput() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        endInput()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        lingerTask?.cancel()
        endInput()
    }

    private func endInput() {
        isReadingRequest = false
        isInputClosed = true
        inputClosed?.succeed()
        inputClosed = nil
    }
}
