import KioskTLS
import NIOCore

/// The upgrade to TLS of RFC 2817 §3.2 and §3.3: a request that asks for TLS, and its responses. No I/O.
struct TLSUpgrade {
    enum Action: Hashable {
        case none
        /// 101: the handshake is next.
        case startTLS
        /// The response to the request itself arrived, over TLS.
        case done
        case refused(status: Int)
        case malformed(String)
    }

    private enum State {
        case awaitingSwitch
        case shakingHands
        case awaitingResponse
        /// The octets of the response's body that have not arrived yet.
        case draining(Int)
        case over
    }

    private static let maximumHeadLength = 16 * 1024
    private static let maximumBodyLength = 64 * 1024

    private var state = State.awaitingSwitch
    private var head: [UInt8] = []

    static func request(host: String) -> String {
        "OPTIONS * HTTP/1.1\r\nHost: \(host)\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2,TLS/1.0\r\n"
            + "User-Agent: kiosk-print-engine\r\n\r\n"
    }

    mutating func handshakeDone() { state = .awaitingResponse }

    mutating func received(_ bytes: some Sequence<UInt8>) -> Action {
        for byte in bytes {
            switch state {
            case .shakingHands, .over:
                // What somebody injects after the 101 would be read as if it had arrived over TLS.
                return end(.malformed("it sends more than its response to the upgrade"))
            case .draining(0):
                return end(.malformed("it sends more than its response to the upgrade"))
            case .draining(let rest):
                state = .draining(rest - 1)
            case .awaitingSwitch, .awaitingResponse:
                head.append(byte)
                guard head.count <= Self.maximumHeadLength else {
                    return end(.malformed("its response to the upgrade is too long"))
                }
                guard byte == UInt8(ascii: "\n"), head.suffix(4).elementsEqual("\r\n\r\n".utf8) else { continue }
                let action = receivedHead(String(decoding: head, as: UTF8.self))
                head = []
                if case .malformed = action { return end(action) }
                if case .refused = action { return end(action) }
            }
        }
        switch state {
        case .draining(0): return end(.done)
        case .shakingHands: return .startTLS
        default: return .none
        }
    }

    private mutating func end(_ action: Action) -> Action {
        state = .over
        return action
    }

    private mutating func receivedHead(_ head: String) -> Action {
        let lines = head.split(separator: "\r\n")
        let statusLine = lines.first?.split(separator: " ") ?? []
        guard statusLine.count >= 2, statusLine[0].hasPrefix("HTTP/1."), let status = Int(statusLine[1]),
            100..<600 ~= status
        else {
            return .malformed("its response to the upgrade is not HTTP")
        }
        switch state {
        case .awaitingSwitch where status == 101: state = .shakingHands
        case .awaitingSwitch where status == 100: break
        case .awaitingSwitch: return .refused(status: status)
        case _ where status < 200: break
        default:
            let fields = lines.dropFirst().map { $0.lowercased() }
            guard !fields.contains(where: { $0.hasPrefix("transfer-encoding:") }),
                let length = Self.contentLength(fields), 0...Self.maximumBodyLength ~= length
            else { return .malformed("its response to the upgrade has no length, or is too long") }
            state = .draining(length)
        }
        return .none
    }

    /// Zero where the field is missing, since only the connection's end would end such a body.
    private static func contentLength(_ fields: [String]) -> Int? {
        guard let field = fields.first(where: { $0.hasPrefix("content-length:") }) else { return 0 }
        return Int(field.dropFirst("content-length:".count).filter { $0 != " " && $0 != "\t" })
    }
}

/// The handler that upgrades a connection to TLS in place (RFC 2817 §3), between the socket and HTTP. It leaves the
/// pipeline when it is done.
///
/// Not Sendable: every member is used on the channel's event loop.
final class TLSUpgradeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let host: String
    private let deadline: NIODeadline
    /// Adds TLS below this handler, and waits for its handshake.
    private let shakeHands: () -> EventLoopFuture<TLSHandshake>
    private var upgrade = TLSUpgrade()
    private var handshake: TLSHandshake?
    private var hasBegunTLS = false
    private var promise: EventLoopPromise<TLSHandshake>?
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(host: String, deadline: NIODeadline, shakeHands: @escaping () -> EventLoopFuture<TLSHandshake>) {
        self.host = host
        self.deadline = deadline
        self.shakeHands = shakeHands
    }

    /// Starts the upgrade; the future completes once everything that follows goes over TLS.
    func upgrade(on eventLoop: any EventLoop) -> EventLoopFuture<TLSHandshake> {
        let promise = eventLoop.makePromise(of: TLSHandshake.self)
        self.promise = promise
        guard let context else {
            end(.failure(ChannelError.ioOnClosedChannel))
            return promise.futureResult
        }
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] () -> Void in
            end(.failure(HTTPFailure(cause: .timedOut(.handshake), nothingAccepted: true)))
        }
        context.writeAndFlush(
            wrapOutboundOut(context.channel.allocator.buffer(string: TLSUpgrade.request(host: host))), promise: nil)
        return promise.futureResult
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch upgrade.received(unwrapInboundIn(data).readableBytesView) {
        case .none: break
        case .startTLS: startTLS()
        case .done:
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            if let handshake { end(.success(handshake)) }
        case .refused(let status):
            end(.failure(HTTPFailure(cause: .upgradeRefused(.status(status)), nothingAccepted: true)))
        case .malformed(let reason): end(.failure(HTTPFailure(cause: .malformed(reason), nothingAccepted: true)))
        }
    }

    private func startTLS() {
        hasBegunTLS = true
        shakeHands().assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let handshake):
                self.handshake = handshake
                upgrade.handshakeDone()
            case .failure(let error): end(.failure(error))
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            end(.failure(HTTPFailure(cause: .closedEarly, nothingAccepted: true)))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Before TLS has begun, a reset means the same as a close.
        let isRefusal = error is IOError && !hasBegunTLS
        end(.failure(isRefusal ? HTTPFailure(cause: .closedEarly, nothingAccepted: true) : error))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(HTTPFailure(cause: .closedEarly, nothingAccepted: true)))
        context.fireChannelInactive()
    }

    private func end(_ result: Result<TLSHandshake, any Error>) {
        timer?.cancel()
        timer = nil
        promise?.completeWith(result)
        promise = nil
    }
}
