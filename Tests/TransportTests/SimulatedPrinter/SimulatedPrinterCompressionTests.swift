import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import NIOCore
import Testing

@testable import KioskSimulatedPrinter

/// Documents that arrive at the simulated printer as gzip.
@Suite struct SimulatedPrinterCompressionTests {
    private static let text = Array(
        (0..<12_000).map { "line \($0) of a long document, \($0 % 7) and \($0 % 11)\n" }.joined().utf8)

    private func compressed(_ bytes: [UInt8]) async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "document")
        let result = try await ChildProcess.run("/bin/gzip", [path])
        #expect(result.end.isSuccess)
        return try readFile("\(path).gz")
    }

    private func test(_ more: String, _ status: String) throws -> (folder: TemporaryFolder, path: String) {
        let folder = try TemporaryFolder()
        let request = """
            {
            OPERATION Print-Job
            GROUP operation-attributes-tag
            ATTR charset attributes-charset utf-8
            ATTR naturalLanguage attributes-natural-language en
            ATTR uri printer-uri $uri
            \(more)
            FILE $filename
            STATUS \(status)
            }

            """
        return (folder, try folder.write(request, to: "one.test"))
    }

    @Test(arguments: [SimulatedPrinterKind.receipt, .laser])
    func `our own client's gzip comes out as what went in`(kind: SimulatedPrinterKind) async throws {
        let printer = try await SimulatedPrinter.start(.init(kind))
        let relay = try await RecordingRelay(to: printer.port)
        let target = PrinterTarget(url: try PrinterURL("ipp://localhost:\(relay.port)/ipp/print"))
        try await withTransport { transport in
            let accepted = try await transport.deliver(.receipt("k1", Self.text, format: .plainText), to: target) { _ in
            }
            let report = try await transport.follow(try #require(accepted.remoteJob), on: target) { _ in }
            #expect(report.state == .completed)
        }
        let document = try #require(try await printer.documents.first)
        #expect(try readFile(document.path) == Self.text)
        #expect(document.isComplete && document.bytes == Int64(Self.text.count))
        #expect(relay.connections.reduce(0) { $0 + $1.toServer.count } < Self.text.count / 2)
        try await relay.stop()
        try await printer.stop()
    }

    @Test(arguments: ["gzip", "deflate"])
    func `ipptool's compressed document comes out as what went in`(compression: String) async throws {
        let printer = try await SimulatedPrinter.start()
        let (folder, path) = try test(
            "ATTR keyword compression \(compression)\nCOMPRESSION \(compression)", "successful-ok")
        let file = try folder.write(Self.text, to: "document.txt")
        let result = try await Ipptool.run(path, on: printer.uri, file: file, options: ["-tv"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        #expect(try await printer.documents.map { try readFile($0.path) } == [Self.text])
        try await printer.stop()
    }

    @Test(arguments: ["gzip", "deflate"])
    func `what is not a stream of its compression is refused, and no job is left`(compression: String) async throws {
        let printer = try await SimulatedPrinter.start(.init(.laser))
        let (folder, path) = try test("ATTR keyword compression \(compression)", "client-error-compression-error")
        let file = try folder.write(Self.text, to: "document.txt")
        let result = try await Ipptool.run(path, on: printer.uri, file: file, options: ["-tv"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        #expect(try await printer.jobs.isEmpty)
        try await printer.stop()
    }

    enum Damage: CaseIterable {
        case endsEarly, hasMore, isChanged
    }

    /// ipptool would decompress such files before it sends them.
    @Test(arguments: Damage.allCases)
    func `a damaged stream is not whole`(damage: Damage) async throws {
        var bytes = try await compressed(Self.text)
        switch damage {
        case .endsEarly: bytes.removeLast(4)
        case .hasMore: bytes += Array("more".utf8)
        case .isChanged: bytes[bytes.count - 6] ^= 1
        }
        let decompressor = try Decompressor(.gzip)
        do {
            try decompressor.decompress(ByteBuffer(bytes: bytes)) { _ in true }
        } catch let error as IPPStatusError {
            #expect(error.status == .clientErrorCompressionError)
        }
        #expect(!decompressor.isComplete)
    }

    @Test func `two streams are one document`() async throws {
        let bytes = try await compressed([1, 2, 3]) + compressed([4, 5])
        #expect(try decompress(bytes, maximumSize: 5) == [1, 2, 3, 4, 5])
    }

    @Test func `a byte at a time is enough`() async throws {
        let bytes = try await compressed(Self.text)
        #expect(try decompress(bytes, pieces: 1) == Self.text)
    }

    @Test func `a bomb is refused before it is unpacked`() async throws {
        let bomb = try await compressed([UInt8](repeating: 0, count: 4 << 20))
        let decompressor = try Decompressor(.gzip, maximumSize: 1 << 20)
        var passed = 0
        let error = #expect(throws: IPPStatusError.self) {
            try decompressor.decompress(ByteBuffer(bytes: bomb)) { piece in
                #expect(piece.readableBytes <= 64 << 10)
                passed += piece.readableBytes
                return true
            }
        }
        #expect(error?.status == .clientErrorRequestEntityTooLarge)
        #expect(passed <= 1 << 20)
    }

    private func decompress(
        _ bytes: [UInt8], pieces size: Int = .max, maximumSize: Int64 = Decompressor.maximumSize
    ) throws -> [UInt8] {
        let decompressor = try Decompressor(.gzip, maximumSize: maximumSize)
        var decompressed: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
            let piece = bytes[start..<min(bytes.count, start + min(size, bytes.count))]
            try decompressor.decompress(ByteBuffer(bytes: piece)) {
                decompressed += $0.readableBytesView
                return true
            }
        }
        #expect(decompressor.isComplete)
        return decompressed
    }
}
