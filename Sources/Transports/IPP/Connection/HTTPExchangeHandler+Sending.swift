import NIOCore
import NIOHTTP1
import NIOPosix
import PrintModel

// Members here are called on the event loop only.
extension HTTPExchangeHandler {
    /// Sends what may be sent now; called again whenever more may be.
    func goOn() {
        if let context, let request = running?.request, startMessage() { writeMessage(request, context: context) }
        if running?.isMessageHanded == true { sendDocument() }
    }

    /// Hands over the head, without a flush: the message and a small document share its write.
    func writeHead(_ request: HTTPRequest, context: ChannelHandlerContext) {
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: request.path)
        head.headers.reserveCapacity(6)
        head.headers.add(name: "Host", value: request.host)
        head.headers.add(name: "Content-Type", value: "application/ipp")
        head.headers.add(name: "Content-Length", value: "\(request.contentLength)")
        head.headers.add(name: "User-Agent", value: "kiosk-print-engine")
        if let authorization = request.authorization {
            head.headers.add(name: "Authorization", value: authorization.reveal())
        }
        if let option = request.connection { head.headers.add(name: "Connection", value: option.rawValue) }
        if request.expectsContinue { head.headers.add(name: "Expect", value: "100-continue") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    /// Hands over the IPP attributes.
    private func writeMessage(_ request: HTTPRequest, context: ChannelHandlerContext) {
        let message = context.channel.allocator.buffer(bytes: request.message)
        write(message, context: context) { $0.messageWritten(now: .now()) }
        if request.contentLength == request.message.count {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    /// Hands over as much of the document as the connection has room for.
    private func sendDocument() {
        guard let context, let request = running?.request, let document = request.document else { return }
        while context.channel.isWritable, let exchange = running?.exchange, exchange.wantsDocument {
            let count = Int(min(Int64(DocumentBody.chunkSize), document.length - exchange.handed))
            switch document {
            case .bytes(let bytes):
                let start = Int(exchange.handed)
                hand(
                    context.channel.allocator.buffer(bytes: bytes[start..<start + count]), of: request, context: context
                )
            case .file(let file):
                return read(count, of: file, at: exchange.handed)
            }
        }
    }

    private func read(_ count: Int, of file: DocumentFile, at offset: Int64) {
        guard let context, let call = startReading() else { return }
        let allocator = context.channel.allocator
        threadPool.runIfActive(eventLoop: context.eventLoop) {
            Result { () throws(DocumentFailure) in try file.read(count, at: offset, allocator: allocator) }
        }
        .assumeIsolated()
        .whenComplete { [self] result in
            guard endReading(for: call), let request = running?.request else { return }
            switch result {
            case .success(.success(let chunk)):
                hand(chunk, of: request, context: context)
                sendDocument()
            case .success(.failure(let failure)):
                step { $0.documentFailed(failure) }
            // The thread pool is shut down, and this transport with it.
            case .failure: shutDown()
            }
        }
    }

    func hand(_ chunk: ByteBuffer, of request: HTTPRequest, context: ChannelHandlerContext) {
        let isLast = noteHanded(chunk.readableBytes)
        write(chunk, context: context) { $0.chunkWritten(now: .now()) }
        if isLast { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
        context.flush()
    }

    private func write(
        _ bytes: ByteBuffer, context: ChannelHandlerContext,
        written: @escaping (inout HTTPExchange) -> HTTPExchange.Action
    ) {
        guard let call = currentCall else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { [self] in
            if currentCall === call { step(written) }
        }
        context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
    }
}
