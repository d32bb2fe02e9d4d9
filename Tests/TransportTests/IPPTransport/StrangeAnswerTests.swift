import IPP
import IPPCodec
import PrintModel
import Synchronization
import TestSupport
import Testing

/// Answers that no printer should give, and some give.
@Suite struct StrangeAnswerTests {
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
    func `what is no HTTP is a breach of protocol`(garbage: String) async throws {
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
