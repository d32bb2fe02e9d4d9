import Digests
import IPPCodec
import NIOCore
import NIOHTTP1
import TLS

/// One HTTP connection to the printer. Requests come one after the other (the pipeline in front holds others back).
final class PrinterConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// A small printer's memory for the attributes of a request.
    private static let limits: IPPLimits = {
        var limits = IPPLimits()
        limits.messageBytes = 256 << 10
        limits.attributes = 4096
        limits.values = 16384
        return limits
    }()

    /// How long a client that was answered early may take to read that.
    private static let lingering = TimeAmount.seconds(2)

    /// Where the request at hand stands.
    private enum Stage {
        case none
        case attributes(IPPDecoder)
        case document(IncomingDocument)
        /// The answer comes when there is something to tell.
        case wait(NotificationWait)
        /// The answer is known; what still comes of the request is dropped.
        case answer(IPPMessage)
        case page(PageRequest)
        case text(HTTPResponseStatus, String)
        /// 401, with a WWW-Authenticate field each.
        case challenge([String])
    }

    let core: PrinterCore
    private var stage = Stage.none
    private var isKeepAlive = true
    /// The answer goes out before the request is read.
    private var isEarly = false
    /// Who has proven to be whom.
    private var login: String?
    private var context: ChannelHandlerContext?

    init(core: PrinterCore) { self.core = core }

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
        isKeepAlive = head.isKeepAlive
        stage = firstStage(head)
        guard head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) else { return }
        switch stage {
        case .text, .challenge:
            // The client may go on with its document or with another request: nobody can tell (RFC 9110 §10.1.1).
            isKeepAlive = false
            isEarly = true
            end(context)
        default:
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: .continue))), promise: nil)
        }
    }

    private func firstStage(_ head: HTTPRequestHead) -> Stage {
        let path = head.uri.prefix { $0 != "?" }
        let isPrinter = path == PrinterIdentity.path || path.hasPrefix("\(PrinterIdentity.path)/")
        guard head.method == .POST, isPrinter else { return .page(PageRequest(head)) }
        do throws(DigestError) {
            let fields = head.headers["authorization"]
            switch try core.loginCheck?.judge(fields, method: head.method.rawValue, uri: head.uri, at: core.now) {
            case .refused(let challenges): return .challenge(challenges)
            case .accepted(let user): login = user
            case nil: login = nil
            }
        } catch {
            return .text(.internalServerError, "\(error.message)\n")
        }
        let type = head.headers.first(name: "content-type")?.lowercased() ?? ""
        guard type.hasPrefix("application/ipp") else { return .text(.unsupportedMediaType, "Send application/ipp.\n") }
        return .attributes(IPPDecoder(limits: Self.limits))
    }

    private func take(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        switch stage {
        case .attributes(var decoder):
            do throws(IPPDecodingError) {
                switch try decoder.feed(buffer.readableBytesUInt8Span) {
                case .needsMore: stage = .attributes(decoder)
                case .complete(let message, let index):
                    take(message)
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

    private func take(_ message: IPPMessage) {
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
        guard core.trickle > .zero, context.channel.isActive else { return }
        pauseReading(for: core.trickle * (Double(buffer.readableBytes) / 1024), context)
    }

    /// Back-pressure: the client's bytes stay in the kernel meanwhile.
    private func pauseReading(for time: Duration, _ context: ChannelHandlerContext) {
        let options = context.channel.syncOptions
        try? options?.setOption(.autoRead, value: false)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: .milliseconds(max(1, time.milliseconds))) {
            channel.setOption(.autoRead, value: true).whenSuccess { channel.read() }
        }
    }

    private func end(_ context: ChannelHandlerContext) {
        let ended = stage
        stage = .none
        switch ended {
        case .none: break
        case .attributes: write(.badRequest, "The request ended before its attributes did.\n", context)
        case .answer(let message): write(message, hasDocument: false, context)
        case .wait(let wait): core.wait(ObjectIdentifier(self), wait) { [weak self] in self?.writeLate($0) }
        case .text(let status, let text): write(status, text, context)
        case .challenge(let challenges):
            let body = ByteBuffer(string: "This printer wants a login.\n")
            let fields = challenges.map { ("www-authenticate", $0) }
            write(.unauthorized, "text/plain; charset=utf-8", body, context, fields: HTTPHeaders(fields))
        case .page(let page): page.answer(on: self, context)
        case .document(let document):
            let message = document.finish(core)
            guard !core.diesBeforeAnswer || document.isEmpty else { return core.losePower() }
            write(message, hasDocument: !document.isEmpty, context)
        }
    }
}

// Answers.
extension PrinterConnection {
    private func writeLate(_ message: IPPMessage) {
        if let context { write(message, hasDocument: false, context) }
    }

    private func write(_ message: IPPMessage, hasDocument: Bool, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let bytes: [UInt8]
        do throws(IPPEncodingError) {
            bytes = try message.encoded()
        } catch {
            core.report(.trouble("\(error)"))
            return write(.internalServerError, "\(error)\n", context)
        }
        let body = context.channel.allocator.buffer(bytes: bytes)
        switch core.faults.next(hasDocument: hasDocument) {
        case nil: write(.ok, "application/ipp", body, context)
        case .garbage: write(.ok, "application/ipp", ByteBuffer(string: "<html>It works!</html>"), context)
        case .lose: core.reset(context.channel)
        case .mute: break
        case .half:
            writeHead(.ok, "application/ipp", length: body.readableBytes, context)
            let half = body.getSlice(at: body.readerIndex, length: body.readableBytes / 2) ?? ByteBuffer()
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(half)))).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    func write(_ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext) {
        write(status, "text/plain; charset=utf-8", ByteBuffer(string: text), context)
    }

    func write(
        _ status: HTTPResponseStatus, _ type: String, _ body: ByteBuffer, _ context: ChannelHandlerContext,
        fields: HTTPHeaders = [:]
    ) {
        writeHead(status, type, length: body.readableBytes, context, fields: fields)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard !isKeepAlive else { return }
        let channel = context.channel
        guard isEarly else { return written.whenComplete { _ in channel.close(promise: nil) } }
        // Closing on what is still coming would reset, and take the answer away with it (RFC 9112 §9.6).
        context.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
    }

    private func writeHead(
        _ status: HTTPResponseStatus, _ type: String, length: Int, _ context: ChannelHandlerContext, fields: HTTPHeaders = [:]
    ) {
        var headers: HTTPHeaders = [
            "content-type": type, "content-length": "\(length)", "connection": isKeepAlive ? "keep-alive" : "close",
        ]
        headers.add(contentsOf: fields)
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
    }
}

extension ByteBuffer {
    /// What is left behind the first `count` readable bytes.
    fileprivate func dropping(_ count: Int) -> ByteBuffer {
        getSlice(at: readerIndex + count, length: max(0, readableBytes - count)) ?? ByteBuffer()
    }
}
