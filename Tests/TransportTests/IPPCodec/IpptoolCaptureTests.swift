import Foundation
import KioskIPPCodec
import KioskTestSupport
import Testing

/// Messages captured between Debian's ipptool and ippeveprinter, both independent of this codec.
@Suite struct IpptoolCaptureTests {
    @Test(arguments: [("ipp-1.1.test", "-C"), ("ipp-2.0.test", "-L")])
    func `every captured message is encoded again octet for octet`(_ suite: String, _ framing: String) async throws {
        let document = Array("receipt\n".utf8)
        let exchanges = try await capture(suite, framing, document: document)
        var operations: Set<IPPOperation> = []
        var documents = 0
        for exchange in exchanges {
            let request = try check(exchange.request.body)
            let response = try check(exchange.response.body)
            #expect(request.message.requestID == response.message.requestID)
            #expect(response.document.isEmpty)
            operations.insert(request.message.operation)
            if !request.document.isEmpty {
                #expect(request.document == document)
                documents += 1
            }
        }
        #expect(exchanges.count >= 20)
        #expect(documents >= 1)
        let expected: Set<IPPOperation> = [
            .printJob, .validateJob, .getPrinterAttributes, .getJobs, .getJobAttributes, .createJob,
        ]
        #expect(operations.isSuperset(of: expected), "\(operations)")
        #expect(exchanges.contains { $0.request.isChunked } == (framing == "-C"))
    }

    /// Decodes without tolerances, whole and in pieces, and encodes again.
    private func check(_ body: [UInt8]) throws -> (message: IPPMessage, document: [UInt8]) {
        let (message, documentIndex) = try IPPDecoder.decode(body)
        #expect(try message.encoded() == Array(body[..<documentIndex]))
        try DripFeed.expect(message, from: Array(body[..<documentIndex]))
        return (message, Array(body[documentIndex...]))
    }

    /// Runs an ipptool suite through a recording relay.
    private func capture(
        _ suite: String, _ framing: String, document: [UInt8]
    ) async throws -> [(request: HTTPTranscript.Message, response: HTTPTranscript.Message)] {
        var options = EvePrinter.Options()
        options.command = "/bin/true"
        let printer = try await EvePrinter(options)
        let relay = try await RecordingRelay(to: printer.port)
        // The suites print files from CUPS' sources that Debian's package does not contain.
        let folder = try TemporaryFolder("ipptool")
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.suites) where name.hasSuffix(".test") {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(name), withDestinationPath: "\(Self.suites)/\(name)")
        }
        for name in ["document-a4.pdf", "document-letter.pdf", "receipt.txt"] {
            try folder.write(document, to: name)
        }
        let uri = "ipp://localhost:\(relay.port)/ipp/print"
        // -I continues after a failed test, since the printer may still be busy with the previous job.
        let result = try await Ipptool.run(
            folder.appending(suite), on: uri, file: folder.appending("receipt.txt"), options: ["-t", "-I", framing],
            deadline: .seconds(300))
        #expect(result.standardOutput.contains("RFC 8011 section 4.2.1: Print-Job Operation"), "\(result)")
        try await relay.stop()
        return try relay.connections.flatMap { connection in
            let requests = try HTTPTranscript(connection.toServer).messages
            let responses = try HTTPTranscript(connection.toClient).messages
            #expect(requests.count == responses.count)
            return Array(zip(requests, responses)).map { (request: $0, response: $1) }
        }
    }

    private static let suites = "/usr/share/cups/ipptool"
}

/// The messages in one direction of a recorded HTTP/1.1 connection, their bodies without framing.
private struct HTTPTranscript {
    struct Message {
        var startLine: String
        /// The names are in lower case.
        var headers: [String: String]
        var body: [UInt8]
        var isChunked: Bool { headers["transfer-encoding"]?.lowercased() == "chunked" }
    }

    struct Malformed: Error {
        var offset: Int
        var what: String
    }

    private let bytes: [UInt8]
    private var index = 0
    private(set) var messages: [Message] = []

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        while index < bytes.count {
            let startLine = try line()
            var headers: [String: String] = [:]
            while case let header = try line(), !header.isEmpty {
                let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { throw Malformed(offset: index, what: header) }
                headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
            }
            messages.append(Message(startLine: startLine, headers: headers, body: try body(headers)))
        }
        // Interim responses such as 100 Continue are not the response to a request.
        messages.removeAll { $0.startLine.hasPrefix("HTTP/1.1 1") }
    }

    private mutating func line() throws -> String {
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) else {
            throw Malformed(offset: index, what: "unterminated line")
        }
        defer { index = end + 1 }
        let line = bytes[index..<end]
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }

    private mutating func body(_ headers: [String: String]) throws -> [UInt8] {
        if headers["transfer-encoding"]?.lowercased() == "chunked" { return try chunks() }
        return try take(Int(headers["content-length"] ?? "0") ?? 0)
    }

    private mutating func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            guard let size = Int(try line(), radix: 16) else { throw Malformed(offset: index, what: "no chunk size") }
            body += try take(size)
            guard try line().isEmpty else { throw Malformed(offset: index, what: "unterminated chunk") }
            if size == 0 { return body }
        }
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        guard bytes.count - index >= count else { throw Malformed(offset: index, what: "\(count) octets are missing") }
        defer { index += count }
        return Array(bytes[index..<index + count])
    }
}
