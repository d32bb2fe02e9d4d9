import KioskDurableFiles
import KioskPrintModel
import NIOCore
import NIOHTTP1
import NIOPosix

/// One request and its response on one connection: what was sent, what arrived, and when the exchange is over. No I/O.
///
/// The writes are the message (the head and the IPP attributes), then the document's chunks, in this order. A write
/// is confirmed when the socket took all of it. So the socket has taken at most the confirmed chunks and the one after
/// them, and no document byte before the message itself is confirmed.
struct HTTPExchange {
    enum Action {
        case none
        case completed(HTTPResponse, keepsConnection: Bool)
        case failed(HTTPFailure)
    }

    /// The document's size; nil while it is still being rendered.
    private var documentLength: Int64?
    private let timeouts: HTTPRequest.Timeouts
    private let began: NIODeadline
    private var lastProgress: NIODeadline

    /// Document bytes handed to the connection.
    private(set) var handed: Int64 = 0
    private var isMessageWritten = false
    private var written: Int64 = 0
    /// The lengths of the chunks that are handed over and not confirmed.
    private var unconfirmed = CircularBuffer<Int64>(initialCapacity: 4)

    private var head: HTTPResponseHead?
    private var body = ByteBuffer()
    private var isResponseComplete = false
    /// Whether a 1xx response is arriving, which is not the final one (RFC 9110 §15.2).
    private var isInterim = false
    /// The time until which the content waits for `100 Continue`.
    private var continueBy: NIODeadline?
    private var isOver = false
    /// Whether the next bytes of the document are still being rendered.
    private var awaitsDocument = false

    /// A client must not wait indefinitely for a `100 Continue` (RFC 9110 §10.1.1), since many servers never send it.
    private static let continueTimeout = TimeAmount.seconds(1)

    init(documentLength: Int64?, timeouts: HTTPRequest.Timeouts, expectsContinue: Bool = false, now: NIODeadline) {
        continueBy = expectsContinue ? now + Self.continueTimeout : nil
        self.documentLength = documentLength
        self.timeouts = timeouts
        began = now
        lastProgress = now
    }

    /// Whether more of the document is to be sent. A refusal ends the sending as soon as it begins to arrive (RFC 9112
    /// §9.3); a success does not, since a printer may respond before it has read the whole document (RFC 8010 §3).
    var wantsDocument: Bool { mayProceed && documentLength.map { handed < $0 } ?? true }

    /// Whether the message, and then the document, may be sent.
    var mayProceed: Bool { !isOver && !isRefused && continueBy == nil }

    /// Whether the content waits for `100 Continue`.
    var awaitsContinue: Bool { continueBy != nil }

    var responseBegan: Bool { head != nil }

    /// Document bytes that the socket has taken, at most.
    var documentBytes: Int64 { isMessageWritten ? written + (unconfirmed.first ?? 0) : 0 }

    /// Whether all was sent, and the whole response has arrived.
    var isComplete: Bool { isAllWritten && isResponseComplete }

    private var isAllWritten: Bool { isMessageWritten && written == documentLength }
    private var isRefused: Bool { head.map { $0.status.code >= 300 } ?? false }

    // Events on our side.

    /// Notes that a chunk was handed to the connection.
    mutating func hand(_ count: Int) {
        handed += Int64(count)
        unconfirmed.append(Int64(count))
    }

    /// Notes that the connection has room for bytes that are not rendered yet: until they are, the printer is not late.
    mutating func awaitDocument() { awaitsDocument = true }

    /// Notes that the awaited bytes are there.
    mutating func documentArrived(now: NIODeadline) {
        awaitsDocument = false
        lastProgress = now
    }

    /// Notes that a document of unknown size ends with what was handed over.
    mutating func documentEnded(now: NIODeadline) -> Action {
        documentArrived(now: now)
        documentLength = handed
        return progressed(now)
    }

    mutating func messageWritten(now: NIODeadline) -> Action {
        isMessageWritten = true
        return progressed(now)
    }

    mutating func chunkWritten(now: NIODeadline) -> Action {
        written += unconfirmed.popFirst() ?? 0
        return progressed(now)
    }

    private mutating func progressed(_ now: NIODeadline) -> Action {
        lastProgress = now
        return isResponseComplete ? complete() : .none
    }

    mutating func documentFailed(_ failure: DocumentFile.Failure) -> Action { fail(.document(failure)) }
    mutating func renderingFailed(_ failure: DocumentStreamFailure) -> Action { fail(.rendering(failure)) }
    mutating func cancelled() -> Action { fail(.cancelled) }

    // Events from the printer.

    mutating func received(_ head: HTTPResponseHead, now: NIODeadline) -> Action {
        lastProgress = now
        guard !isOver, self.head == nil else { return .none }
        isInterim = (100..<200).contains(head.status.code)
        // Any final status ends the wait for 100; a refusal ends the sending by itself.
        if head.status == .continue || !isInterim { continueBy = nil }
        if !isInterim { self.head = head }
        return .none
    }

    mutating func received(_ bytes: inout ByteBuffer, now: NIODeadline) -> Action {
        lastProgress = now
        guard !isOver, head != nil else { return .none }
        guard body.readableBytes + bytes.readableBytes <= timeouts.maximumResponseLength else {
            return fail(.malformed("its response is longer than \(timeouts.maximumResponseLength) bytes"))
        }
        if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
        return .none
    }

    mutating func receivedEnd(now: NIODeadline) -> Action {
        lastProgress = now
        guard !isOver, !isInterim, head != nil else { return .none }
        isResponseComplete = true
        return complete()
    }

    /// Ends the exchange with its connection. `nothingAccepted`: the printer's host closed it without having accepted a
    /// byte of the request.
    mutating func connectionEnded(_ cause: HTTPFailure.Cause, nothingAccepted: Bool) -> Action {
        if nothingAccepted, !responseBegan { isMessageWritten = false }
        return fail(cause)
    }

    private mutating func complete() -> Action {
        guard !isOver, let head else { return .none }
        let response = HTTPResponse(
            status: head.status, headers: head.headers, body: body, documentBytes: documentBytes)
        guard isAllWritten || !response.isSuccess else { return .none }
        isOver = true
        return .completed(response, keepsConnection: isAllWritten && head.isKeepAlive)
    }

    private mutating func fail(_ cause: HTTPFailure.Cause) -> Action {
        guard !isOver else { return .none }
        isOver = true
        var failure = HTTPFailure(
            cause: cause, documentBytes: documentBytes, nothingAccepted: !isMessageWritten && !responseBegan)
        if isResponseComplete, let head {
            failure.earlySuccess = HTTPResponse(status: head.status, headers: head.headers, body: body)
        }
        return .failed(failure)
    }

    // Time.

    /// The time at which `timePassed` is due.
    var deadline: NIODeadline {
        let isWaiting = awaitsDocument && unconfirmed.isEmpty && wantsDocument
        let silence = isWaiting ? .distantFuture : lastProgress + (isAllWritten ? timeouts.response : timeouts.stall)
        return min(continueBy ?? .distantFuture, silence, began + timeouts.total)
    }

    mutating func timePassed(now: NIODeadline) -> Action {
        guard now >= deadline else { return .none }
        if let continueBy, now >= continueBy {
            self.continueBy = nil
            guard now >= deadline else { return .none }
        }
        if now >= began + timeouts.total { return fail(.timedOut(.total)) }
        return fail(.timedOut(isAllWritten ? .response : .sending))
    }
}

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
    private var isReading = false
    /// The wait for the next bytes of a document that is being rendered.
    private var rendering: Task<Void, Never>?
    /// The document's size as the head announces it; nil for one that is sent in chunks.
    private let announcedLength: Int64?

    init(
        _ call: HTTPCall, _ request: HTTPRequest, context: ChannelHandlerContext, threadPool: NIOThreadPool,
        report: @escaping (HTTPExchange.Action) -> Void
    ) {
        self.call = call
        self.request = request
        self.context = context
        self.threadPool = threadPool
        self.report = report
        announcedLength = request.document.map(\.length) ?? 0
        exchange = HTTPExchange(
            documentLength: announcedLength, timeouts: request.timeouts,
            expectsContinue: request.expectsContinue, now: .now())
    }

    /// The time at which a timeout is due.
    var deadline: NIODeadline { exchange.deadline }

    /// Whether all was sent, and the whole response has arrived.
    var isComplete: Bool { exchange.isComplete }

    /// Whether the message and the document wait for `100 Continue`.
    var awaitsContinue: Bool { exchange.awaitsContinue }

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
        case .completed, .failed:
            isEnded = true
            rendering?.cancel()
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
        if let announcedLength {
            head.headers.add(name: "Content-Length", value: "\(Int64(request.message.count) + announcedLength)")
        } else {
            head.headers.add(name: "Transfer-Encoding", value: "chunked")
        }
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
        if announcedLength == 0 {
            context.writeAndFlush(Self.part(.end(nil)), promise: nil)
        }
    }

    /// Writes as much of the document as the connection has room for.
    private func sendDocument() {
        guard let document = request.document else { return }
        while context.channel.isWritable, exchange.wantsDocument {
            let offset = exchange.handed
            let count = Int(min(Int64(DocumentBody.chunkSize), (announcedLength ?? .max) - offset))
            switch document {
            case .bytes(let bytes):
                let start = Int(offset)
                writeChunk(context.channel.allocator.buffer(bytes: bytes[start..<start + count]))
            case .file(let file):
                return read(count, of: file, at: offset)
            case .stream(let stream):
                return read(count, of: stream, at: offset)
            }
        }
    }

    /// Waits for bytes that are being rendered. The exchange ends the wait with itself.
    private func read(_ count: Int, of stream: any DocumentStream, at offset: Int64) {
        guard !isReading else { return }
        isReading = true
        exchange.awaitDocument()
        let promise = context.eventLoop.makePromise(of: [UInt8].self)
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            isReading = false
            step { exchange in
                exchange.documentArrived(now: .now())
                return .none
            }
            guard !isEnded, exchange.wantsDocument else { return }
            switch result {
            case .success(let bytes) where bytes.isEmpty && announcedLength == nil:
                context.writeAndFlush(Self.part(.end(nil)), promise: nil)
                step { $0.documentEnded(now: .now()) }
            // It was rendered anew since its length was announced, and is another one.
            case .success(let bytes) where bytes.isEmpty:
                step { $0.cancelled() }
            case .success(let bytes):
                writeChunk(context.channel.allocator.buffer(bytes: bytes))
                sendDocument()
            case .failure(let failure as DocumentStreamFailure):
                step { $0.renderingFailed(failure) }
            case .failure:
                step { $0.cancelled() }
            }
        }
        rendering = promise.completeWithTask { try await stream.read(count, at: offset) }
    }

    private func read(_ count: Int, of file: DocumentFile, at offset: Int64) {
        guard !isReading else { return }
        isReading = true
        let allocator = context.channel.allocator
        threadPool.runIfActive(eventLoop: context.eventLoop) {
            Result { () throws(DocumentFile.Failure) in
                allocator.buffer(bytes: try file.read(count, at: offset))
            }
        }
        .assumeIsolated()
        .whenComplete { [self] result in
            isReading = false
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
        let isLast = exchange.handed == announcedLength
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
