import KioskDigests
import KioskIPPCodec
import KioskTLS
import NIOCore
import NIOHTTP1

/// One HTTP connection to the printer. Requests come one after the other: the pipeline in front holds others back.
final class PrinterConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: PrinterServer
    private var request = RequestState.none
    private var writer: ResponseWriter
    private var context: ChannelHandlerContext?

    init(server: PrinterServer) {
        self.server = server
        writer = ResponseWriter(server)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        server.listener.add(ObjectIdentifier(self), context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
        server.listener.remove(ObjectIdentifier(self))
        server.cancelWait(for: ObjectIdentifier(self))
        if case .document(let document) = request { document.abandon() }
        request = .none
        self.context = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The rest are resets by clients and requests that are not HTTP, to which the pipeline has responded.
        if let error = error as? TLSError, error.code != .truncated, error.code != .broken {
            server.report(.failure("The TLS connection of a client failed: \(error.reason)"))
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
        case .body(let buffer): receive(buffer, context)
        case .end: end(context)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        writer.isKeepAlive = head.isKeepAlive
        request = RequestState(head, server)
        guard head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) else { return }
        guard request.isRejection else { return writer.writeContinue(head.version, context) }
        // The client may go on with its document or with another request: nobody can tell (RFC 9110 §10.1.1).
        writer.isKeepAlive = false
        writer.isEarly = true
        end(context)
    }

    private func receive(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        switch request {
        case .attributes(var decoder, let login):
            do throws(IPPDecodingError) {
                switch try decoder.feed(buffer.readableBytesUInt8Span) {
                case .needsMore: request = .attributes(decoder, login: login)
                case .complete(let message, let index):
                    handle(message, from: login)
                    receive(buffer.dropping(index), context)
                }
            } catch {
                request = .text(.badRequest, "\(error)\n")
            }
        case .document(let document): receive(buffer, of: document, context)
        case .web(let request): request.receive(buffer)
        case .none, .response, .text, .challenge, .wait, .ignored: break
        }
    }

    private func handle(_ message: IPPMessage, from login: String?) {
        switch server.handle(message, from: login) {
        case .respond(let response): request = .response(response)
        case .receive(let document): request = .document(IncomingDocument(document, server))
        case .wait(let wait): request = .wait(wait)
        case .ignore: request = .ignored
        }
    }

    private func receive(_ buffer: ByteBuffer, of document: IncomingDocument, _ context: ChannelHandlerContext) {
        guard buffer.readableBytes > 0 else { return }
        if let rejection = document.receive(buffer) { request = .response(rejection) }
        server.pauseReading(context.channel, after: buffer.readableBytes)
    }

    private func end(_ context: ChannelHandlerContext) {
        let ended = request
        request = .none
        switch ended {
        case .none, .ignored: break
        case .attributes: writer.write(.badRequest, "The request ended before its attributes did.\n", context)
        case .response(let message): writer.write(message, hasDocument: false, context)
        case .wait(let wait):
            server.wait(wait, for: ObjectIdentifier(self)) { [weak self] in self?.writeDelayed($0) }
        case .text(let status, let text): writer.write(status, text, context)
        case .challenge(let challenges):
            let fields = challenges.map { ("www-authenticate", $0) }
            writer.write(.unauthorized, "This printer requires a login.\n", context, fields: HTTPHeaders(fields))
        case .web(let request): request.respond(with: writer, context)
        case .document(let document):
            let message = document.finish()
            guard !server.losesPowerBeforeResponse || document.isEmpty else { return server.losePower() }
            writer.write(message, hasDocument: !document.isEmpty, context)
        }
    }

    private func writeDelayed(_ message: IPPMessage) {
        if let context { writer.write(message, hasDocument: false, context) }
    }
}

/// The state of a connection's current request.
private enum RequestState {
    case none
    /// `login` is the authenticated user.
    case attributes(IPPDecoder, login: String?)
    case document(IncomingDocument)
    /// The response waits for an event.
    case wait(EventWait)
    /// There is no response; the rest of the request is discarded.
    case ignored
    /// The response is known; the rest of the request is discarded.
    case response(IPPMessage)
    case web(WebRequest)
    case text(HTTPResponseStatus, String)
    /// 401, with a WWW-Authenticate field for each challenge.
    case challenge([String])

    /// A small printer's memory for the attributes of a request.
    private static let limits: IPPLimits = {
        var limits = IPPLimits()
        limits.messageBytes = 256 << 10
        limits.attributes = 4096
        limits.values = 16384
        return limits
    }()

    /// The state after a request's head.
    init(_ head: HTTPRequestHead, _ server: PrinterServer) {
        let path = head.uri.prefix { $0 != "?" }
        let isPrinter = path == PrinterIdentity.path || path.hasPrefix("\(PrinterIdentity.path)/")
        guard head.method == .POST, isPrinter else {
            self = .web(WebRequest(head))
            return
        }
        do throws(DigestError) {
            switch try server.authenticate(head) {
            case .refused(let challenges): self = .challenge(challenges)
            case .accepted(let user): self = Self.attributes(head, login: user)
            case nil: self = Self.attributes(head, login: nil)
            }
        } catch {
            self = .text(.internalServerError, "\(error.message)\n")
        }
    }

    private static func attributes(_ head: HTTPRequestHead, login: String?) -> RequestState {
        let type = head.headers.first(name: "content-type")?.lowercased() ?? ""
        guard type.hasPrefix("application/ipp") else { return .text(.unsupportedMediaType, "Send application/ipp.\n") }
        return .attributes(IPPDecoder(limits: limits), login: login)
    }

    /// Whether the response is known before any of the request's body.
    var isRejection: Bool {
        switch self {
        case .text, .challenge: true
        default: false
        }
    }
}

extension ByteBuffer {
    /// What follows the first `count` readable bytes.
    fileprivate func dropping(_ count: Int) -> ByteBuffer {
        getSlice(at: readerIndex + count, length: max(0, readableBytes - count)) ?? ByteBuffer()
    }
}
