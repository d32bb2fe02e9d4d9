import Foundation
import IPPCodec
import TestSupport
import Testing

/// What Debian's ipptool and ippeveprinter, neither written by us, say to each other.
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

    /// Decodes strictly, whole and in pieces, and encodes again.
    private func check(_ body: [UInt8]) throws -> (message: IPPMessage, document: [UInt8]) {
        let (message, documentIndex) = try IPPDecoder.decode(body)
        #expect(try message.encoded() == Array(body[..<documentIndex]))
        try DripFeed.expect(message, from: Array(body[..<documentIndex]))
        return (message, Array(body[documentIndex...]))
    }

    /// Runs a suite through a recording relay.
    private func capture(
        _ suite: String, _ framing: String, document: [UInt8]
    ) async throws -> [(request: HTTPTranscript.Message, response: HTTPTranscript.Message)] {
        var options = EvePrinter.Options()
        options.command = "/bin/true"
        let printer = try await EvePrinter(options)
        let relay = try await RecordingRelay(to: printer.port)
        // The suites print files that lie beside them in CUPS' sources and are not in Debian's package.
        let folder = try TemporaryFolder("ipptool")
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.suites) where name.hasSuffix(".test") {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(name), withDestinationPath: "\(Self.suites)/\(name)")
        }
        for name in ["document-a4.pdf", "document-letter.pdf", "receipt.txt"] {
            try folder.write(document, to: name)
        }
        let uri = "ipp://localhost:\(relay.port)/ipp/print"
        // -I: go on after a failed test, since the printer is busy whenever it still prints the job before.
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
