import KioskIPPCodec
import NIOCore
import NIOHTTP1

/// Writes the responses of one connection, with the faults that were injected.
struct ResponseWriter {
    /// How long a client may take to read a response that was sent before the end of its request.
    private static let lingerTime = TimeAmount.seconds(2)

    let server: PrinterServer
    var isKeepAlive = true
    /// Whether the response goes out before the request is read.
    var isEarly = false

    init(_ server: PrinterServer) { self.server = server }

    /// Writes an IPP response. `hasDocument`: whether the request brought a document.
    func write(_ message: IPPMessage, hasDocument: Bool, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let bytes: [UInt8]
        do throws(IPPEncodingError) {
            bytes = try message.encoded()
        } catch {
            server.report(.failure("\(error)"))
            return write(.internalServerError, "\(error)\n", context)
        }
        let body = context.channel.allocator.buffer(bytes: bytes)
        switch server.nextFault(hasDocument: hasDocument) {
        case nil: write(.ok, "application/ipp", body, context)
        case .garbage: write(.ok, "application/ipp", ByteBuffer(string: "<html>It works!</html>"), context)
        case .lose: server.listener.reset(context.channel)
        case .mute: break
        case .half:
            writeHead(.ok, "application/ipp", length: body.readableBytes, context)
            let half = body.getSlice(at: body.readerIndex, length: body.readableBytes / 2) ?? ByteBuffer()
            let channel = context.channel
            write(.body(.byteBuffer(half)), context).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    func write(
        _ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext, fields: HTTPHeaders = [:]
    ) {
        write(status, "text/plain; charset=utf-8", ByteBuffer(string: text), context, fields: fields)
    }

    func write(
        _ status: HTTPResponseStatus, _ type: String, _ body: ByteBuffer, _ context: ChannelHandlerContext,
        fields: HTTPHeaders = [:]
    ) {
        writeHead(status, type, length: body.readableBytes, context, fields: fields)
        context.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(body))), promise: nil)
        let written = write(.end(nil), context)
        guard !isKeepAlive else { return }
        let channel = context.channel
        guard isEarly else { return written.whenComplete { _ in channel.close(promise: nil) } }
        // Closing while bytes still arrive would reset the connection, and the response with it (RFC 9112 §9.6).
        context.eventLoop.scheduleTask(in: Self.lingerTime) { channel.close(promise: nil) }
    }

    /// Writes 100 Continue: the client may send its document.
    func writeContinue(_ version: HTTPVersion, _ context: ChannelHandlerContext) {
        _ = write(.head(HTTPResponseHead(version: version, status: .continue)), context)
    }

    private func writeHead(
        _ status: HTTPResponseStatus, _ type: String, length: Int, _ context: ChannelHandlerContext,
        fields: HTTPHeaders = [:]
    ) {
        var headers: HTTPHeaders = [
            "content-type": type, "content-length": "\(length)", "connection": isKeepAlive ? "keep-alive" : "close",
        ]
        headers.add(contentsOf: fields)
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
    }

    private func write(_ part: HTTPServerResponsePart, _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        context.writeAndFlush(NIOAny(part))
    }
}

/// The faults of the responses to come, in the order of their injection.
struct ResponseFaultQueue {
    private var pending: [(fault: ResponseFault, count: Int, documentsOnly: Bool)] = []

    mutating func add(_ fault: ResponseFault, count: Int, documentsOnly: Bool) {
        if count > 0 { pending.append((fault, count, documentsOnly)) }
    }

    /// The number of faults that no response has had yet.
    var count: Int { pending.reduce(0) { $0 + $1.count } }

    /// Removes and returns the fault of the next response, if any.
    mutating func next(hasDocument: Bool) -> ResponseFault? {
        guard let index = pending.firstIndex(where: { hasDocument || !$0.documentsOnly }) else { return nil }
        let fault = pending[index].fault
        pending[index].count -= 1
        if pending[index].count == 0 { pending.remove(at: index) }
        return fault
    }
}
