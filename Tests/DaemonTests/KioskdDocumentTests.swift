import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// PDF files on their way through the daemon to printers of pages.
@Suite struct KioskdDocumentTests {
    /// The dots of an A4 sheet at 600 dpi: hundredths of a millimetre, rounded down.
    private static let a4: [Int] = [21_000, 29_700].map { $0 * 600 / 2540 }

    private static func pdf(_ pages: Int) -> [UInt8] {
        var writer = PDFWriter()
        for page in 1...pages { writer.addTextPage(["Page \(page)"], size: 72) }
        return writer.bytes
    }

    private func printer(_ formats: [String]) async throws -> EvePrinter {
        var options = EvePrinter.Options()
        options.formats = formats
        options.arguments = ["-2", "-s", "10,5"]
        return try await EvePrinter(options)
    }

    private func daemon(_ printer: EvePrinter) async throws -> KioskdFixture {
        try await KioskdFixture(printers: [printer.uri], role: "document")
    }

    private func submit(
        _ document: [UInt8], as format: String = "application/pdf", to daemon: KioskdFixture, _ query: String = ""
    ) async throws -> CurlResponse {
        let folder = try TemporaryFolder("document")
        let path = try folder.write(document, to: "document.pdf")
        return try await daemon.curl(
            "/v1/jobs?role=document&wait=300&media=iso_a4_210x297mm\(query)",
            ["-H", "Content-Type: \(format)", "--data-binary", "@\(path)"])
    }

    @Test func `a PDF goes to a printer of Apple raster page by page`() async throws {
        let printer = try await printer(["image/pwg-raster", "image/urf"])
        let daemon = try await daemon(printer)
        let job = try await submit(Self.pdf(3), to: daemon).json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.pages == 3)
        let file = try AppleRasterFile(try readFile(try #require(try printer.keptFiles().first)))
        #expect(file.pageCount == 3)
        #expect(file.dpi == 600)
        #expect([file.width, file.height] == Self.a4)
    }

    @Test func `pages are put two on a side, both sides and twice, before the printer hears of it`() async throws {
        let printer = try await printer(["image/pwg-raster", "image/urf"])
        let daemon = try await daemon(printer)
        let query = "&number-up=2&sides=two-sided-long-edge&copies=2&page-ranges=1-5&print-color-mode=monochrome"
        let job = try await submit(Self.pdf(6), to: daemon, query).json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        // Five pages on three sides, a blank back for the last, two copies.
        #expect(job.pages == 8)
        let file = try AppleRasterFile(try readFile(try #require(try printer.keptFiles().first)))
        #expect(file.pageCount == 8)
        #expect(file.bitsPerPixel == 8)
        #expect(file.sides == 3)
    }

    @Test func `a printer that takes PDF and does all of the ticket gets the file as it is`() async throws {
        let printer = try await printer(["application/pdf", "image/urf"])
        let daemon = try await daemon(printer)
        let document = Self.pdf(2)
        let job = try await submit(document, to: daemon).json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(try readFile(try #require(try printer.keptFiles().first)) == document)
    }

    @Test func `text is laid out for the paper, unless the printer takes it`() async throws {
        let printer = try await printer(["image/urf"])
        let daemon = try await daemon(printer)
        // 61 rows of 12 points are on A4 between margins of 18 mm.
        let text = Array(String(repeating: "Zeile\n", count: 62).utf8) + [0xFC]
        let job = try await submit(text, as: "text/plain", to: daemon).json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.pages == 2)
        #expect(job.remarks?.contains { $0.contains("Latin-1") } == true)
        #expect(try AppleRasterFile(try readFile(try #require(try printer.keptFiles().first))).pageCount == 2)
        let other = try await self.printer(["text/plain", "image/urf"])
        let second = try await self.daemon(other)
        #expect(try await submit(text, as: "text/plain", to: second).json(Job.self).state == .completed)
        #expect(try readFile(try #require(try other.keptFiles().first)) == text)
    }

    @Test func `a JPEG file goes as it is where every printer shows it alike`() async throws {
        for (picture, isUnchanged) in [(Self.baseline, true), (Self.progressive, false)] {
            let printer = try await printer(["image/jpeg", "image/urf"])
            let daemon = try await daemon(printer)
            let file = Array(try #require(Data(base64Encoded: picture, options: .ignoreUnknownCharacters)))
            let job = try await submit(file, as: "image/jpeg", to: daemon).json(Job.self)
            #expect(job.state == .completed, "\(job.message ?? "")")
            let sent = try readFile(try #require(try printer.keptFiles().first))
            #expect((sent == file) == isUnchanged)
            #expect(sent.starts(with: "UNIRAST".utf8) != isUnchanged)
            // A preview says the same.
            let path = try daemon.folder.write(file, to: "picture.jpg")
            let shown = try await daemon.curl(
                "/v1/preview?printer=till-1&media=iso_a4_210x297mm",
                ["-H", "Content-Type: image/jpeg", "-H", "Accept: application/json", "--data-binary", "@\(path)"])
            #expect(try shown.json(SheetList.self).isUnchanged == isUnchanged, "\(shown.text)")
        }
    }

    /// Eight grey pixels across and down, coded in each way by libjpeg-turbo.
    private static let baseline = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1x
        eXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQR
        BRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4
        eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEB
        AAA/AI6//9k=
        """
    private static let progressive = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1x
        eXBkeFxlZ2P/wgALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAv/aAAgBAQAAAAE//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgB
        AQABBQJ//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAGPwJ//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPyF//9oACAEBAAAA
        EH//xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAE/EH//2Q==
        """

    @Test func `a laser printer that knows PostScript alone gets it by its profile, and all of the ticket`()
        async throws
    {
        var options = SimulatedRawPrinter.Options()
        options.language = .pjl
        let printer = try await SimulatedRawPrinter.start(options)
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: laser, url: "\(printer.uri)", profile: generic-postscript }
                roles:
                  document:
                    printers: [laser]

                """, arguments: ["--profiles", ShippedProfiles.folder])
        let query = "&number-up=2&sides=two-sided-long-edge&copies=2&page-ranges=2-5"
        let job = try await submit(Self.pdf(6), to: daemon, query).json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.evidence == .printed)
        // Two sides, twice; the printer makes the copies.
        #expect(job.pages == 4)
        let text = String(decoding: try await printer.paper, as: UTF8.self)
        #expect(text.contains("%!PS-Adobe") && text.contains("/Duplex true"))
        #expect(text.components(separatedBy: "%%Page: ").count - 1 == 2)
        try await printer.stop()
    }

    @Test func `pages that nobody could count when the job was accepted are known at its end`() async throws {
        let printer = try await printer(["image/urf"])
        try await printer.stop()
        let daemon = try await daemon(printer)
        let folder = try TemporaryFolder("document")
        let path = try folder.write(Self.pdf(3), to: "document.pdf")
        let accepted = try await daemon.curl(
            "/v1/jobs?role=document&media=iso_a4_210x297mm",
            ["-H", "Content-Type: application/pdf", "--data-binary", "@\(path)"]
        ).json(Job.self)
        #expect(accepted.pages == nil)
        try await printer.start()
        let client = daemon.client()
        defer { client.close() }
        let job = try await eventuallyValue("the end of the job") {
            let job = try await client.job(accepted.id)
            return job.isSettled ? job : nil
        }
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.pages == 3)
    }

    @Test func `a damaged file and a range without pages are refused before there is a job`() async throws {
        let printer = try await printer(["image/urf"])
        let daemon = try await daemon(printer)
        let damaged = try await submit(Array("%PDF-1.7\nnothing\n".utf8), to: daemon)
        #expect(damaged.status == 422)
        #expect(damaged.text.contains("damaged"), "\(damaged.text)")
        let beyond = try await submit(Self.pdf(2), to: daemon, "&page-ranges=7-9")
        #expect(beyond.status == 422)
        #expect(beyond.text.contains("page"), "\(beyond.text)")
        #expect(try await daemon.client().jobs().jobs.isEmpty)
    }
}

/// The headers of a document in Apple Raster (CUPS `cups/raster-stream.c`).
private struct AppleRasterFile {
    let pageCount: Int
    let bitsPerPixel: Int
    /// 1 one-sided, 2 short edge, 3 long edge.
    let sides: Int
    let width: Int
    let height: Int
    let dpi: Int

    init(_ bytes: [UInt8]) throws {
        guard bytes.starts(with: "UNIRAST\0".utf8), bytes.count >= 44 else {
            throw TestSupportError("\(bytes.prefix(12)) is no Apple raster")
        }
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        pageCount = number(8)
        bitsPerPixel = Int(bytes[12])
        sides = Int(bytes[14])
        (width, height, dpi) = (number(24), number(28), number(32))
    }
}
