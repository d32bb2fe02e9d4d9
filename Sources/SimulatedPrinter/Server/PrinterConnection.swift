import IPPCodec
import NIOCore
import NIOHTTP1
import TLS

/// One HTTP connection to the printer. Requests come one after the other (the pipeline in front holds others back).
final class PrinterConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    let core: PrinterCore
    private var stage = RequestStage.none
    private var answers: AnswerWriter
    private var context: ChannelHandlerContext?

    init(core: PrinterCore) {
        self.core = core
        answers = AnswerWriter(core)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        core.connections[ObjectIdentifier(self)] = context.channel
    }

    func channelInactive(context: ChannelHandlerContext) {
        core.connections[ObjectIdentifier(self)] = nil
        core.waits[ObjectIdentifier(self)] = nil
        if case .document(let document) = stage { document.abandon(core) }
        stage = .none
        self.context = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Resets by clients and requests that are no HTTP; the pipeline has answered what can be answered.
        if let error = error as? TLSError, error.code != .truncated, error.code != .broken {
            core.report(.trouble("A client got no TLS connection: \(error.reason)"))
        }
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let buffer): take(buffer, context)
        case .end: end(context)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        answers.isKeepAlive = head.isKeepAlive
        stage = RequestStage(head, core)
        guard head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) else { return }
        guard stage.isRefusal else { return answers.writeContinue(head.version, context) }
        // The client may go on with its document or with another request: nobody can tell (RFC 9110 §10.1.1).
        answers.isKeepAlive = false
        answers.isEarly = true
        end(context)
    }

    private func take(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        switch stage {
        case .attributes(var decoder, let login):
            do throws(IPPDecodingError) {
                switch try decoder.feed(buffer.readableBytesUInt8Span) {
                case .needsMore: stage = .attributes(decoder, login: login)
                case .complete(let message, let index):
                    take(message, from: login)
                    take(buffer.dropping(index), context)
                }
            } catch {
                stage = .text(.badRequest, "\(error)\n")
            }
        case .document(let document): take(buffer, of: document, context)
        case .page(let page): page.take(buffer)
        case .none, .answer, .text, .challenge, .wait: break
        }
    }

    private func take(_ message: IPPMessage, from login: String?) {
        switch core.service.take(message, from: login, at: core.now) {
        case .answer(let answer): stage = .answer(answer)
        case .receive(let reception): stage = .document(IncomingDocument(reception))
        case .wait(let wait): stage = .wait(wait)
        }
        core.settle()
    }

    private func take(_ buffer: ByteBuffer, of document: IncomingDocument, _ context: ChannelHandlerContext) {
        guard buffer.readableBytes > 0 else { return }
        if let refusal = document.take(buffer, core) { stage = .answer(refusal) }
        core.slowDown(context.channel, after: buffer.readableBytes)
    }

    private func end(_ context: ChannelHandlerContext) {
        let ended = stage
        stage = .none
        switch ended {
        case .none: break
        case .attributes: answers.write(.badRequest, "The request ended before its attributes did.\n", context)
        case .answer(let message): answers.write(message, hasDocument: false, context)
        case .wait(let wait): core.wait(ObjectIdentifier(self), wait) { [weak self] in self?.writeLate($0) }
        case .text(let status, let text): answers.write(status, text, context)
        case .challenge(let challenges):
            let fields = challenges.map { ("www-authenticate", $0) }
            answers.write(.unauthorized, "This printer wants a login.\n", context, fields: HTTPHeaders(fields))
        case .page(let page): page.answer(with: answers, context)
        case .document(let document):
            let message = document.finish(core)
            guard !core.diesBeforeAnswer || document.isEmpty else { return core.losePower() }
            answers.write(message, hasDocument: !document.isEmpty, context)
        }
    }

    private func writeLate(_ message: IPPMessage) {
        if let context { answers.write(message, hasDocument: false, context) }
    }
}

extension ByteBuffer {
    /// What is left behind the first `count` readable bytes.
    fileprivate func dropping(_ count: Int) -> ByteBuffer {
        getSlice(at: readerIndex + count, length: max(0, readableBytes - count)) ?? ByteBuffer()
    }
}
