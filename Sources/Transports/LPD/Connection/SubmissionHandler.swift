import KioskDurableFiles
import NIOCore

/// Submits one job over a connection: drives `LPDSubmission`. Lives on the connection's event loop.
final class SubmissionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// How long is waited for the daemon.
    struct Deadlines: Sendable {
        /// For the acknowledgement of an announcement or of the control file.
        var acknowledgement: Duration
        /// How long no octet of the document may be taken, and for the acknowledgement of the document. Printers that
        /// print what they receive answer when they have paper again.
        var document: Duration
        /// For the rest of a refusal, and for the daemon's end of the connection.
        var ending: Duration
    }

    private let channel: any Channel
    private var submission: LPDSubmission
    private let document: DocumentChunks
    private let deadlines: Deadlines
    /// Whether the daemon makes a job of what it has when the connection ends, so that the end is waited for.
    private let awaitsEnd: Bool
    private let progress: @Sendable (Int64) -> Void
    private let promise: EventLoopPromise<Void>
    private var timer: IdleTimer
    private var given: Int64 = 0
    private var phase = Phase.submitting

    private enum Phase {
        case submitting
        /// The daemon refused, and may say why.
        case refused(LPDFailure, text: [UInt8])
        /// The daemon has accepted the job.
        case accepted
        case over
    }

    private static let maximumRefusal = 512

    init(
        _ submission: LPDSubmission, of document: DocumentChunks, on channel: any Channel, deadlines: Deadlines,
        awaitsEnd: Bool, progress: @escaping @Sendable (Int64) -> Void, _ promise: EventLoopPromise<Void>
    ) {
        (self.submission, self.document, self.channel) = (submission, document, channel)
        (self.deadlines, self.awaitsEnd, self.progress) = (deadlines, awaitsEnd, progress)
        self.promise = promise
        timer = IdleTimer(channel.eventLoop)
    }

    // MARK: Sending

    func handlerAdded(context: ChannelHandlerContext) {
        guard channel.isActive else { return fail(.lost("the connection was closed", errno: nil)) }
        perform(submission.start())
    }

    private func perform(_ action: LPDSubmission.Action) {
        switch action {
        case .send(let bytes):
            write(channel.allocator.buffer(bytes: bytes))
            awaitOctet()
        case .sendDocument: sendDocument()
        case .accepted: finish()
        case .refused(let step, let octet):
            awaitReason(of: failure(.refused(step, octet: octet, text: "")))
        case .premature: fail(.violated("it acknowledged what it had not got yet"))
        }
    }

    private func write(_ buffer: ByteBuffer) {
        channel.writeAndFlush(buffer).assumeIsolated().whenFailure { self.fail(LPDFailure($0).reason) }
    }

    private func awaitOctet() {
        let time = submission.step == .dataFile ? deadlines.document : deadlines.acknowledgement
        timer.start(time) { self.fail(.timedOut(time)) }
    }

    /// Sends the rest of the document, a chunk after the other.
    private func sendDocument() {
        guard case .submitting = phase else { return }
        guard given < document.length else { return perform(submission.documentSent()) }
        timer.start(deadlines.document) { self.fail(.timedOut(self.deadlines.document)) }
        document.chunk(at: given, on: channel.eventLoop).assumeIsolated().whenComplete { result in
            guard case .submitting = self.phase else { return }
            switch result {
            case .success(let chunk): self.send(chunk)
            case .failure(let error as DocumentFile.Failure): self.fail(.unreadable(error))
            case .failure(let error): self.fail(LPDFailure(error).reason)
            }
        }
    }

    private func send(_ chunk: ByteBuffer) {
        given += Int64(chunk.readableBytes)
        channel.writeAndFlush(chunk).assumeIsolated().whenComplete { result in
            switch result {
            case .success:
                if case .submitting = self.phase { self.progress(self.given) }
                // Not from here: the kernel may take all at once, and each chunk would deepen the stack.
                self.channel.eventLoop.assumeIsolated().execute { self.sendDocument() }
            case .failure(let error): self.fail(LPDFailure(error).reason)
            }
        }
    }

    // MARK: Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for octet in unwrapInboundIn(data).readableBytesView {
            switch phase {
            case .submitting: perform(submission.receive(octet))
            case .refused(let failure, var text):
                guard text.count < Self.maximumRefusal else { return endRefusal() }
                text.append(octet)
                phase = .refused(failure, text: text)
            case .accepted, .over: return
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            end("the daemon closed the connection")
        } else if event is GiveUp {
            switch phase {
            case .submitting: fail(.cancelled)
            case .refused: endRefusal()
            // It has the job.
            case .accepted: succeed()
            case .over: break
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .accepted = phase { return succeed() }
        if case .refused = phase { return endRefusal() }
        fail(LPDFailure(error).reason)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end("the connection was closed")
        context.fireChannelInactive()
    }

    // MARK: Ending

    private func end(_ what: String) {
        switch phase {
        case .submitting: fail(.lost(what, errno: nil))
        case .refused: endRefusal()
        case .accepted: succeed()
        case .over: channel.close(promise: nil)
        }
    }

    /// The daemon has the job. Says that no more follows, and reads on until the daemon closes: a socket that is closed
    /// with octets unread would reset the connection.
    private func finish() {
        phase = .accepted
        channel.close(mode: .output, promise: nil)
        timer.start(deadlines.ending) {
            self.succeed()
            self.channel.close(promise: nil)
        }
        if !awaitsEnd { promise.succeed() }
    }

    private func succeed() {
        phase = .over
        timer.stop()
        promise.succeed()
        channel.close(promise: nil)
    }

    /// LPRng tells the reason behind the octet.
    private func awaitReason(of failure: LPDFailure) {
        phase = .refused(failure, text: [])
        timer.start(deadlines.ending) { self.endRefusal() }
    }

    private func endRefusal() {
        guard case .refused(var failure, let text) = phase else { return }
        if case .refused(let step, let octet, _) = failure.reason {
            failure.reason = .refused(step, octet: octet, text: String(decoding: text, as: UTF8.self))
        }
        phase = .over
        timer.stop()
        promise.fail(failure)
        channel.close(promise: nil)
    }

    private func failure(_ reason: LPDFailure.Reason) -> LPDFailure {
        var failure = LPDFailure(reason)
        failure.step = submission.step
        failure.given = given
        return failure
    }

    /// Gives the connection up: the daemon discards what it has of the job, as far as it can.
    private func fail(_ reason: LPDFailure.Reason) {
        guard case .submitting = phase else { return }
        phase = .over
        timer.stop()
        promise.fail(failure(reason))
        channel.reset()
    }
}
