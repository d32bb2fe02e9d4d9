import KioskIPPCodec
import NIOCore
import NIOHTTP1
import Testing

@testable import KioskIPP

@Suite struct HTTPExchangeTests {
    private let timeouts = HTTPRequest.Timeouts(
        stall: .seconds(10), response: .seconds(5), total: .seconds(100), maximumResponseLength: 1000)
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func exchange(_ length: Int64 = 300) -> HTTPExchange {
        HTTPExchange(documentLength: length, timeouts: timeouts, now: start)
    }

    private func head(_ status: HTTPResponseStatus = .ok) -> HTTPResponseHead {
        HTTPResponseHead(version: .http1_1, status: status)
    }

    /// The action that follows a response with this IPP status.
    private func respond(_ exchange: inout HTTPExchange, _ status: IPPStatus = .successfulOk) -> HTTPExchange.Action {
        var body = ByteBuffer(bytes: [2, 0, UInt8(status.rawValue >> 8), UInt8(status.rawValue & 255), 0, 0, 0, 1, 3])
        _ = exchange.received(head(), now: start)
        _ = exchange.received(&body, now: start)
        return exchange.receivedEnd(now: start)
    }

    private func failed(_ action: HTTPExchange.Action) -> HTTPFailure? {
        if case .failed(let failure) = action { failure } else { nil }
    }

    @Test func `no document byte counts before the message itself is written`() {
        var exchange = exchange()
        exchange.hand(100)
        #expect(exchange.documentBytes == 0)
        _ = exchange.messageWritten(now: start)
        #expect(exchange.documentBytes == 100)
    }

    @Test func `of chunks that wait the first may be half written, the others not at all`() {
        var exchange = exchange()
        _ = exchange.messageWritten(now: start)
        for _ in 0..<3 { exchange.hand(100) }
        #expect(exchange.documentBytes == 100)
        _ = exchange.chunkWritten(now: start)
        #expect(exchange.documentBytes == 200)
    }

    @Test func `a failure counts what the socket may have taken`() throws {
        var exchange = exchange()
        _ = exchange.messageWritten(now: start)
        exchange.hand(100)
        let action = exchange.connectionEnded(.closedEarly, nothingAccepted: false)
        let failure = try #require(failed(action))
        #expect(failure.documentBytes == 100)
        #expect(!failure.nothingAccepted)
    }

    @Test func `a close without any acknowledgement took nothing`() throws {
        var exchange = exchange()
        _ = exchange.messageWritten(now: start)
        exchange.hand(300)
        _ = exchange.chunkWritten(now: start)
        let action = exchange.connectionEnded(.closedEarly, nothingAccepted: true)
        let failure = try #require(failed(action))
        #expect(failure.documentBytes == 0)
        #expect(failure.nothingAccepted)
    }

    @Test func `a response that began proves that something was taken`() throws {
        var exchange = exchange(0)
        _ = exchange.messageWritten(now: start)
        _ = exchange.received(head(), now: start)
        let action = exchange.connectionEnded(.closedEarly, nothingAccepted: true)
        let failure = try #require(failed(action))
        #expect(!failure.nothingAccepted)
    }

    @Test func `a whole response to a whole request keeps the connection`() throws {
        var exchange = exchange()
        _ = exchange.messageWritten(now: start)
        exchange.hand(300)
        _ = exchange.chunkWritten(now: start)
        guard case .completed(let response, let keeps) = respond(&exchange) else {
            Issue.record("no response")
            return
        }
        #expect(keeps)
        #expect(response.documentBytes == 300)
    }

    @Test func `a refusal in the middle ends the exchange and the connection`() {
        var exchange = exchange()
        _ = exchange.messageWritten(now: start)
        exchange.hand(100)
        guard case .completed(_, let keeps) = respond(&exchange, .serverErrorBusy) else {
            Issue.record("no response")
            return
        }
        #expect(!keeps)
        #expect(!exchange.wantsDocument)
    }

    @Test func `an HTTP error in the middle stops the sending when it begins`() {
        var exchange = exchange()
        _ = exchange.messageWritten(now: start)
        #expect(exchange.wantsDocument)
        _ = exchange.received(head(.unauthorized), now: start)
        #expect(!exchange.wantsDocument)
    }

    @Test func `a success in the middle waits for the rest of the document`() {
        var exchange = exchange()
        _ = exchange.messageWritten(now: start)
        exchange.hand(100)
        _ = exchange.chunkWritten(now: start)
        guard case .none = respond(&exchange) else {
            Issue.record("it ended")
            return
        }
        #expect(exchange.wantsDocument)
        exchange.hand(200)
        guard case .completed = exchange.chunkWritten(now: start) else {
            Issue.record("no response")
            return
        }
    }

    @Test func `a body beyond its bound fails`() {
        var exchange = exchange(0)
        _ = exchange.messageWritten(now: start)
        _ = exchange.received(head(), now: start)
        var first = ByteBuffer(repeating: 1, count: 1000)
        var second = ByteBuffer(repeating: 1, count: 1)
        let fits = failed(exchange.received(&first, now: start)) == nil
        let isRefused = failed(exchange.received(&second, now: start)) != nil
        #expect(fits && isRefused)
    }

    @Test func `each wait has its own deadline, and every byte begins it anew`() {
        var exchange = exchange()
        #expect(exchange.deadline == start + .seconds(10))
        _ = exchange.messageWritten(now: start + .seconds(1))
        exchange.hand(300)
        #expect(exchange.deadline == start + .seconds(11))
        _ = exchange.chunkWritten(now: start + .seconds(2))
        #expect(exchange.deadline == start + .seconds(7))
        let before = failed(exchange.timePassed(now: start + .seconds(6)))
        let after = failed(exchange.timePassed(now: start + .seconds(7)))
        #expect(before == nil)
        #expect(after?.cause == .timedOut(.response))
    }

    @Test func `the total deadline holds however much moves`() {
        var exchange = exchange()
        _ = exchange.messageWritten(now: start + .seconds(99))
        #expect(exchange.deadline == start + .seconds(100))
        let failure = failed(exchange.timePassed(now: start + .seconds(100)))
        #expect(failure?.cause == .timedOut(.total))
    }

    @Test func `content waits for a 100, for a final status, or for a second`() {
        func expecting() -> HTTPExchange {
            HTTPExchange(documentLength: 300, timeouts: timeouts, expectsContinue: true, now: start)
        }
        var continued = expecting()
        let waits = !continued.mayProceed && !continued.wantsDocument
        _ = continued.received(head(.processing), now: start)
        let waitsOn = !continued.mayProceed
        _ = continued.received(head(.continue), now: start)
        #expect(waits && waitsOn && continued.mayProceed && !continued.responseBegan)

        var silent = expecting()
        #expect(silent.deadline == start + .seconds(1))
        let failure = failed(silent.timePassed(now: start + .seconds(1)))
        #expect(failure == nil && silent.mayProceed)
        #expect(silent.deadline == start + .seconds(10))

        var refused = expecting()
        _ = refused.received(head(.expectationFailed), now: start)
        guard case .completed(let response, let keeps) = refused.receivedEnd(now: start) else {
            Issue.record("no response")
            return
        }
        #expect(!refused.mayProceed && !keeps && response.documentBytes == 0)
    }

    @Test func `nothing happens after the end`() {
        var exchange = exchange(0)
        let ends = [
            exchange.cancelled(), exchange.cancelled(), exchange.connectionEnded(.closedEarly, nothingAccepted: false),
            respond(&exchange),
        ]
        #expect(ends.map { failed($0) != nil } == [true, false, false, false])
    }
}
