import HTTPTypes
import KioskAPI
import KioskTLS
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Synchronization

/// Adds to one of Hummingbird's HTTP connections: `Expect: 100-continue`, responses that come before the request was
/// read, a deadline for bodies, the end of uploads at a graceful shutdown, problem details for bytes that are not HTTP,
/// and the knowledge that the client has gone.
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

    /// What a connection over TCP has besides: security fields on its responses, and a deadline for headers.
    struct Network: Sendable {
        let headerTime: TimeAmount
        let isSecure: Bool

        init(_ peer: NetworkPeer) { self.init(isSecure: peer.entrance.isSecure) }

        init(headerTime: TimeAmount = .seconds(10), isSecure: Bool) {
            self.headerTime = headerTime
            self.isSecure = isSecure
        }
    }

    /// After an early response, what the client still sends is read for this long, so that it finds the response
    /// instead of a broken pipe (RFC 9112 §9.6); then the connection is closed.
    private static let lingering: TimeAmount = .seconds(2)

    private let presence: ClientPresence
    /// Whether the connection was refused: its first response is the last, and a client that sends no request is not
    /// waited for.
    private let isRefused: Bool
    /// Nil on a Unix socket.
    private let network: Network?
    private var headerDeadline: Scheduled<Void>?
    /// Whether a part of a request was read since the last `channelReadComplete`.
    private var hasReadPart = false
    /// Whether a header has begun that has not ended.
    private var isReadingHeader = false
    private var isReadingRequest = false
    private var expectsContinue = false
    private var openRequests = 0
    private var closesAfterResponse = false
    private var hasSentLastResponse = false
    private var isDiscarding = false
    private var isInputClosed = false
    private var closing: Scheduled<Void>?
    private var bodyDeadline: Scheduled<Void>?
    /// Whether a graceful shutdown began: a body that is not there is not waited for.
    private var isShuttingDown = false
    private var hasGivenUpBody = false
    /// Whether something came that is not HTTP; nothing more is read then.
    private var hasFailed = false
    /// The problem to send, where no request is under way that gets a response anyway.
    private var failure: Problem?
    /// The body of that response, written between head and end of Hummingbird's own response, which has none.
    private var failureBody: ByteBuffer?

    init(presence: ClientPresence, isRefused: Bool = false, network: Network? = nil) {
        self.presence = presence
        self.isRefused = isRefused
        self.network = network
    }

    func channelActive(context: ChannelHandlerContext) {
        if isRefused { closeSoon(context) }
        // The TLS handshake has a deadline of its own.
        if network?.isSecure == false { startHeaderDeadline(context) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReadPart = true
        switch unwrapInboundIn(data) {
        case .head(let head):
            endHeaderDeadline()
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

    func channelReadComplete(context: ChannelHandlerContext) {
        // First what was read is handed on: an error ends it.
        context.fireChannelReadComplete()
        if isShuttingDown { giveUpBody(context) }
        noteHeader(context)
    }

    /// Bytes that complete no part of a request are the beginning of a header.
    private func noteHeader(_ context: ChannelHandlerContext) {
        defer { hasReadPart = false }
        guard network != nil, !hasReadPart, !isReadingRequest, !isInputClosed, !hasFailed, !isDiscarding else { return }
        isReadingHeader = true
        if headerDeadline == nil { startHeaderDeadline(context) }
    }

    private func startHeaderDeadline(_ context: ChannelHandlerContext) {
        guard let time = network?.headerTime else { return }
        headerDeadline?.cancel()
        headerDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.headerDeadline = nil
            // A browser opens connections in reserve; it is not told of a request that it did not send.
            guard self.isReadingHeader else { return context.close(promise: nil) }
            self.fail(Problem(headerTooSlow: time), context)
        }
    }

    private func endHeaderDeadline() {
        headerDeadline?.cancel()
        headerDeadline = nil
        isReadingHeader = false
    }

    /// Hummingbird responds, and `write` puts the problem in place of its response.
    private func fail(_ problem: Problem, _ context: ChannelHandlerContext) {
        hasFailed = true
        failure = problem
        context.fireErrorCaught(HTTPParserError.unknown)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Only the first error counts: the parser reports everything that follows as one more.
        guard let problem = Problem(malformedRequest: error) else { return context.fireErrorCaught(error) }
        guard !hasFailed, !hasSentLastResponse else { return }
        hasFailed = true
        endBodyDeadline()
        if isReadingRequest {
            // Whoever reads the body is told, and responds.
            closesAfterResponse = true
        } else {
            // Hummingbird responds once it has responded to the requests before.
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
            // Whoever reads the body is told, and responds.
            context.fireErrorCaught(BodyTooSlow(time: time))
        }
    }

    /// An upload that is under way when the daemon is to end is given up, since its client may have stalled; also one
    /// whose response will not be sent, behind a request that was the connection's last.
    private func giveUpBody(_ context: ChannelHandlerContext) {
        guard isReadingRequest, !hasGivenUpBody else { return }
        hasGivenUpBody = true
        endBodyDeadline()
        // Whoever reads the body is told, and responds.
        context.fireErrorCaught(CancellationError())
    }

    private func endBodyDeadline() {
        bodyDeadline?.cancel()
        bodyDeadline = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case _ where hasSentLastResponse: promise?.succeed()
        case .head(var head) where head.status.kind != .informational:
            if isReadingRequest || isRefused || head.headerFields[.connection] == "close" { closesAfterResponse = true }
            if openRequests == 0, let failure {
                (head, failureBody) = failure.response(insteadOf: head)
                closesAfterResponse = true
            }
            if closesAfterResponse { head.headerFields[.connection] = "close" }
            if network != nil { NetworkPeer.addSecurityFields(to: &head.headerFields) }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            if let body = failureBody.take() { context.write(wrapOutboundOut(.body(body)), promise: nil) }
            openRequests = max(0, openRequests - 1)
            guard closesAfterResponse else { return context.write(data, promise: promise) }
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { _ in self.linger(context) }
            context.writeAndFlush(data, promise: written)
            hasSentLastResponse = true
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
        if event is TLSHandshake {
            // What was read was the handshake's end, and no part of a header.
            hasReadPart = true
            isReadingHeader = false
            startHeaderDeadline(context)
        }
        context.fireUserInboundEventTriggered(event)
        if event is ChannelShouldQuiesceEvent {
            isShuttingDown = true
            giveUpBody(context)
        }
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
        endHeaderDeadline()
        presence.note(departure)
    }
}

/// The error of a body that did not end in its time.
struct BodyTooSlow: Error {
    var time: TimeAmount
}

extension Problem {
    /// Replaces a response without a body by this problem.
    fileprivate func response(insteadOf head: HTTPResponse) -> (HTTPResponse, ByteBuffer?) {
        guard let body = try? APIJSON.encode(self) else { return (head, nil) }
        var head = head
        head.status = HTTPResponse.Status(code: status)
        head.headerFields[.contentType] = APIMediaTypes.problem
        head.headerFields[.contentLength] = String(body.count)
        return (head, ByteBuffer(bytes: body))
    }
}

/// Whether a connection's client is still there, and what to do when it goes.
final class ClientPresence: Sendable {
    enum Departure: Hashable, Sendable {
        /// The client sends nothing more, but may still read.
        case finishedSending
        /// The connection is closed.
        case closed
    }

    private struct State {
        var departures: Set<Departure> = []
        var lastID = 0
        var listeners: [Int: (departure: Departure, act: @Sendable () -> Void)] = [:]
    }

    private let state = Mutex(State())

    /// Calls `action` once the client has gone this far, at once where it already has; never after `cancel` of what
    /// this returns.
    func on(_ departure: Departure, _ act: @escaping @Sendable () -> Void) -> Listener {
        let id = state.withLock { state -> Int? in
            guard !state.departures.contains(departure) else { return nil }
            state.lastID += 1
            state.listeners[state.lastID] = (departure, act)
            return state.lastID
        }
        if id == nil { act() }
        return Listener(presence: self, id: id)
    }

    struct Listener: Sendable {
        fileprivate let presence: ClientPresence
        fileprivate let id: Int?

        func cancel() {
            guard let id else { return }
            presence.state.withLock { $0.listeners[id] = nil }
        }
    }

    /// A closed connection has finished sending, too.
    func note(_ departure: Departure) {
        let departures: Set<Departure> = departure == .closed ? [.finishedSending, .closed] : [.finishedSending]
        let acts = state.withLock { state in
            state.departures.formUnion(departures)
            let due = state.listeners.filter { departures.contains($0.value.departure) }
            for id in due.keys { state.listeners[id] = nil }
            return due.values.map(\.act)
        }
        for act in acts { act() }
    }

    /// Cancels the work when the connection is closed: nobody would see its result.
    func cancelWhenClosed<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let listener = on(.closed) { end.finish() }
        defer { listener.cancel() }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in ends {}
                return nil
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() ?? nil else { throw CancellationError() }
            return result
        }
    }
}
