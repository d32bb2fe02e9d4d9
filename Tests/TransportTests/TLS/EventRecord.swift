import NIOCore
import NIOEmbedded
import TLS
import TestSupport

/// The last handler of a test's pipeline: writes down what reaches it.
final class EventRecord: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private(set) var events: [String] = []
    private(set) var received: [UInt8] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        received += bytes.readableBytesView
        events.append("read \(String(buffer: bytes))")
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is TLSHandshake: events.append("handshake")
        case is TLSPeerClosed: events.append("peer closed")
        case ChannelEvent.inputClosed: events.append("input closed")
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        events.append((error as? TLSError).map { "error \($0.code.word)" } ?? "error \(error)")
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) { events.append("inactive") }
}

/// A socket that takes nothing until the test says so.
final class WriteHolder: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private var held: [(ByteBuffer, EventLoopPromise<Void>?)] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        held.append((unwrapOutboundIn(data), promise))
    }

    func take() -> [(ByteBuffer, EventLoopPromise<Void>?)] {
        defer { held = [] }
        return held
    }
}

extension EventLoopFuture where Value: Sendable {
    /// Whether an embedded loop has completed it.
    var isDone: Bool { completion != nil }

    /// What an embedded loop has completed it with.
    @discardableResult
    func result() throws -> Value {
        guard let completion else { throw TestSupportError("the future is not complete") }
        return try completion.get()
    }

    private var completion: Result<Value, any Error>? {
        var completion: Result<Value, any Error>?
        assumeIsolated().whenComplete { completion = $0 }
        return completion
    }
}

extension EmbeddedChannel {
    /// As `writeAndFlush`, of which an asynchronous test sees only the form that waits.
    func send(_ bytes: ByteBuffer) -> EventLoopFuture<Void> { writeAndFlush(bytes) }
}

extension TLSError.Code {
    var word: String {
        switch self {
        case .untrusted: "untrusted"
        case .changed: "changed"
        case .notAccepted: "notAccepted"
        case .unusableTrust: "unusableTrust"
        case .badIdentity: "badIdentity"
        case .clientRefused: "clientRefused"
        case .handshakeFailed: "handshakeFailed"
        case .truncated: "truncated"
        case .broken: "broken"
        }
    }
}
