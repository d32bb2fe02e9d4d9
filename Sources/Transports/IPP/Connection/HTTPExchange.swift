import NIOCore
import NIOHTTP1

/// One request and its response on one connection: what was sent, what came, and when it is over. No I/O.
///
/// The writes are the message (the head and the IPP attributes), then the document's chunks, in this order. A write
/// is confirmed when the socket took all of it, so of the document the socket has taken at most the confirmed chunks
/// and the one after them, and nothing before the message itself is confirmed.
struct HTTPExchange {
    enum Action {
        case none
        case answered(HTTPAnswer, keepsConnection: Bool)
        case failed(HTTPFailure)
    }

    private let documentLength: Int64
    private let patience: HTTPRequest.Patience
    private let began: NIODeadline
    private var lastMove: NIODeadline

    /// Document bytes handed to the connection.
    private(set) var handed: Int64 = 0
    private var isMessageWritten = false
    private var written: Int64 = 0
    private var waiting = CircularBuffer<Int64>(initialCapacity: 4)

    private var head: HTTPResponseHead?
    private var body = ByteBuffer()
    private var isAnswerWhole = false
    /// A 1xx response is under way, which is no answer (RFC 9110 §15.2).
    private var isInterim = false
    /// Until when the content waits for `100 Continue`.
    private var continueBy: NIODeadline?
    private var isOver = false

    /// RFC 9110 §10.1.1: nobody waits for a `100 Continue` without end, since many servers never send it.
    private static let continuePatience = TimeAmount.seconds(1)

    init(documentLength: Int64, patience: HTTPRequest.Patience, expectsContinue: Bool = false, now: NIODeadline) {
        continueBy = expectsContinue ? now + Self.continuePatience : nil
        self.documentLength = documentLength
        self.patience = patience
        began = now
        lastMove = now
    }

    /// Whether document bytes are still to be handed over. A refusal that began to arrive ends the sending at once
    /// (RFC 9112 §9.3); a success does not, since a printer may answer before it read the whole document (RFC 8010 §3).
    var wantsDocument: Bool { mayProceed && handed < documentLength }

    /// Whether the message, and then the document, may be sent.
    var mayProceed: Bool { !isOver && !isRefused && continueBy == nil }

    var answerBegan: Bool { head != nil }

    /// Document bytes that the socket has taken, at most.
    var documentBytes: Int64 { isMessageWritten ? written + (waiting.first ?? 0) : 0 }

    /// Whether all was sent, and all of the answer has come.
    var isWhole: Bool { isAllWritten && isAnswerWhole }

    private var isAllWritten: Bool { isMessageWritten && written == documentLength }
    private var isRefused: Bool { head.map { $0.status.code >= 300 } ?? false }
}

// What happens on our side.
extension HTTPExchange {
    mutating func hand(_ count: Int) {
        handed += Int64(count)
        waiting.append(Int64(count))
    }

    mutating func messageWritten(now: NIODeadline) -> Action {
        isMessageWritten = true
        return moved(now)
    }

    mutating func chunkWritten(now: NIODeadline) -> Action {
        written += waiting.popFirst() ?? 0
        return moved(now)
    }

    private mutating func moved(_ now: NIODeadline) -> Action {
        lastMove = now
        return isAnswerWhole ? finishAnswer() : .none
    }

    mutating func documentFailed(_ failure: DocumentFailure) -> Action { fail(.document(failure)) }
    mutating func cancelled() -> Action { fail(.cancelled) }
}

// What comes from the printer.
extension HTTPExchange {
    mutating func received(_ head: HTTPResponseHead, now: NIODeadline) -> Action {
        lastMove = now
        guard !isOver, self.head == nil else { return .none }
        isInterim = (100..<200).contains(head.status.code)
        // Whatever it is, nothing more than it is waited for; what refuses ends the sending by itself.
        if head.status == .continue || !isInterim { continueBy = nil }
        if !isInterim { self.head = head }
        return .none
    }

    mutating func received(_ bytes: inout ByteBuffer, now: NIODeadline) -> Action {
        lastMove = now
        guard !isOver, head != nil else { return .none }
        guard body.readableBytes + bytes.readableBytes <= patience.longestAnswer else {
            return fail(.malformed("its answer is longer than \(patience.longestAnswer) bytes"))
        }
        if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
        return .none
    }

    mutating func receivedEnd(now: NIODeadline) -> Action {
        lastMove = now
        guard !isOver, !isInterim, head != nil else { return .none }
        isAnswerWhole = true
        return finishAnswer()
    }

    /// The connection is gone. `nothingTaken`: the printer's host closed it without having taken a byte of the request.
    mutating func connectionEnded(_ cause: HTTPFailure.Cause, nothingTaken: Bool) -> Action {
        if nothingTaken, !answerBegan { isMessageWritten = false }
        return fail(cause)
    }

    private mutating func finishAnswer() -> Action {
        guard !isOver, let head else { return .none }
        let answer = HTTPAnswer(status: head.status, headers: head.headers, body: body, documentBytes: documentBytes)
        guard isAllWritten || !answer.isSuccess else { return .none }
        isOver = true
        return .answered(answer, keepsConnection: isAllWritten && head.isKeepAlive)
    }

    private mutating func fail(_ cause: HTTPFailure.Cause) -> Action {
        guard !isOver else { return .none }
        isOver = true
        var failure = HTTPFailure(
            cause: cause, documentBytes: documentBytes, nothingTaken: !isMessageWritten && !answerBegan)
        if isAnswerWhole, let head {
            failure.earlySuccess = HTTPAnswer(status: head.status, headers: head.headers, body: body)
        }
        return .failed(failure)
    }
}

// Time.
extension HTTPExchange {
    /// When to look at the clock again.
    var deadline: NIODeadline {
        min(
            continueBy ?? .distantFuture, lastMove + (isAllWritten ? patience.answer : patience.stall),
            began + patience.total)
    }

    mutating func timePassed(now: NIODeadline) -> Action {
        guard now >= deadline else { return .none }
        if let continueBy, now >= continueBy {
            self.continueBy = nil
            guard now >= deadline else { return .none }
        }
        if now >= began + patience.total { return fail(.timedOut(.total)) }
        return fail(.timedOut(isAllWritten ? .answer : .sending))
    }
}
