import NIOCore
import PrintModel

/// SSH in a channel's pipeline: one session, and the operations that go on in it.
///
/// After whatever comes, goes out or is asked for, all operations are stepped until none gets further, since what one
/// of them reads off the wire may be for another. Unchecked: every member is used on the channel's event loop only.
final class SSHHandler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Octets from a server that has not let us in yet; OpenSSH's sends 3 kB, and a banner.
    private static let mostBeforeLogin = 256 << 10
    /// Octets that nobody reads: there is no channel yet, and the server has no reason to say much.
    private static let mostUnread = 1 << 20
    /// Octets to send beyond which no document is fed.
    static let fullOutbound = 128 << 10
    /// Octets to send that the socket does not take; documents do not get there, only answers that the server asks for.
    static let mostUnsent = 4 << 20

    let session: SSHSession
    private(set) var context: ChannelHandlerContext?
    var operations: [any SSHOperation] = []
    var isPumping = false
    var isPumpNeeded = false
    /// A document was not fed since too much was to be sent first.
    var isHeldBack = false
    /// Given to the channel and not taken by the socket yet.
    var unsent = 0
    private var octetsBeforeLogin = 0
    var flushWaiters: [() -> Void] = []
    /// Whose turn it is to open a channel: libssh2 opens one at a time.
    weak var opener: (any SSHOperation)?
    var isLoggedIn = false
    var failure: SSHError?
    /// Told once, with the reason, when the connection is over.
    var onEnd: ((SSHError) -> Void)?
    /// Counts what came, so that silence is noticed.
    private(set) var octetsReceived = 0
    /// A channel that both sides have closed: through it, what comes while nothing goes on is read.
    var post: OpaquePointer?

    init(session: SSHSession) { self.session = session }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
        end(SSHError(.connectionLost, operation: "", reason: "the connection is closed"))
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var octets = unwrapInboundIn(data)
        octetsReceived &+= octets.readableBytes
        if !isLoggedIn {
            octetsBeforeLogin += octets.readableBytes
            guard octetsBeforeLogin <= Self.mostBeforeLogin else {
                return fail(
                    SSHError(
                        .tooMuchOutput, operation: "",
                        reason: "it sent more than \(Self.mostBeforeLogin) octets before it let us in"))
            }
        }
        session.wire.inbound.writeBuffer(&octets)
        pump()
        if session.wire.inbound.readableBytes > Self.mostUnread {
            fail(SSHError(.tooMuchOutput, operation: "", reason: "it sends more than anybody asked for"))
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pump()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        pump()
        end(lost(nil))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(lost(error))
        context.close(promise: nil)
    }

    private func lost(_ error: (any Error)?) -> SSHError {
        let code = (error as? IOError)?.errnoCode
        let words = session.wire.farewell.map { "the server closed the connection: \"\($0.text)\"" }
        return SSHError(
            .connectionLost, operation: "",
            reason: words ?? (code == nil ? "the server closed the connection" : "the connection broke"),
            native: code.map { .errno($0) })
    }
}
