import NIOCore
import NIOHTTP1
import NIOPosix
import PrintModel

/// The last handler of a connection to a printer: drives one `HTTPExchange` after the other on the channel's event
/// loop.
///
/// Not Sendable: every member is used on that event loop only.
final class HTTPExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// Takes the end of an exchange; called once.
    typealias Completion = (Result<HTTPAnswer, HTTPFailure>) -> Void

    /// The exchange under way and what belongs to it.
    struct Running {
        let call: HTTPCall
        let request: HTTPRequest
        let completion: Completion
        var exchange: HTTPExchange
        /// `TCPInfo.bytesAcknowledged` when it began; nil where unknown.
        let acknowledgedBefore: UInt64?
        var isReadingFile = false
        /// What awaits `100 Continue` begins with the head alone.
        var isHeadHanded = false
        var isMessageHanded = false

        mutating func take(_ event: (inout HTTPExchange) -> HTTPExchange.Action) -> HTTPExchange.Action {
            event(&exchange)
        }
    }

    let threadPool: NIOThreadPool
    let idleLimit: IdleLimit
    private let mark: ExchangeMark?
    let usability = HTTPConnection.Usability()
    private(set) var context: ChannelHandlerContext?
    /// Nil between exchanges.
    private(set) var running: Running?
    /// Why it ended before its first exchange: a TLS alert may come as soon as our side has shaken hands.
    var endBeforeUse: HTTPFailure.Cause?
    /// Exchanges that began, all in all.
    private(set) var count = 0
    private(set) var idleSince: NIODeadline?
    /// Closed, closing, or not fit for another exchange.
    private(set) var isSpent = false
    private var isClosed = false
    /// TLS 1.3: the server judges a client's certificate only after the client's handshake is done.
    var isLateRefusalPossible = false
    /// The printer said that it sends no more (TLS's close_notify).
    var isPeerClosed = false
    var timer: (at: NIODeadline, task: Scheduled<Void>)?

    init(threadPool: NIOThreadPool, idleLimit: IdleLimit, mark: ExchangeMark? = nil) {
        self.mark = mark
        self.threadPool = threadPool
        self.idleLimit = idleLimit
    }
}

extension HTTPExchangeHandler {
    func attach(_ context: ChannelHandlerContext?) { self.context = context }

    func begin(_ call: HTTPCall, _ request: HTTPRequest, completion: @escaping Completion) {
        guard !call.isCancelled else {
            return completion(.failure(HTTPFailure(cause: .cancelled, nothingTaken: true)))
        }
        guard let context, !isSpent, running == nil else {
            return completion(.failure(HTTPFailure(cause: endBeforeUse ?? .stale, nothingTaken: true)))
        }
        let info = TCPInfo.read(context.channel)
        // The printer's FIN or RST is in our kernel, but the event loop has not come to it yet.
        let isClosed = info.map { !$0.isEstablished } ?? false
        if isClosed, count > 0 {
            spend()
            return completion(.failure(HTTPFailure(cause: .stale, nothingTaken: true)))
        }
        idleSince = nil
        count += 1
        mark?.begin()
        let exchange = HTTPExchange(
            documentLength: request.document?.length ?? 0, patience: request.patience,
            expectsContinue: request.expectsContinue, now: .now()
        )
        running = Running(
            call: call, request: request, completion: completion, exchange: exchange,
            acknowledgedBefore: info?.bytesAcknowledged
        )
        watchTheClock()
        // Of a new connection, what came before the FIN may tell why: a TLS alert. Nothing is written until it is read.
        guard !isClosed else { return }
        running?.isHeadHanded = true
        writeHead(request, context: context)
        if request.expectsContinue { context.flush() }
        goOn()
    }

    func cancel(_ call: HTTPCall) {
        guard currentCall === call else { return }
        step { $0.cancelled() }
    }

    /// Ends the exchange under way as cancelled, and closes.
    func shutDown() {
        step { $0.cancelled() }
        spend()
    }

    /// Lets the exchange take an event, and does what it asks for.
    func step(_ event: (inout HTTPExchange) -> HTTPExchange.Action) {
        guard let action = running?.take(event) else { return }
        switch action {
        case .none: watchTheClock()
        case .answered(let answer, let keepsConnection): end(.success(answer), keepsConnection: keepsConnection)
        case .failed(let failure): end(.failure(failure), keepsConnection: false)
        }
    }

    private func end(_ result: Result<HTTPAnswer, HTTPFailure>, keepsConnection: Bool) {
        guard let ended = running else { return }
        running = nil
        if ended.exchange.isWhole { mark?.end() }
        if keepsConnection, !isPeerClosed, ended.request.connection != .close, case .success(let answer) = result {
            answer.keepAliveTimeout.map(idleLimit.announced)
            idleSince = .now()
            watchTheClock()
        } else if case .success = result {
            // Whoever gets the answer closes, and may go on with the answer first.
            retire()
        } else {
            spend()
        }
        ended.completion(result)
    }

    private func retire() {
        isSpent = true
        timer?.task.cancel()
        timer = nil
        usability.spend()
    }

    func spend() {
        retire()
        guard !isClosed else { return }
        isClosed = true
        context?.close(promise: nil)
    }
}

// What sending changes.
extension HTTPExchangeHandler {
    var currentCall: HTTPCall? { running?.call }

    /// Notes that a chunk is being handed over, and tells who wants to know; whether it is the last.
    func noteHanded(_ count: Int) -> Bool {
        running?.exchange.hand(count)
        guard let running else { return false }
        running.request.onSending?(running.exchange.handed)
        return running.exchange.handed == running.request.document?.length
    }

    /// Whether the IPP message is to be handed over now; true once.
    func startMessage() -> Bool {
        guard let running, running.isHeadHanded, !running.isMessageHanded, running.exchange.mayProceed else {
            return false
        }
        self.running?.isMessageHanded = true
        return true
    }

    /// The call to read for; nil when a read is under way already.
    func startReading() -> HTTPCall? {
        guard let call = currentCall, running?.isReadingFile == false else { return nil }
        running?.isReadingFile = true
        return call
    }

    /// Whether the chunk that was read is still wanted.
    func endReading(for call: HTTPCall) -> Bool {
        guard currentCall === call else { return false }
        running?.isReadingFile = false
        return running?.exchange.wantsDocument == true
    }
}
