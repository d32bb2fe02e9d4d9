import CLibSSH2
import NIOCore

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

    /// Takes in what came, whomever it is for. What comes for this channel stays where it is, so its window is not
    /// opened again.
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
        do throws(SSHError) { try read(through: post) } catch { fail(error) }
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

    func end(_ error: SSHError) {
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
