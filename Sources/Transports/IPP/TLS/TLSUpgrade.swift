import KioskPrintModel
import KioskTLS
import NIOCore

/// The upgrade to TLS of RFC 2817 §3.2 and §3.3: a request that asks for TLS, and its responses. No I/O.
struct TLSUpgrade {
    enum Action: Hashable {
        case none
        /// 101: the handshake is next.
        case startTLS
        /// The response to the request itself arrived, over TLS; of its body, what `mayGetBody` says.
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
        /// The response promised chunks, which may never come.
        case promised(ChunkedBody)
        case over
    }

    private static let maximumHeadLength = 16 * 1024
    fileprivate static let maximumBodyLength = 64 * 1024

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
            case .promised(var body):
                // A response to the next request would be one to nothing.
                switch body.receive(byte) {
                case .more: state = .promised(body)
                case .complete: state = .draining(0)
                case .none, .malformed: return end(.malformed("it sends more than its response to the upgrade"))
                }
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
        case .promised: return .done
        case .shakingHands: return .startTLS
        default: return .none
        }
    }

    /// Whether a body that the response promised may still come, before or after the next request is sent.
    var mayGetBody: Bool { if case .promised = state { true } else { false } }

    /// What octets that arrive after `done` are.
    enum Remainder: Hashable {
        /// All of them belong to the promised body, which is not complete.
        case body
        /// So many of them belong to the promised body; whatever follows is the next response.
        case over(bodyLength: Int)
        case malformed(String)
    }

    /// Separates the promised body from what the printer sends next. libcups's server promises chunks and sends none
    /// (`httpWriteResponse` without `httpWrite`); a status line begins with an H, and a chunk with a hexadecimal digit.
    mutating func remainder(in bytes: some Sequence<UInt8>) -> Remainder {
        var count = 0
        for byte in bytes {
            guard case .promised(var body) = state else { break }
            switch body.receive(byte) {
            case .more: state = .promised(body)
            case .complete: state = .over
            case .none:
                state = .over
                return .over(bodyLength: 0)
            case .malformed(let reason):
                state = .over
                return .malformed(reason)
            }
            count += 1
        }
        return mayGetBody ? .body : .over(bodyLength: count)
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
            if let encoding = fields.first(where: { $0.hasPrefix("transfer-encoding:") }) {
                guard encoding.dropFirst("transfer-encoding:".count).trimmingBlanks() == "chunked" else {
                    return .malformed("its response to the upgrade has an unknown encoding")
                }
                state = .promised(ChunkedBody())
                return .none
            }
            guard let length = Self.contentLength(fields), 0...Self.maximumBodyLength ~= length else {
                return .malformed("its response to the upgrade has no length, or is too long")
            }
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

/// A body in chunks (RFC 9112 §7.1), which is dropped. No I/O.
private struct ChunkedBody {
    enum Step {
        case more
        case complete
        /// The first octet begins no chunk: there is no body.
        case none
        case malformed(String)
    }

    private enum State {
        case size
        /// The octets of a chunk and of the line's end behind it.
        case data(Int)
        case trailer
    }

    private var state = State.size
    private var line: [UInt8] = []
    private var length = 0

    mutating func receive(_ byte: UInt8) -> Step {
        if length == 0, !Self.isHexadecimal(byte) { return .none }
        length += 1
        guard length <= TLSUpgrade.maximumBodyLength else {
            return .malformed("its response to the upgrade is too long")
        }
        if case .data(let rest) = state {
            state = rest > 1 ? .data(rest - 1) : .size
            return .more
        }
        guard byte == UInt8(ascii: "\n") else {
            line.append(byte)
            return .more
        }
        let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
        line = []
        if case .trailer = state { return text.isEmpty ? .complete : .more }
        // What follows a semicolon is an extension of the chunk.
        let size = text.prefix { $0 != ";" && $0 != " " }
        guard let size = Int(size, radix: 16), 0...TLSUpgrade.maximumBodyLength ~= size else {
            return .malformed("its response to the upgrade has a broken chunk")
        }
        state = size == 0 ? .trailer : .data(size + 2)
        return .more
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

/// The handler that upgrades a connection to TLS in place (RFC 2817 §3), between the socket and HTTP. It leaves the
/// pipeline when it is done, and no body of the response to the upgrade can follow.
///
/// Not Sendable: every member is used on the channel's event loop.
final class TLSUpgradeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let host: String
    private let deadline: NIODeadline
    /// Adds TLS below this handler, and waits for its handshake.
    private let shakeHands: () -> EventLoopFuture<TLSHandshake>
    private var upgrade = TLSUpgrade()
    private var handshake: TLSHandshake?
    private var hasBegunTLS = false
    private var isDone = false
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
        if isDone { return separate(unwrapInboundIn(data), context) }
        switch upgrade.received(unwrapInboundIn(data).readableBytesView) {
        case .none: break
        case .startTLS: startTLS()
        case .done:
            isDone = true
            if !upgrade.mayGetBody { leave(context) }
            if let handshake { end(.success(handshake)) }
        case .refused(let status):
            end(.failure(HTTPFailure(cause: .upgradeRefused(.status(status)), nothingAccepted: true)))
        case .malformed(let reason): end(.failure(HTTPFailure(cause: .malformed(reason), nothingAccepted: true)))
        }
    }

    /// Drops the body of the response to the upgrade, where it comes after all, and passes on what follows.
    private func separate(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        var bytes = bytes
        switch upgrade.remainder(in: bytes.readableBytesView) {
        case .body: break
        case .over(let length):
            bytes.moveReaderIndex(forwardBy: length)
            if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
            leave(context)
        case .malformed(let reason):
            context.fireErrorCaught(HTTPFailure(cause: .malformed(reason)))
            leave(context)
        }
    }

    private func leave(_ context: ChannelHandlerContext) {
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
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
