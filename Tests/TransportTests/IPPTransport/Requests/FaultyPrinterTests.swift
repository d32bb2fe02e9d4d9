import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

/// Printers that break HTTP or IPP, or that never stop sending: each call ends in a clear error or a correct result
/// within its deadline.
@Suite(.timeLimit(.minutes(10))) struct FaultyPrinterTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)

    /// A fault after the request was read: what the printer does, and what the caller must learn.
    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Nil where the response must be accepted all the same.
        var code: TransportError.Code?
        /// Whether the document counts as possibly taken, where there was one.
        var mayHavePrinted = true
        /// A phrase that the error's message contains.
        var word = ""
        /// Commits the fault; gets the response that a printer without faults would send.
        var answer: @Sendable (ScriptedConnection, [UInt8]) throws -> Void

        init(
            _ name: String, _ code: TransportError.Code?, mayHavePrinted: Bool = true, word: String = "",
            answer: @escaping @Sendable (ScriptedConnection, [UInt8]) throws -> Void
        ) {
            testDescription = name
            self.code = code
            self.mayHavePrinted = mayHavePrinted
            self.word = word
            self.answer = answer
        }
    }

    private static let faults = framing + chunks + bodies + courses

    /// Timeouts short enough for a test where the fault has to time out: for the request that meets it, and no other.
    private static func deadlines(for fault: Fault, inDelivery isDelivery: Bool) -> IPPTransport.Deadlines {
        var deadlines = IPPTransport.Deadlines.patient
        guard fault.code == .timedOut else { return deadlines }
        if isDelivery {
            (deadlines.documentResponse, deadlines.delivery) = (.milliseconds(400), .milliseconds(600))
        } else {
            (deadlines.response, deadlines.total) = (.milliseconds(400), .milliseconds(600))
        }
        return deadlines
    }

    private func judge(_ fault: Fault, _ error: TransportError?, taken: Int, _ printer: ScriptedPrinter) throws {
        #expect(error?.code == fault.code, "\(error?.message ?? "no error")")
        #expect(error?.bytesAccepted ?? 0 == (fault.code != nil && fault.mayHavePrinted ? Int64(taken) : 0))
        guard let error else { return }
        #expect(error.message.contains(try printer.target.url.description))
        #expect(error.message.contains(fault.word), "\(error.message)")
        #expect(!error.message.hasControlCharacters)
    }

    @Test(arguments: faults) func `a contact ends`(fault: Fault) async throws {
        let printer = try ScriptedPrinter { connection in
            _ = try connection.readRequest()
            let answer = ScriptedConnection.ok(ScriptedConnection.printer())
            try fault.answer(connection, try IPPEncoder.encode(answer))
        }
        defer { printer.stop() }
        try await withTransport(Self.deadlines(for: fault, inDelivery: false)) { transport in
            var caught: TransportError?
            do {
                #expect(try await transport.contact(printer.target).description.name == "Scripted")
            } catch {
                caught = try #require(error as? TransportError)
            }
            try judge(fault, caught, taken: 0, printer)
        }
    }

    @Test(arguments: faults) func `a delivery ends, and is never sent twice`(fault: Fault) async throws {
        let seen = Recorder<Int>()
        let printer = try ScriptedPrinter { connection in
            if seen.all.isEmpty { try connection.introduce() }
            let request = try connection.readRequest()
            seen.add(request.document.count)
            let answer = ScriptedConnection.ok(ScriptedConnection.job(7, state: 5))
            try fault.answer(connection, try IPPEncoder.encode(answer))
        }
        defer { printer.stop() }
        try await withTransport(Self.deadlines(for: fault, inDelivery: true)) { transport in
            var caught: TransportError?
            do {
                let report = try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in }
                #expect(report.remoteJob == RemoteJob(identifier: "7"))
            } catch {
                caught = try #require(error as? TransportError)
            }
            try judge(fault, caught, taken: receipt.count, printer)
        }
        // The call may time out before the printer has read the document.
        try await printer.end()
        #expect(seen.all == [receipt.count])
    }
}

// The faults.
extension FaultyPrinterTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/ipp\r\n"

    private static func plain(_ head: String, name: String, _ code: TransportError.Code?, word: String = "") -> Fault {
        Fault(name, code, word: word) { connection, body in
            try connection.send(Array((head + "\r\n").utf8) + body)
            connection.finish()
            connection.waitForClose()
        }
    }

    private static let framing = [
        plain("HTTP/1.0 200 OK\r\nContent-Type: application/ipp\r\n", name: "HTTP/1.0 without a length", nil),
        Fault("HTTP/1.0 with a length", nil) { connection, body in
            try connection.send(Array("HTTP/1.0 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
        },
        plain(head, name: "HTTP/1.1 without a length, closed behind the answer", nil),
        Fault("a long way through the head, and closed", .connectionLost) { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Ty")
        },
        Fault("closed behind the head", .connectionLost) { connection, body in
            try connection.send("\(head)Content-Length: \(body.count)\r\n\r\n")
        },
        Fault("reset in the middle of the answer", .connectionLost) { connection, body in
            try connection.send(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body.dropLast(10))
            connection.reset()
        },
        plain(
            "\(head)Content-Length: 99999999999999999999\r\n", name: "a length that no number holds", .protocolViolation
        ),
        plain("\(head)Content-Length: -1\r\n", name: "a negative length", .protocolViolation),
        plain("\(head)Content-Length: 1\r\nContent-Length: 2\r\n", name: "two lengths", .protocolViolation),
        plain(
            "\(head)Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", name: "a length and chunks",
            .protocolViolation),
        plain("\(head)X-Empty\r\nContent-Length: 1\r\n", name: "a header without a colon", .protocolViolation),
        Fault("a length that is too short", .protocolViolation) { connection, body in
            try connection.send(Array("\(head)Content-Length: \(body.count - 5)\r\n\r\n".utf8) + body)
            connection.waitForClose()
        },
    ]

    private static func chunked(
        _ name: String, _ code: TransportError.Code?, _ rest: String, closes: Bool = true
    ) -> Fault {
        Fault(name, code) { connection, body in
            let size = String(body.count, radix: 16)
            try connection.send(Array("\(head)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n".utf8) + body)
            try connection.send("\r\n" + rest)
            if !closes { connection.waitForClose() }
        }
    }

    private static let chunks = [
        chunked("chunks that end as they should", nil, "0\r\n\r\n", closes: false),
        chunked("chunks with trailers", nil, "0\r\nX-Trailer: yes\r\n\r\n", closes: false),
        chunked("chunks without an end, closed", .connectionLost, ""),
        chunked("chunks without an end, silent", .timedOut, "", closes: false),
        chunked("a chunk of a size that is none", .protocolViolation, "zz\r\n", closes: false),
        chunked("a chunk of a size that no number holds", .protocolViolation, "FFFFFFFFFFFFFFFFFF\r\n", closes: false),
        chunked("a chunk that is cut off", .connectionLost, "7fffffffffffffff\r\nx"),
        chunked("a chunk of a negative size", .protocolViolation, "-5\r\nhello\r\n", closes: false),
    ]

    private static func body(
        _ name: String, fields: String = "", word: String = "not valid IPP", _ body: [UInt8]
    ) -> Fault {
        Fault(name, .protocolViolation, word: word) { connection, _ in
            try connection.send(Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
            connection.waitForClose()
        }
    }

    private static let bodies = [
        body(
            "a page", fields: "Content-Type: text/html\r\n", word: "not valid IPP (it is text/html)",
            Array("<html><h1>It works!</h1></html>".utf8)),
        body(
            "JSON", fields: "Content-Type: application/json; charset=utf-8\r\n", word: "it is application/json",
            Array("{}".utf8)),
        body("nothing", []),
        body("an answer that ends in an attribute", [1, 1, 0, 0, 0, 0, 0, 1, 1, 0x47, 0, 18, 0x61]),
        body("collections 1,000 deep", nested(1000)),
        // RFC 1952's magic number, and deflated noise.
        body(
            "gzip that nobody asked for", fields: "Content-Encoding: gzip\r\n", word: "compressed with gzip",
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 4, 0]),
        Fault("two megabytes of attributes", .protocolViolation, word: "longer than") { connection, _ in
            let name = [UInt8](repeating: UInt8(ascii: "a"), count: 251)
            let value: [UInt8] = [0x44, 0, 0, 0, 251] + name
            let message = [2, 0, 0, 0, 0, 0, 0, 1, 4] + [[UInt8]](repeating: value, count: 8192).joined() + [3]
            try connection.send(Array("\(head)Content-Length: \(message.count)\r\n\r\n".utf8) + message)
            connection.waitForClose()
        },
    ]

    /// An answer with one collection in the other.
    private static func nested(_ depth: Int) -> [UInt8] {
        let open: [UInt8] = [0x34, 0, 0, 0, 0, 0x4A, 0, 0, 0, 1, 0x61]
        let first: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 1, 4, 0x34, 0, 1, 0x63, 0, 0, 0x4A, 0, 0, 0, 1, 0x61]
        let deepest: [UInt8] = [0x21, 0, 0, 0, 4, 0, 0, 0, 1]
        let close: [UInt8] = [0x37, 0, 0, 0, 0]
        return first + (1..<depth).flatMap { _ in open } + deepest + (0..<depth).flatMap { _ in close } + [3]
    }

    private static func redirect(_ status: Int) -> Fault {
        Fault("a redirection by \(status)", .protocolViolation, mayHavePrinted: false, word: "not followed") {
            connection, _ in
            try connection.send(
                "HTTP/1.1 \(status) Elsewhere\r\nLocation: http://192.0.2.1/ipp/print\r\nContent-Length: 0\r\n\r\n")
            connection.waitForClose()
        }
    }

    private static let courses = [
        redirect(302), redirect(307), redirect(308),
        Fault("silence", .timedOut) { connection, _ in connection.waitForClose() },
        Fault("a byte now and then", .timedOut) { connection, body in
            try connection.send("\(head)Content-Length: \(body.count)\r\n\r\n")
            for byte in body {
                try connection.send([byte])
                try connection.pause(milliseconds: 50)
            }
        },
        Fault("a head that comes byte by byte", nil) { connection, body in
            for byte in Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body {
                try connection.send([byte])
            }
            connection.waitForClose()
        },
        Fault("endless headers", .protocolViolation) { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\n")
            try connection.sendEndlessly("X-More: and more and more and more\r\n")
        },
        Fault("100 Continue without end", .timedOut) { connection, _ in
            try connection.sendEndlessly("HTTP/1.1 100 Continue\r\n\r\n")
        },
        Fault("a body without end", .protocolViolation, word: "longer than") { connection, _ in
            try connection.send("\(head)\r\n")
            try connection.sendEndlessly(String(repeating: "x", count: 65_536))
        },
        Fault("chunks without end", .protocolViolation, word: "longer than") { connection, _ in
            try connection.send("\(head)Transfer-Encoding: chunked\r\n\r\n")
            try connection.sendEndlessly("1000\r\n\(String(repeating: "x", count: 4096))\r\n")
        },
    ]
}
