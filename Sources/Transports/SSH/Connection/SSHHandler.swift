internal import CLibSSH2
internal import NIOCore
internal import PrintModel

/// SSH in a channel's pipeline: one session, and the operations that go on in it.
///
/// After whatever comes, goes out or is asked for, all operations are stepped until none gets further, since what one of them
/// reads off the wire may be for another. Unchecked: every member is used on the channel's event loop only.
final class SSHHandler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Octets from a server that has not let us in yet; OpenSSH's sends 3 kB, and a banner.
    private static let mostBeforeLogin = 256 << 10
    /// Octets to send beyond which no document is fed.
    private static let fullOutbound = 128 << 10
    /// Octets to send that the socket does not take; documents do not get there, only answers that the server asks for.
    private static let mostUnsent = 4 << 20

    let session: SSHSession
    private(set) var context: ChannelHandlerContext?
    private var operations: [any SSHOperation] = []
    private var isPumping = false
    private var isPumpNeeded = false
    /// A document was not fed since too much was to be sent first.
    private var isHeldBack = false
    /// Given to the channel and not taken by the socket yet.
    private var unsent = 0
    private var octetsBeforeLogin = 0
    private var flushWaiters: [() -> Void] = []
    /// Whose turn it is to open a channel: libssh2 opens one at a time.
    private weak var opener: (any SSHOperation)?
    var isLoggedIn = false
    private(set) var failure: SSHError?
    /// Told once, with the reason, when the connection is over.
    var onEnd: ((SSHError) -> Void)?
    /// Counts what came, so that silence is noticed.
    private(set) var octetsReceived = 0
    /// A channel that both sides have closed: through it, what comes while nothing goes on is read.
    private var post: OpaquePointer?

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
                return fail(SSHError(
                    .tooMuchOutput, operation: "",
                    reason: "it sent more than \(Self.mostBeforeLogin) octets before it let us in"))
            }
        }
        session.wire.inbound.writeBuffer(&octets)
        pump()
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
            .connectionLost, operation: "", reason: words ?? (code == nil ? "the server closed the connection" : "the connection broke"),
            native: code.map { .errno($0) })
    }
}

// Operations.
extension SSHHandler {
    /// Whether a document may be fed now.
    var mayFeed: Bool {
        guard session.wire.outbound.readableBytes < Self.fullOutbound else {
            isHeldBack = true
            return false
        }
        return context?.channel.isWritable ?? false
    }

    var hasOperations: Bool { !operations.isEmpty }

    func start(_ operation: any SSHOperation) {
        if let failure { return operation.connectionEnded(failure.during(operation.name)) }
        operations.append(operation)
        pump()
    }

    /// Whether it is this operation's turn; then it stays so until it gives it back.
    func takeTurn(_ operation: any SSHOperation) -> Bool {
        if opener == nil { opener = operation }
        return opener === operation
    }

    func endTurn(_ operation: any SSHOperation) {
        if opener === operation { opener = nil }
    }

    /// Runs `work` once the socket has taken all that was written until now.
    func afterFlush(_ work: @escaping () -> Void) { flushWaiters.append(work) }

    /// Gives back a channel that both sides have closed.
    func bury(_ channel: OpaquePointer) {
        if let post { libssh2_channel_free(post) }
        post = channel
    }

    /// Steps all operations until none gets further, then sends.
    func pump() {
        guard !isPumping else { return isPumpNeeded = true }
        guard failure == nil, context != nil else { return }
        isPumping = true
        var progress = true
        while progress, failure == nil {
            isPumpNeeded = false
            let waiting = session.wire.inbound.readableBytes
            progress = false
            for operation in operations where failure == nil && !operation.isOver {
                do throws(SSHError) {
                    if try operation.step(on: self) { progress = true }
                } catch {
                    fail(error.during(operation.name))
                }
            }
            operations.removeAll(where: \.isOver)
            if session.wire.inbound.readableBytes > 0, failure == nil { readUnasked() }
            if session.wire.inbound.readableBytes < waiting || isPumpNeeded { progress = true }
            guard !progress else { continue }
            flush()
            // Once the socket is full, it tells when it has room again.
            progress = isPumpNeeded || (isHeldBack && (context?.channel.isWritable ?? false))
            isHeldBack = false
        }
        isPumping = false
        flush()
    }

    /// Requests of the server (its keep-alive, new keys) while no operation reads.
    private func readUnasked() {
        guard let post else { return }
        var space: CChar = 0
        let result = libssh2_channel_read_ex(post, 0, &space, 1)
        if result < 0, SSHSession.isFatal(Int32(result)) { fail(session.failure("", Int32(result))) }
    }

    private func flush() {
        guard let context, failure == nil else { return }
        let waiters = flushWaiters
        flushWaiters = []
        let count = session.wire.outbound.readableBytes
        guard count > 0 || !waiters.isEmpty else { return }
        let octets = session.wire.outbound
        session.wire.outbound = context.channel.allocator.buffer(capacity: 0)
        unsent += count
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [self] result in
            unsent -= count
            if case .success = result { waiters.forEach { $0() } }
        }
        context.writeAndFlush(wrapOutboundOut(octets), promise: sent)
        if unsent > Self.mostUnsent {
            fail(SSHError(.tooMuchOutput, operation: "", reason: "it asks for more answers than it takes"))
        }
    }
}

// The end.
extension SSHHandler {
    /// Ends the connection for a reason of ours or the server's.
    func fail(_ error: SSHError) {
        guard failure == nil else { return }
        end(error)
        context?.close(promise: nil)
    }

    private func end(_ error: SSHError) {
        guard failure == nil else { return }
        failure = error
        session.wire.isOver = true
        let operations = operations
        self.operations = []
        flushWaiters = []
        for operation in operations where !operation.isOver {
            operation.connectionEnded(error.operation.isEmpty ? error.during(operation.name) : error)
        }
        onEnd?(error)
        onEnd = nil
    }
}

extension SSHError {
    /// The same, said of another operation, unless it already names one.
    func during(_ operation: String) -> SSHError {
        var error = self
        if error.operation.isEmpty { error.operation = operation }
        return error
    }
}
