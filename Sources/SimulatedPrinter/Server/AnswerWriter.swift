import IPPCodec
import NIOCore
import NIOHTTP1

/// Writes the answer to one request, as truly as the printer's faults let it.
struct AnswerWriter {
    /// How long a client that was answered early may take to read that.
    private static let lingering = TimeAmount.seconds(2)

    let core: PrinterCore
    var isKeepAlive = true
    /// The answer goes out before the request is read.
    var isEarly = false

    init(_ core: PrinterCore) { self.core = core }

    /// `hasDocument`: the request brought one.
    func write(_ message: IPPMessage, hasDocument: Bool, _ context: ChannelHandlerContext) {
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
        // Closing on what is still coming would reset, and take the answer away with it (RFC 9112 §9.6).
        context.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
    }

    /// 100: the client may send its document.
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
