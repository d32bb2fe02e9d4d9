import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskIPP

/// Compressed documents, and how much of them counts as taken.
@Suite struct CompressionTests {
    private static let text = Array(
        (0..<12_000).map { "line \($0) of a long document, \($0 % 7) and \($0 % 11)\n" }.joined().utf8)
    private static let gzip = IPPAttribute("compression-supported", keywords: ["none", "gzip"])
    private static let formats = IPPAttribute(
        "document-format-supported", .mimeMediaTypes(["text/plain", "application/pdf"]))

    private func printer(
        _ attributes: [IPPAttribute], _ asked: Recorder<ScriptedConnection.Request>,
        _ respond: @escaping @Sendable (ScriptedConnection.Request) -> IPPMessage = { _ in
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
    ) throws -> ScriptedPrinter {
        try ScriptedPrinter(describedBy: attributes, asked, respond)
    }

    private func unpacked(_ bytes: [UInt8]) async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "document.gz")
        let result = try await ChildProcess.run("/bin/gzip", ["-dc", path])
        #expect(result.end.isSuccess)
        return Array(result.standardOutput.utf8)
    }

    @Test(arguments: [false, true])
    func `a long text goes as gzip where that is listed, and all counts are the document's own`(
        isFile: Bool
    ) async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([Self.gzip, Self.formats], asked)
        defer { printer.stop() }
        let folder = try TemporaryFolder()
        var delivery = Delivery.receipt("k1", Self.text, format: .plainText)
        if isFile {
            delivery.document.body = .file(
                path: try folder.write(Self.text, to: "text"), length: Int64(Self.text.count))
        }
        let progress = Recorder<DeliveryProgress>()
        try await withTransport { transport in
            _ = try await transport.deliver(delivery, to: printer.target) { progress.add($0) }
        }
        #expect(asked.all.map(\.message.operation) == [.validateJob, .createJob, .sendDocument])
        let compressions = asked.all.map { $0.message.attribute("compression", in: .operation)?.string }
        // PAPPL would wait for the data of a Validate-Job that names one.
        #expect(compressions == [nil, nil, "gzip"])
        let sent = try #require(asked.all.last?.document)
        #expect(sent.count < Self.text.count / 2)
        #expect(try await unpacked(sent) == Self.text)
        #expect(progress.all.last == .sending(bytes: Int64(Self.text.count), of: Int64(Self.text.count)))
    }

    @Test func `a printer that lists deflate and no gzip gets a stream without any header`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let deflate = IPPAttribute("compression-supported", keywords: ["deflate", "none"])
        let printer = try printer([deflate, Self.formats], asked)
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.deliver(.receipt("k1", Self.text, format: .plainText), to: printer.target) { _ in }
        }
        let sent = try #require(asked.all.last)
        #expect(sent.message.attribute("compression", in: .operation)?.string == "deflate")
        // With a gzip header before it gzip reads it all, and misses the checksum at its end.
        let folder = try TemporaryFolder()
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let path = try folder.write(header + sent.document, to: "document.gz")
        let result = try await ChildProcess.run("/bin/gzip", ["-dc", path])
        #expect(Array(result.standardOutput.utf8) == Self.text)
    }

    private static let untouched: [([IPPAttribute], DocumentFormat, [UInt8])] = [
        ([formats], .plainText, text),
        ([IPPAttribute("compression-supported", keywords: ["none", "compress"]), formats], .plainText, text),
        ([gzip, formats], .plainText, Array(text.prefix(10_000))), ([gzip, formats], .pdf, text),
        ([gzip, formats], .plainText, (0..<100_000).map { _ in UInt8.random(in: 0...255) }),
    ]

    @Test(arguments: untouched.indices)
    func `what is not listed, too short, of a packed format or of no pattern goes as it is`(index: Int) async throws {
        let (attributes, format, document) = Self.untouched[index]
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer(attributes, asked)
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.deliver(.receipt("k1", document, format: format), to: printer.target) { _ in }
        }
        #expect(asked.all.last?.document == document)
        #expect(asked.all.allSatisfy { $0.message.attribute("compression", in: .operation) == nil })
    }

    private static func unsupported(_ name: String) -> IPPMessage {
        ScriptedConnection.status(
            .clientErrorAttributesOrValuesNotSupported, IPPGroup(.unsupported, [IPPAttribute(name, keyword: "gzip")]))
    }
    /// IPP's own status for the refusal, and the one that CUPS sends.
    private static let refusals = [ScriptedConnection.status(.clientErrorCompressionError), unsupported("compression")]

    @Test(arguments: refusals.indices)
    func `a printer that lists gzip and refuses it gets documents as they are from then on`(index: Int) async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([Self.gzip, Self.formats], asked) { request in
            request.message.attribute("compression", in: .operation) != nil
                && request.message.operation == .sendDocument
                ? Self.refusals[index] : ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            for job in ["k1", "k2"] {
                _ = try await transport.deliver(.receipt(job, Self.text, format: .plainText), to: printer.target) { _ in
                }
            }
        }
        #expect(
            asked.all.map(\.message.operation) == [
                .validateJob, .createJob, .sendDocument, .cancelJob, .validateJob, .createJob, .sendDocument,
                .validateJob, .createJob, .sendDocument,
            ])
        #expect(asked.all.last?.document == Self.text)
    }

    @Test func `another attribute that is refused is no reason to send the document again`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([Self.gzip, Self.formats], asked) { request in
            request.message.operation == .sendDocument
                ? Self.unsupported("document-format") : ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", Self.text, format: .plainText), to: printer.target) { _ in }
            }
            #expect(error.code == .jobRefused)
        }
        #expect(asked.all.map(\.message.operation) == [.validateJob, .createJob, .sendDocument, .cancelJob])
    }

    @Test func `a quirk keeps gzip unused`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([Self.gzip, Self.formats], asked)
        defer { printer.stop() }
        let quirk = Quirk(
            name: .compression, value: "off", why: "it is so", source: "https://example.org/", profile: "test")
        let transport = IPPTransport(quirks: { _ in [quirk] }, deadlines: .patient)
        _ = try await transport.deliver(.receipt("k1", Self.text, format: .plainText), to: printer.target) { _ in }
        await transport.shutDown()
        #expect(asked.all.last?.document == Self.text)
    }

    @Test func `a connection that breaks counts the document bytes that can have been in what was taken`() async throws
    {
        let long = Array((0..<4).map { _ in Self.text }.joined())
        let read = 20_000
        let printer = try ScriptedPrinter { connection in
            try connection.introduce(Self.gzip, Self.formats, BrokenConnectionTests.withoutCreateJob)
            let request = try connection.readMessage()
            try connection.read(read - request.document.count)
            connection.reset()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", long, format: .plainText), to: printer.target) { _ in }
            }
            // The document bytes are more than the compressed bytes that carried them.
            #expect(error.bytesAccepted > Int64(read))
            #expect(error.bytesAccepted <= Int64(long.count))
        }
    }

    @Test func `the bound on what was taken holds for every count`() throws {
        let text = Self.text
        let packed = try #require(
            try CompressedDocument.make(length: Int64(text.count)) { count, offset in
                Array(text[Int(offset)..<Int(offset) + count])
            })
        #expect(packed.documentBytes(in: 0) == 0)
        #expect(packed.documentBytes(in: 10) == 0)
        #expect(packed.documentBytes(in: Int64(packed.bytes.count)) == Int64(text.count))
        #expect(packed.documentBytes(in: .max) == Int64(text.count))
        let counts = stride(from: 0, through: packed.bytes.count, by: 97).map { packed.documentBytes(in: Int64($0)) }
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// The real measure: what gzip itself can extract from each prefix.
    @Test(arguments: [11, 100, 5_000, 20_000])
    func `no beginning of the packed document holds more than its bound`(count: Int) async throws {
        let text = Self.text
        let packed = try #require(
            try CompressedDocument.make(length: Int64(text.count)) { count, offset in
                Array(text[Int(offset)..<Int(offset) + count])
            })
        let folder = try TemporaryFolder()
        let path = try folder.write(Array(packed.bytes.prefix(count)), to: "part.gz")
        // It complains about the missing end, and writes what there is.
        let result = try await ChildProcess.run("/bin/gzip", ["-dc", path])
        #expect(Int64(result.standardOutput.utf8.count) <= packed.documentBytes(in: Int64(count)))
    }
}
