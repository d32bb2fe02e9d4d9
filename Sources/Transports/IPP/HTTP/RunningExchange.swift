import DurableFiles
import NIOCore
import NIOHTTP1
import NIOPosix
import PrintModel

/// The driver of one exchange: writes its request to the channel, and hands all events to its `HTTPExchange`.
///
/// Not Sendable: every member is used on the channel's event loop only.
final class RunningExchange {
    let call: HTTPCall
    let request: HTTPRequest
    private let context: ChannelHandlerContext
    private let threadPool: NIOThreadPool
    /// Called after each event with what follows from it; the last call is the one that ends the exchange.
    private let report: (HTTPExchange.Action) -> Void
    private var exchange: HTTPExchange
    private var isEnded = false
    /// A request that waits for `100 Continue` begins with the head alone.
    private var isHeadWritten = false
    private var isMessageWritten = false
    private var isReadingFile = false

    init(
        _ call: HTTPCall, _ request: HTTPRequest, context: ChannelHandlerContext, threadPool: NIOThreadPool,
        report: @escaping (HTTPExchange.Action) -> Void
    ) {
        self.call = call
        self.request = request
        self.context = context
        self.threadPool = threadPool
        self.report = report
        exchange = HTTPExchange(
            documentLength: request.document?.length ?? 0, timeouts: request.timeouts,
            expectsContinue: request.expectsContinue, now: .now())
    }

    /// The time at which a timeout is due.
    var deadline: NIODeadline { exchange.deadline }

    /// Whether all was sent, and the whole response has arrived.
    var isComplete: Bool { exchange.isComplete }

    /// Writes the head, and all that may follow at once.
    func start() {
        isHeadWritten = true
        writeHead()
        if request.expectsContinue { context.flush() }
        proceed()
    }

    /// Hands an event to the exchange, unless it is over.
    func step(_ event: (inout HTTPExchange) -> HTTPExchange.Action) {
        guard !isEnded else { return }
        let action = event(&exchange)
        switch action {
        case .none: break
        case .completed, .failed: isEnded = true
        }
        report(action)
    }

    /// Sends what may be sent now; called again whenever more may be.
    func proceed() {
        if isHeadWritten, !isMessageWritten, exchange.mayProceed {
            isMessageWritten = true
            writeMessage()
        }
        if isMessageWritten { sendDocument() }
    }

    /// Writes the head without a flush, so that the message and a small document share its system call.
    private func writeHead() {
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
        context.write(Self.part(.head(head)), promise: nil)
    }

    /// Writes the IPP attributes.
    private func writeMessage() {
        let message = context.channel.allocator.buffer(bytes: request.message)
        write(message) { $0.messageWritten(now: .now()) }
        if request.contentLength == request.message.count {
            context.writeAndFlush(Self.part(.end(nil)), promise: nil)
        }
    }

    /// Writes as much of the document as the connection has room for.
    private func sendDocument() {
        guard let document = request.document else { return }
        while context.channel.isWritable, exchange.wantsDocument {
            let offset = exchange.handed
            let count = Int(min(Int64(DocumentBody.chunkSize), document.length - offset))
            switch document {
            case .bytes(let bytes):
                let start = Int(offset)
                writeChunk(context.channel.allocator.buffer(bytes: bytes[start..<start + count]))
            case .file(let file):
                return read(count, of: file, at: offset)
            }
        }
    }

    private func read(_ count: Int, of file: DocumentFile, at offset: Int64) {
        guard !isReadingFile else { return }
        isReadingFile = true
        let allocator = context.channel.allocator
        threadPool.runIfActive(eventLoop: context.eventLoop) {
            Result { () throws(DocumentFile.Failure) in
                allocator.buffer(bytes: try file.read(count, at: offset))
            }
        }
        .assumeIsolated()
        .whenComplete { [self] result in
            isReadingFile = false
            guard !isEnded, exchange.wantsDocument else { return }
            switch result {
            case .success(.success(let chunk)):
                writeChunk(chunk)
                sendDocument()
            case .success(.failure(let failure)):
                step { $0.documentFailed(failure) }
            // The thread pool is shut down, and this transport with it.
            case .failure:
                step { $0.cancelled() }
            }
        }
    }

    private func writeChunk(_ chunk: ByteBuffer) {
        exchange.hand(chunk.readableBytes)
        request.onSending?(exchange.handed)
        let isLast = exchange.handed == request.document?.length
        write(chunk) { $0.chunkWritten(now: .now()) }
        if isLast { context.write(Self.part(.end(nil)), promise: nil) }
        context.flush()
    }

    /// Writes bytes of the body; `written` is the event once the socket has taken all of them.
    private func write(_ bytes: ByteBuffer, written: @escaping (inout HTTPExchange) -> HTTPExchange.Action) {
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { [self] in step(written) }
        context.write(Self.part(.body(.byteBuffer(bytes))), promise: promise)
    }

    private static func part(_ part: HTTPClientRequestPart) -> NIOAny { NIOAny(part) }
}
