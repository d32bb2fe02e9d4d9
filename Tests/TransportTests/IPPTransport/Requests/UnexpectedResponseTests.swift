import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import KioskIPP

/// Responses that no printer should send, and some send.
@Suite struct UnexpectedResponseTests {
    private func contactError(_ script: @escaping ScriptedPrinter.Script) async throws -> TransportError {
        let printer = try ScriptedPrinter(script)
        defer { printer.stop() }
        let target = try printer.target
        var caught: TransportError?
        try await withTransport { transport in
            caught = await #expect(throws: TransportError.self) { try await transport.contact(target) }
        }
        let error = try #require(caught)
        #expect(error.message.contains(target.url.description))
        return error
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2p1\r\n", "\u{0}\u{1}\u{2}garbage\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
    ])
    func `what is not HTTP is a breach of protocol`(garbage: String) async throws {
        let error = try await contactError { connection in
            _ = try connection.readRequest()
            try connection.send(garbage)
            connection.waitForClose()
        }
        #expect(error.code == .protocolViolation)
    }

    @Test func `an endless header line ends the connection`() async throws {
        let error = try await contactError { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nX-More: ")
            while true { try connection.send(String(repeating: "x", count: 4096)) }
        }
        #expect(error.code == .protocolViolation)
    }

    @Test(arguments: [
        (301, TransportError.Code.protocolViolation), (401, .authenticationRequired), (403, .accessDenied),
        (407, .authenticationRequired),
        (404, .printerNotFound), (405, .printerNotFound), (413, .jobRefused), (417, .protocolViolation),
        (426, .tlsRequired), (500, .printerFailed), (503, .printerBusy),
    ])
    func `each HTTP status has its meaning`(status: Int, code: TransportError.Code) async throws {
        let error = try await contactError { connection in
            while true {
                _ = try connection.readRequest()
                try connection.send(
                    "HTTP/1.1 \(status) Because\r\nLocation: ipp://elsewhere/\r\nContent-Length: 4\r\n\r\nText")
            }
        }
        #expect(error.code == code)
        #expect(error.underlying == .httpStatus(status))
    }

    @Test(arguments: [
        ("No required SSL certificate was sent", TransportError.Code.authenticationRequired),
        ("The SSL certificate error", .loginRefused), ("The plain HTTP request was sent to HTTPS port", .tlsRequired),
        ("Something else", .protocolViolation),
    ])
    func `nginx's words behind a 400 are understood`(words: String, code: TransportError.Code) async throws {
        let error = try await contactError { connection in
            while true {
                _ = try connection.readRequest()
                let body = "<html><head><title>400 \(words)</title></head><center>\(words)</center></html>"
                try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
        #expect(error.code == code)
    }

    @Test func `a 100 Continue that nobody asked for is passed over`() async throws {
        let printer = try ScriptedPrinter { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            try connection.reply(ScriptedConnection.ok(ScriptedConnection.printer()))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.contact(printer.target)
            #expect(report.description.name == "Scripted")
        }
    }

    @Test func `control characters in a printer's words are taken out`() async throws {
        let printer = try ScriptedPrinter { connection in
            try connection.introduce(
                IPPAttribute("printer-location", .text("Hall\u{1B}[2J\nX-Evil: 1")),
                IPPAttribute("printer-state-message", .text("ok\r\n\u{202E}evil")))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.contact(printer.target)
            #expect(report.description.location == "Hall [2J X-Evil: 1")
            #expect(report.availability.message?.hasControlCharacters == false)
        }
    }
}

/// The errors that HTTP statuses become.
@Suite struct HTTPStatusErrorTests {
    @Test(arguments: [(408, 5), (500, 5), (502, 5), (503, 0), (400, 0), (413, 0)] as [(Int, Int64)])
    func `tells how much of a document may have been taken`(status: Int, taken: Int64) throws {
        let response = HTTPResponse(
            status: .init(statusCode: status), headers: [:], body: ByteBuffer(), documentBytes: 5)
        let error = TransportError(
            response, operation: "Print-Job", printer: try PrinterURL("ipp://office.example/ipp/print"))
        #expect(error.bytesAccepted == taken)
    }

    @Test func `sends nobody to TLS who is there`() throws {
        let response = HTTPResponse(status: .upgradeRequired, headers: [:], body: ByteBuffer())
        for (scheme, code) in [("ipp", TransportError.Code.tlsRequired), ("ipps", .protocolViolation)] {
            let printer = try PrinterURL("\(scheme)://office.example/ipp/print")
            #expect(TransportError(response, operation: "Print-Job", printer: printer).code == code)
        }
    }
}

/// RFC 8011 §4.1.1: a response has its request's `request-id`.
@Suite struct RequestIDTests {
    private let receipt = [UInt8]("Coffee 2.50\n".utf8)

    private static func numbered(_ message: IPPMessage, _ number: Int32) -> IPPMessage {
        var message = message
        message.requestID = number
        return message
    }

    /// Answers one request, and then the next with the `request-id` of the first.
    private static func respondLate(_ connection: ScriptedConnection, _ stray: IPPMessage) throws {
        let request = try connection.readRequest().message
        try connection.reply(numbered(ScriptedConnection.ok(ScriptedConnection.printer()), request.requestID))
        let second = try connection.readRequest().message
        try #require(second.requestID != request.requestID)
        try connection.reply(numbered(stray, request.requestID))
        connection.waitForClose()
    }

    @Test func `another request's response says nothing of a job, which may have printed`() async throws {
        let printer = try ScriptedPrinter({
            try Self.respondLate($0, ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)))
        })
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            _ = try await transport.contact(target)
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }
            }
            #expect(error.code == .protocolViolation)
            #expect(error.bytesAccepted == Int64(receipt.count))
            #expect(error.remoteJob == nil)
        }
        #expect(printer.connectionCount == 1)
    }

    @Test func `a question is asked again on a new connection`() async throws {
        let printer = try ScriptedPrinter(
            { try Self.respondLate($0, ScriptedConnection.status(.serverErrorInternalError)) }, { try $0.introduce() })
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            for _ in 1...2 { _ = try await transport.contact(target) }
        }
        #expect(printer.connectionCount == 2)
    }

    @Test(arguments: [0, 1] as [Int32])
    func `printers that give every response the same number are served`(number: Int32) async throws {
        let printer = try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest().message
                try #require(request.requestID > 1)
                let group =
                    request.operation == .printJob ? ScriptedConnection.job(7, state: 9) : ScriptedConnection.printer()
                try connection.reply(Self.numbered(ScriptedConnection.ok(group), number))
            }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in }
            #expect(report.state == .completed)
        }
    }
}
