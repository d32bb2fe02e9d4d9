import KioskPrintModel
import KioskTLS
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An open connection to a printer, for one exchange at a time.
final class HTTPConnection: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<HTTPExchangeHandler>
    private let usability: Usability
    private let handshake: TLSHandshake?
    /// Whether nobody else can read what it carries, or be the other end of it.
    let isPrivate: Bool

    /// Whether a connection may serve another exchange: shared by the connection and its handler.
    final class Usability: Sendable {
        private let isSpent = Atomic(false)
        var isUsable: Bool { !isSpent.load(ordering: .acquiring) }
        func spend() { isSpent.store(true, ordering: .releasing) }
    }

    /// Takes over a channel that ends in an `HTTPExchangeHandler`. Called on the channel's event loop.
    init(_ channel: any Channel, handshake: TLSHandshake?, isPrivate: Bool) throws {
        let handler = try channel.pipeline.syncOperations.handler(type: HTTPExchangeHandler.self)
        self.channel = channel
        self.handshake = handshake
        self.isPrivate = isPrivate
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        usability = handler.usability
    }

    /// Whether it uses TLS.
    var isSecure: Bool { handshake != nil }

    /// The printer's certificate; nil without TLS.
    var certificate: Certificate? { handshake?.certificate }

    /// Whether it may serve another exchange. False is certain; true is a hint only.
    var isUsable: Bool { usability.isUsable }

    /// Sends a request and waits for the end of its response. Cancelling the task closes the connection.
    func exchange(_ request: HTTPRequest) async -> Result<HTTPResponse, HTTPFailure> {
        let call = HTTPCall()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                onEventLoop { handler in
                    handler.begin(call, request) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            call.cancel()
            onEventLoop { $0.cancel(call) }
        }
    }

    func close() {
        usability.spend()
        onEventLoop { $0.shutDown() }
    }

    private func onEventLoop(_ work: @escaping @Sendable (HTTPExchangeHandler) -> Void) {
        if channel.eventLoop.inEventLoop {
            work(handler.value)
        } else {
            channel.eventLoop.execute { [handler] in work(handler.value) }
        }
    }
}

/// The identity of one call of `HTTPConnection.exchange`, by which its cancellation finds it even before it began.
final class HTTPCall: Sendable {
    private let cancelled = Atomic(false)

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    func cancel() { cancelled.store(true, ordering: .releasing) }
}

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
    private let trace: PrinterTrace
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
    /// Whether the wire trace was told of the connection's end.
    private var isEndTold = false
    /// Whether the server may still refuse our certificate: in TLS 1.3 it verifies a client's certificate only after
    /// the client's handshake is done.
    private var isLateRefusalPossible = false
    /// The printer said that it sends no more (TLS's close_notify).
    private var isPeerClosed = false
    /// The connection's one timer, set anew when it fires, so that an exchange that ends in time schedules none.
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?

    init(threadPool: NIOThreadPool, idleTimeout: IdleTimeout, trace: PrinterTrace, mark: ExchangeMark? = nil) {
        self.mark = mark
        self.threadPool = threadPool
        self.idleTimeout = idleTimeout
        self.trace = trace
    }

    // Calls of the connection.

    func begin(_ call: HTTPCall, _ request: HTTPRequest, completion: @escaping Completion) {
        guard !call.isCancelled else {
            return completion(.failure(HTTPFailure(cause: .cancelled, nothingAccepted: true)))
        }
        guard let context, !isSpent, running == nil else {
            return completion(.failure(HTTPFailure(cause: endBeforeUse ?? .stale, nothingAccepted: true)))
        }
        let info = TCPInfo.read(context.channel)
        // The printer's FIN or RST may be in our kernel before the event loop has come to it.
        let isPeerGone = info.map { !$0.isEstablished } ?? false
        if isPeerGone, count > 0 {
            tellEnd("the printer closed the connection while it was idle")
            spend()
            return completion(.failure(HTTPFailure(cause: .stale, nothingAccepted: true)))
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
        guard !isPeerGone else { return }
        if request.expectsContinue { trace.tell("\(request.number) waits for 100 Continue") }
        exchange.start()
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
        tellEnd("close the connection")
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
            let awaitedContinue = exchange.awaitsContinue
            exchange.step { $0.timePassed(now: now) }
            if awaitedContinue, running != nil, !exchange.awaitsContinue {
                trace.tell("\(exchange.request.number): no 100 Continue in time; send the document")
            }
            running?.exchange.proceed()
        } else if let idleSince, idleSince + idleTimeout.amount <= now {
            tellEnd("close the connection, which was idle")
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
        case .head(let head):
            if let running, (100..<200).contains(head.status.code) {
                trace.tell("\(running.exchange.request.number): HTTP \(head.status.code)")
            }
            running?.exchange.step { $0.received(head, now: now) }
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
            connectionEnded(.closedEarly, nothingAccepted: nothingAcknowledged(context.channel))
        } else if event is TLSPeerClosed {
            peerClosed(context)
        } else if let handshake = event as? TLSHandshake {
            isLateRefusalPossible = handshake.version == "TLSv1.3"
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTruncated = (error as? TLSError)?.code == .truncated
        let nothingAccepted =
            isTruncated
            ? nothingAcknowledged(context.channel) : isClientRefused(error) || error is TLSAlertDetector.SpeaksTLS
        connectionEnded(HTTPFailure.Cause(error), nothingAccepted: nothingAccepted)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connectionEnded(.closedEarly, nothingAccepted: false)
        context.fireChannelInactive()
    }

    /// Takes close_notify, after which no response comes. Only the FIN behind it proves that nothing was accepted; it
    /// follows at once, but for a few printers that wait for ours.
    private func peerClosed(_ context: ChannelHandlerContext) {
        isPeerClosed = true
        guard let call = running?.exchange.call else { return connectionEnded(.closedEarly, nothingAccepted: false) }
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] () -> Void in
            if let self, running?.exchange.call === call { connectionEnded(.closedEarly, nothingAccepted: false) }
        }
    }

    private func connectionEnded(_ cause: HTTPFailure.Cause, nothingAccepted: Bool) {
        tellEnd(Self.text(cause))
        if count == 0, endBeforeUse == nil { endBeforeUse = cause }
        if let idleSince, running == nil, !isSpent { idleTimeout.printerClosed(after: .now() - idleSince) }
        running?.exchange.step { $0.connectionEnded(cause, nothingAccepted: nothingAccepted) }
        spend()
    }

    /// Tells the wire trace why the connection ends, once.
    private func tellEnd(_ reason: @autoclosure () -> String) {
        guard !isEndTold else { return }
        isEndTold = true
        trace.tell(reason())
    }

    private static func text(_ cause: HTTPFailure.Cause) -> String {
        switch cause {
        case .closedEarly: "the printer closed the connection"
        case .socket(let errno): "the connection broke: \(TransportError.text(of: errno))"
        case .malformed(let reason), .channel(let reason): "the connection broke: \(reason)"
        case .tls(let error, _): "the connection broke: \(error.reason)"
        default: "the connection ended"
        }
    }

    // What the printer cannot have accepted.

    /// Whether the printer refused our certificate, or the lack of one. In TLS 1.3 it says so only after our handshake
    /// is done (RFC 8446 §4.4.2.4), so that a request may be on its way. But nobody reads that before the handshake's
    /// end, and no renegotiation asks for a certificate later.
    private func isClientRefused(_ error: any Error) -> Bool {
        (error as? TLSError)?.code == .clientRefused && count == 1 && isLateRefusalPossible
    }

    /// Whether the printer closed (FIN) before its TCP accepted a byte of this request. Then nobody can have read any,
    /// and nobody will, since a host answers what arrives at a closed socket with RST. The FIN itself acknowledges all
    /// that arrived before it, so the count cannot be late. A bare RST proves nothing: it may come from a program that
    /// read and then died, and it overtakes a delayed acknowledgement.
    private func nothingAcknowledged(_ channel: any Channel) -> Bool {
        guard let before = running?.acknowledgedBefore, before > 0, let info = TCPInfo.read(channel) else {
            return false
        }
        return info.bytesAcknowledged == before
    }
}

/// What the kernel knows of a TCP connection: the beginning of Linux's `struct tcp_info` (linux/tcp.h), whose layout is
/// ABI. glibc's own copy ends before the byte counts.
struct TCPInfo: Sendable {
    /// `tcpi_state` and seven more.
    private var octets: InlineArray<8, UInt8>
    /// `tcpi_rto` to `tcpi_total_retrans`.
    private var counters: InlineArray<24, UInt32>
    /// `tcpi_pacing_rate` and `tcpi_max_pacing_rate`.
    private var rates: InlineArray<2, UInt64>
    /// `tcpi_bytes_acked`: our bytes that the other host's TCP acknowledged since the connection began. Linux 4.1
    /// and later; at least 1 on a connection that was used, since it counts the SYN. Zero means that the kernel does
    /// not say.
    private(set) var bytesAcknowledged: UInt64

    /// TCP_ESTABLISHED: neither side has closed.
    var isEstablished: Bool { octets[0] == 1 }

    /// Reads it on the channel's event loop, where the future is complete at once; nil where the channel is not TCP
    /// socket.
    static func read(_ channel: any Channel) -> TCPInfo? {
        guard let socket = channel as? any SocketOptionProvider else { return nil }
        channel.eventLoop.assertInEventLoop()
        let future: EventLoopFuture<TCPInfo> = socket.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        var info: TCPInfo?
        future.assumeIsolated().whenSuccess { info = $0 }
        return info
    }
}
