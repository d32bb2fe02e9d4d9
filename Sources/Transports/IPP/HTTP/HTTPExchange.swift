import DurableFiles
import NIOCore
import NIOHTTP1

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

    private let documentLength: Int64
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

    /// A client must not wait indefinitely for a `100 Continue` (RFC 9110 §10.1.1), since many servers never send it.
    private static let continueTimeout = TimeAmount.seconds(1)

    init(documentLength: Int64, timeouts: HTTPRequest.Timeouts, expectsContinue: Bool = false, now: NIODeadline) {
        continueBy = expectsContinue ? now + Self.continueTimeout : nil
        self.documentLength = documentLength
        self.timeouts = timeouts
        began = now
        lastProgress = now
    }

    /// Whether more of the document is to be sent. A refusal ends the sending as soon as it begins to arrive (RFC 9112
    /// §9.3); a success does not, since a printer may respond before it has read the whole document (RFC 8010 §3).
    var wantsDocument: Bool { mayProceed && handed < documentLength }

    /// Whether the message, and then the document, may be sent.
    var mayProceed: Bool { !isOver && !isRefused && continueBy == nil }

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

    /// Ends the exchange with its connection. `nothingTaken`: the printer's host closed it without having taken a byte
    /// of the request.
    mutating func connectionEnded(_ cause: HTTPFailure.Cause, nothingTaken: Bool) -> Action {
        if nothingTaken, !responseBegan { isMessageWritten = false }
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
            cause: cause, documentBytes: documentBytes, nothingTaken: !isMessageWritten && !responseBegan)
        if isResponseComplete, let head {
            failure.earlySuccess = HTTPResponse(status: head.status, headers: head.headers, body: body)
        }
        return .failed(failure)
    }

    // Time.

    /// The time at which `timePassed` is due.
    var deadline: NIODeadline {
        min(
            continueBy ?? .distantFuture, lastProgress + (isAllWritten ? timeouts.response : timeouts.stall),
            began + timeouts.total)
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
