import CKioskLibSSH2
import KioskPrintModel
import NIOCore

/// An operation on a connection that takes many steps, as octets arrive and leave. One that waits for its turn, for
/// octets or for room to send is stepped again after every change.
protocol SSHOperation: AnyObject {
    /// Its name in an error that ends the connection.
    var name: String { get }
    var isOver: Bool { get }
    /// Goes on as far as it can. Returns whether it got any further; throws what ends the whole connection.
    func step(on connection: SSHHandler) throws(SSHError) -> Bool
    /// The connection ended; the error names this operation.
    func connectionEnded(_ error: SSHError)
}

/// The channel handler for SSH: one session, and the operations that run in it.
///
/// After octets arrived or left, and after each request, all operations are stepped until none gets further, since what
/// one of them reads may be for another. Unchecked: every member is used on the channel's event loop only.
final class SSHHandler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The limit in octets before the login; OpenSSH's server sends 3 kB, and a banner.
    private static let maximumBeforeLogin = 256 << 10
    /// The limit of octets that no operation reads. While no channel is open, a server has no reason to send many.
    private static let maximumUnread = 1 << 20
    /// Beyond this number of octets to send, documents wait.
    private static let outboundHighWaterMark = 128 << 10
    /// The limit of octets that the socket has not taken. Documents never reach it; responses that the server asks for
    /// may.
    private static let maximumUnsent = 4 << 20

    let session: SSHSession
    private(set) var context: ChannelHandlerContext?
    private var operations: [any SSHOperation] = []
    private var isPumping = false
    private var isPumpNeeded = false
    /// A document waits since too much is to be sent before it.
    private var isSendingPaused = false
    /// Octets that were given to the channel and not taken by the socket yet.
    private var unsent = 0
    private var octetsBeforeLogin = 0
    private var flushWaiters: [() -> Void] = []
    /// The operation that opens a channel: libssh2 opens one at a time.
    private weak var opener: (any SSHOperation)?
    /// A channel that both sides have closed. Through it, octets are read while no operation runs.
    private var closedChannel: OpaquePointer?
    /// Why the connection is over.
    private(set) var failure: SSHError?
    /// Counts the octets received, so that silence is noticed.
    private(set) var octetsReceived = 0
    var isLoggedIn = false
    /// Called once, with the reason, when the connection is over.
    var onEnd: ((SSHError) -> Void)?

    init(session: SSHSession) { self.session = session }

    // MARK: - Channel events

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
            guard octetsBeforeLogin <= Self.maximumBeforeLogin else {
                return fail(
                    SSHError(
                        .tooMuchOutput, operation: "",
                        reason: "it sent more than \(Self.maximumBeforeLogin) octets before the login"))
            }
        }
        session.callbacks.inbound.writeBuffer(&octets)
        pump()
        if session.callbacks.inbound.readableBytes > Self.maximumUnread {
            fail(SSHError(.tooMuchOutput, operation: "", reason: "it sends more than was requested"))
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pump()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        pump()
        end(connectionLost(nil))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(connectionLost(error))
        context.close(promise: nil)
    }

    private func connectionLost(_ error: (any Error)?) -> SSHError {
        let code = (error as? IOError)?.errnoCode
        let reason = session.callbacks.disconnectMessage.map { "the server closed the connection: \"\($0.text)\"" }
        return SSHError(
            .connectionLost, operation: "",
            reason: reason ?? (code == nil ? "the server closed the connection" : "the connection broke"),
            native: code.map { .errno($0) })
    }

    // MARK: - Operations

    /// Whether more of a document may be sent now.
    var canSend: Bool {
        guard session.callbacks.outbound.readableBytes < Self.outboundHighWaterMark else {
            isSendingPaused = true
            return false
        }
        return context?.channel.isWritable ?? false
    }

    func start(_ operation: any SSHOperation) {
        if let failure { return operation.connectionEnded(failure.during(operation.name)) }
        operations.append(operation)
        pump()
    }

    /// Lets one operation at a time open a channel. Returns whether it is this one, which keeps its turn until
    /// `endOpening`.
    func beginOpening(_ operation: any SSHOperation) -> Bool {
        if opener == nil { opener = operation }
        return opener === operation
    }

    func endOpening(_ operation: any SSHOperation) {
        if opener === operation { opener = nil }
    }

    /// Runs `work` once the socket has taken all that was written until now.
    func afterFlush(_ work: @escaping () -> Void) { flushWaiters.append(work) }

    /// Takes a channel that both sides have closed, and frees the one before it.
    func keepForReading(closed channel: OpaquePointer) {
        if let closedChannel { libssh2_channel_free(closedChannel) }
        closedChannel = channel
    }

    /// Takes in the octets that arrived, whichever channel they are for. Those for this channel stay where they are, so
    /// its window is not opened again.
    func read(through channel: OpaquePointer) throws(SSHError) {
        var space: CChar = 0
        let result = Int32(clamping: libssh2_channel_read_ex(channel, 0, &space, 0))
        if result < 0, SSHSession.isFatal(result) { throw session.failure("", result) }
    }

    /// Steps all operations until none gets further, then sends.
    func pump() {
        guard !isPumping else { return isPumpNeeded = true }
        guard failure == nil, context != nil else { return }
        isPumping = true
        var progress = true
        while progress, failure == nil {
            isPumpNeeded = false
            let waiting = session.callbacks.inbound.readableBytes
            progress = false
            for operation in operations where failure == nil && !operation.isOver {
                do throws(SSHError) {
                    if try operation.step(on: self) { progress = true }
                } catch {
                    fail(error.during(operation.name))
                }
            }
            operations.removeAll(where: \.isOver)
            if session.callbacks.inbound.readableBytes > 0, failure == nil { readUnrequested() }
            if session.callbacks.inbound.readableBytes < waiting || isPumpNeeded { progress = true }
            guard !progress else { continue }
            flush()
            // A full socket reports when it has room again.
            progress = isPumpNeeded || (isSendingPaused && (context?.channel.isWritable ?? false))
            isSendingPaused = false
        }
        isPumping = false
        flush()
    }

    /// Reads the server's own requests (its keep-alive, new keys) while no operation reads.
    private func readUnrequested() {
        guard let closedChannel else { return }
        do throws(SSHError) { try read(through: closedChannel) } catch { fail(error) }
    }

    private func flush() {
        guard let context, failure == nil else { return }
        let waiters = flushWaiters
        flushWaiters = []
        let count = session.callbacks.outbound.readableBytes
        guard count > 0 || !waiters.isEmpty else { return }
        let octets = session.callbacks.outbound
        session.callbacks.outbound = context.channel.allocator.buffer(capacity: 0)
        unsent += count
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [self] result in
            unsent -= count
            if case .success = result { waiters.forEach { $0() } }
        }
        context.writeAndFlush(wrapOutboundOut(octets), promise: sent)
        if unsent > Self.maximumUnsent {
            fail(SSHError(.tooMuchOutput, operation: "", reason: "it requests more responses than it reads"))
        }
    }

    // MARK: - The end

    /// Ends the connection.
    func fail(_ error: SSHError) {
        guard failure == nil else { return }
        end(error)
        context?.close(promise: nil)
    }

    private func end(_ error: SSHError) {
        guard failure == nil else { return }
        failure = error
        session.callbacks.isOver = true
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
