import Glibc
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskIPP

/// Documents that are rendered while they are sent.
@Suite struct RenderedDocumentTests {
    private static let formats = IPPAttribute("document-format-supported", .mimeMediaTypes(["image/pwg-raster"]))
    private static let operations = IPPAttribute(
        "operations-supported", [2, 4, 5, 6, 8, 9, 10, 11].map { IPPValue.enum($0) })
    private static let pages: [[UInt8]] = (1...3).map { page in
        (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / page) }
    }

    private func delivery(_ stream: StreamOfPages) -> Delivery {
        Delivery(
            jobID: "k1", name: "Manual", user: "till", ticket: Ticket(),
            document: PrintDocument(format: .pwgRaster, rendering: stream))
    }

    /// A printer that takes jobs with Create-Job and Send-Document; `received` is called with the bytes of the document
    /// so far.
    private func printer(
        _ asked: Recorder<String>, _ documents: Recorder<[UInt8]>,
        refusing status: String? = nil, received: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> ScriptedPrinter {
        try ScriptedPrinter { connection in
            while true {
                let request = try connection.readAnyRequest { received($0) }
                asked.add("\(request.message.operation)\(request.isChunked ? " in chunks" : "")")
                switch request.message.operation {
                case .getPrinterAttributes:
                    try connection.reply(
                        ScriptedConnection.ok(IPPGroup(.printer, [Self.formats, Self.operations])))
                case .sendDocument where request.isChunked && status != nil:
                    try connection.send("HTTP/1.1 \(status ?? "")\r\nContent-Length: 0\r\n\r\n")
                case .sendDocument:
                    documents.add(request.document)
                    try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)))
                default: try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 3)))
                }
            }
        }
    }

    @Test func `its first page is with the printer before its last is drawn`() async throws {
        let stream = try StreamOfPages(Self.pages)
        let (asked, documents) = (Recorder<String>(), Recorder<[UInt8]>())
        // Each page is drawn when the one before has arrived.
        let printer = try printer(asked, documents) { received in
            stream.draw(upTo: received / Self.pages[0].count + 1)
        }
        defer { printer.stop() }
        stream.draw(upTo: 1)
        let progress = Recorder<DeliveryProgress>()
        try await withTransport { transport in
            _ = try await transport.deliver(delivery(stream), to: printer.target) { progress.add($0) }
        }
        let whole = Array(Self.pages.joined())
        #expect(documents.all.map { $0 == whole } == [true])
        #expect(asked.all.last == "Send-Document in chunks")
        let length = Int64(Self.pages.joined().count)
        #expect(progress.all.last == .sending(bytes: length, of: length))
    }

    @Test(arguments: ["411 Length Required", "400 Bad Request", "501 Not Implemented"])
    func `a printer that takes no chunks gets it once it is rendered, from then on at once`(status: String) async throws
    {
        let (asked, documents) = (Recorder<String>(), Recorder<[UInt8]>())
        let streams = try (0..<2).map { _ in try StreamOfPages(Self.pages) }
        // The rest is drawn when the printer has begun to read.
        let printer = try printer(asked, documents, refusing: status) { received in
            if received > 0 { streams[0].draw(upTo: Self.pages.count) }
        }
        defer { printer.stop() }
        streams[0].draw(upTo: 1)
        streams[1].draw(upTo: Self.pages.count)
        try await withTransport { transport in
            for stream in streams {
                _ = try await transport.deliver(delivery(stream), to: printer.target) { _ in }
            }
        }
        let whole = Array(Self.pages.joined())
        #expect(documents.all.map { $0 == whole } == [true, true])
        #expect(
            asked.all.filter { $0.hasPrefix("Send-Document") }.map { $0.hasSuffix("chunks") } == [true, false, false])
    }

    @Test func `a document that cannot be drawn to its end is never ended as if it were whole`() async throws {
        let stream = try StreamOfPages(Self.pages)
        let (asked, documents) = (Recorder<String>(), Recorder<[UInt8]>())
        let printer = try printer(asked, documents) { received in
            if received >= Self.pages[0].count { stream.fail("page 2 is damaged") }
        }
        defer { printer.stop() }
        stream.draw(upTo: 1)
        await #expect {
            try await withTransport { transport in
                _ = try await transport.deliver(delivery(stream), to: printer.target) { _ in }
            }
        } throws: { error in
            let error = error as? TransportError
            return error?.code == .documentUnreadable && error?.message == "page 2 is damaged"
                && error?.bytesAccepted == Int64(Self.pages[0].count)
        }
        #expect(documents.all.isEmpty)
        #expect(asked.all.last == "Cancel-Job")
    }
}

/// A document whose pages are drawn when a test says so.
private final class StreamOfPages: DocumentStream {
    let path = "/dev/null"
    private let pages: [[UInt8]]
    private struct State {
        var drawn = 0
        var failure: DocumentProblem?
    }
    private let state = Mutex(State())

    init(_ pages: [[UInt8]]) throws { self.pages = pages }

    func draw(upTo page: Int) { state.withLock { $0.drawn = max($0.drawn, min(page, pages.count)) } }
    func fail(_ message: String) {
        state.withLock { $0.failure = DocumentProblem(.invalid, DocumentRemark(message: message)) }
    }

    private func bytes(drawn: Int) -> [UInt8] { Array(pages.prefix(drawn).joined()) }
    var renderedLength: Int64 { Int64(bytes(drawn: state.withLock(\.drawn)).count) }
    var isRendered: Bool { state.withLock(\.drawn) == pages.count }
    var pageCount: Int { pages.count }
    var isAwaited: Bool { false }
    var failure: DocumentProblem? { state.withLock(\.failure) }
    func pages(in bytes: Int64) -> Int { Int(bytes) / pages[0].count }

    func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        while true {
            // Looked at once: a page may be drawn between two looks.
            let state = state.withLock { $0 }
            let rest = bytes(drawn: state.drawn).dropFirst(Int(offset)).prefix(count)
            if !rest.isEmpty || state.drawn == pages.count { return Array(rest) }
            if let failure = state.failure { throw DocumentStreamFailure(failure) }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    func waitUntilRendered() async throws {
        while !isRendered { try await Task.sleep(for: .milliseconds(1)) }
    }
}

/// A request whose document may come in chunks.
private struct AnyRequest {
    var message: IPPMessage
    var document: [UInt8]
    var isChunked: Bool
}

extension ScriptedConnection {
    /// Reads a request with its whole document, in chunks (RFC 9112 §7.1) or not; `received` is called with the bytes of
    /// the document so far.
    fileprivate func readAnyRequest(_ received: (Int) -> Void) throws -> AnyRequest {
        let head = try readHead().lowercased()
        var decoder = IPPDecoder()
        var message: IPPMessage?
        var document: [UInt8] = []
        func take(_ bytes: [UInt8]) throws {
            if message != nil {
                document += bytes
            } else if case .complete(let whole, let index) = try decoder.feed(bytes) {
                message = whole
                document += bytes[index...]
            }
            if message != nil { received(document.count) }
        }
        let isChunked = head.contains("transfer-encoding: chunked")
        if isChunked {
            while true {
                let count = Int(try readLine(), radix: 16) ?? 0
                try take(try read(count))
                _ = try readLine()
                if count == 0 { break }
            }
        } else {
            let field = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") } ?? "content-length:0"
            try take(try read(Int(field.dropFirst("content-length:".count).filter { $0 != " " }) ?? 0))
        }
        guard let message else { throw TestSupportError("a request without an IPP message") }
        return AnyRequest(message: message, document: document, isChunked: isChunked)
    }

    private func readLine() throws -> String {
        var bytes: [UInt8] = []
        while !bytes.suffix(2).elementsEqual("\r\n".utf8) { bytes += try read(1) }
        return String(decoding: bytes.dropLast(2), as: UTF8.self)
    }
}
