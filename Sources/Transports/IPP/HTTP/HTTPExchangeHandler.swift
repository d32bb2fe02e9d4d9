import NIOCore
import NIOHTTP1
import NIOPosix
import PrintModel
import TLS

/// The last handler of a connection to a printer: runs one exchange after the other on the channel's event loop.
///
/// Not Sendable: every member is used on that event loop only.
final class HTTPExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    /// Takes the result of an exchange; called once.
    typealias Completion = (Result<HTTPResponse, HTTPFailure>) -> Void

    private struct Running {
        let exchange: RunningExchange
        let completion: Completion
        /// `TCPInfo.bytesAcknowledged` when the exchange began; nil where unknown.
        let acknowledgedBefore: UInt64?
    }

    let usability = HTTPConnection.Usability()
    private let threadPool: NIOThreadPool
    private let idleTimeout: IdleTimeout
    private let mark: ExchangeMark?
    private var context: ChannelHandlerContext?
    /// Nil between exchanges.
    private var running: Running?
    /// Exchanges that began, all in all.
    private var count = 0
    /// Why the connection ended before its first exchange: a TLS alert may arrive as soon as our handshake is done.
    private var endBeforeUse: HTTPFailure.Cause?
    private var idleSince: NIODeadline?
    /// Whether the connection is closed, closing, or not fit for another exchange.
    private var isSpent = false
    private var isClosed = false
    /// In TLS 1.3 the server verifies a client's certificate only after the client's handshake is done.
    private var isLateRefusalPossible = false
    /// The printer said that it sends no more (TLS's close_notify).
    private var isPeerClosed = false
    /// The connection's one timer, set anew when it fires, so that an exchange that ends in time schedules none.
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?

    init(threadPool: NIOThreadPool, idleTimeout: IdleTimeout, mark: ExchangeMark? = nil) {
        self.mark = mark
        self.threadPool = threadPool
        self.idleTimeout = idleTimeout
    }

    // Calls of the connection.

    func begin(_ call: HTTPCall, _ request: HTTPRequest, completion: @escaping Completion) {
        guard !call.isCancelled else {
            return completion(.failure(HTTPFailure(cause: .cancelled, nothingTaken: true)))
        }
        guard let context, !isSpent, running == nil else {
            return completion(.failure(HTTPFailure(cause: endBeforeUse ?? .stale, nothingTaken: true)))
        }
        let info = TCPInfo.read(context.channel)
        // The printer's FIN or RST may be in our kernel before the event loop has come to it.
        let isPeerGone = info.map { !$0.isEstablished } ?? false
        if isPeerGone, count > 0 {
            spend()
            return completion(.failure(HTTPFailure(cause: .stale, nothingTaken: true)))
        }
        idleSince = nil
        count += 1
        mark?.begin()
        let exchange = RunningExchange(call, request, context: context, threadPool: threadPool) { [weak self] action in
            self?.take(action)
        }
        running = Running(exchange: exchange, completion: completion, acknowledgedBefore: info?.bytesAcknowledged)
        scheduleTimer()
        // What a new connection received before the FIN may tell why: a TLS alert. Nothing is written until it is read.
        if !isPeerGone { exchange.start() }
    }

    func cancel(_ call: HTTPCall) {
        guard let running, running.exchange.call === call else { return }
        running.exchange.step { $0.cancelled() }
    }

    /// Ends the exchange under way as cancelled, and closes.
    func shutDown() {
        running?.exchange.step { $0.cancelled() }
        spend()
    }

    // The end of an exchange.

    private func take(_ action: HTTPExchange.Action) {
        switch action {
        case .none: scheduleTimer()
        case .completed(let response, let keepsConnection): end(.success(response), keepsConnection: keepsConnection)
        case .failed(let failure): end(.failure(failure), keepsConnection: false)
        }
    }

    private func end(_ result: Result<HTTPResponse, HTTPFailure>, keepsConnection: Bool) {
        guard let ended = running else { return }
        running = nil
        if ended.exchange.isComplete { mark?.end() }
        if case .success(let response) = result {
            if keepsConnection, !isPeerClosed, ended.exchange.request.connection != .close {
                if let seconds = response.keepAliveTimeout { idleTimeout.announced(seconds: seconds) }
                idleSince = .now()
                scheduleTimer()
            } else {
                // The receiver of the response closes, and may pass the response on first.
                retire()
            }
        } else {
            spend()
        }
        ended.completion(result)
    }

    /// Refuses further exchanges.
    private func retire() {
        isSpent = true
        timer?.task.cancel()
        timer = nil
        usability.spend()
    }

    /// Refuses further exchanges, and closes the connection.
    private func spend() {
        retire()
        guard !isClosed else { return }
        isClosed = true
        context?.close(promise: nil)
    }

    // Timeouts.

    private func scheduleTimer() {
        let deadline = running?.exchange.deadline ?? idleSince.map { $0 + idleTimeout.amount }
        guard let deadline, let eventLoop = context?.eventLoop, !isSpent else { return }
        if let timer, timer.at <= deadline { return }
        timer?.task.cancel()
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] () -> Void in
            self?.timerFired()
        }
        timer = (deadline, task)
    }

    private func timerFired() {
        timer = nil
        let now = NIODeadline.now()
        if let exchange = running?.exchange {
            exchange.step { $0.timePassed(now: now) }
            running?.exchange.proceed()
        } else if let idleSince, idleSince + idleTimeout.amount <= now {
            spend()
        }
        scheduleTimer()
    }

    // Events of the channel.

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = NIODeadline.now()
        switch unwrapInboundIn(data) {
        case .head(let head): running?.exchange.step { $0.received(head, now: now) }
        case .body(var bytes): running?.exchange.step { $0.received(&bytes, now: now) }
        case .end: running?.exchange.step { $0.receivedEnd(now: now) }
        }
        running?.exchange.proceed()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        running?.exchange.proceed()
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            connectionEnded(.closedEarly, nothingTaken: nothingAcknowledged(context.channel))
        } else if event is TLSPeerClosed {
            peerClosed(context)
        } else if let handshake = event as? TLSHandshake {
            isLateRefusalPossible = handshake.version == "TLSv1.3"
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTruncated = (error as? TLSError)?.code == .truncated
        let nothingTaken = isTruncated ? nothingAcknowledged(context.channel) : isClientRefused(error)
        connectionEnded(HTTPFailure.Cause(error), nothingTaken: nothingTaken)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connectionEnded(.closedEarly, nothingTaken: false)
        context.fireChannelInactive()
    }

    /// Takes close_notify, after which no response comes. Only the FIN behind it proves that nothing was taken; it
    /// follows at once, but for a few printers that wait for ours.
    private func peerClosed(_ context: ChannelHandlerContext) {
        isPeerClosed = true
        guard let call = running?.exchange.call else { return connectionEnded(.closedEarly, nothingTaken: false) }
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] () -> Void in
            if let self, running?.exchange.call === call { connectionEnded(.closedEarly, nothingTaken: false) }
        }
    }

    private func connectionEnded(_ cause: HTTPFailure.Cause, nothingTaken: Bool) {
        if count == 0, endBeforeUse == nil { endBeforeUse = cause }
        if let idleSince, running == nil, !isSpent { idleTimeout.printerClosed(after: .now() - idleSince) }
        running?.exchange.step { $0.connectionEnded(cause, nothingTaken: nothingTaken) }
        spend()
    }

    // What the printer cannot have taken.

    /// Whether the printer refused our certificate, or the lack of one. In TLS 1.3 it says so only after our handshake
    /// is done (RFC 8446 §4.4.2.4), so that a request may be on its way. But nobody reads that before the handshake's
    /// end, and no renegotiation asks for a certificate later.
    private func isClientRefused(_ error: any Error) -> Bool {
        (error as? TLSError)?.code == .clientRefused && count == 1 && isLateRefusalPossible
    }

    /// Whether the printer closed (FIN) before its TCP took a byte of this request. Then nobody can have read any, and
    /// nobody will, since a host answers what arrives at a closed socket with RST. The FIN itself acknowledges all that
    /// arrived before it, so the count cannot be late. A bare RST proves nothing: it may come from a program that read
    /// and then died, and it overtakes a delayed acknowledgement.
    private func nothingAcknowledged(_ channel: any Channel) -> Bool {
        guard let before = running?.acknowledgedBefore, before > 0, let info = TCPInfo.read(channel) else {
            return false
        }
        return info.bytesAcknowledged == before
    }
}
