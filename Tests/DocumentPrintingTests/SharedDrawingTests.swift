import KioskDocumentPrinting
import KioskPrintModel
import KioskRenderingService
import KioskTestSupport
import Testing

/// Documents of several pages, of which two processes draw every other one where the computer has two processors.
@Suite struct SharedDrawingTests {
    private static let pages = 7
    /// The bytes of a file of Apple Raster before its first page.
    private static let header = 12

    private let folder: TemporaryFolder
    private let service: RenderingService

    init() throws {
        folder = try TemporaryFolder("shared")
        service = RenderingService(program: try BuiltProducts.path("kiosk-render"))
    }

    private func document(_ content: (Int) -> String = { "\($0 * 20) 100 30 \($0 * 50) re f" }) -> [UInt8] {
        var writer = PDFWriter()
        for page in 1...Self.pages { writer.addPage(width: 200, height: 400, content(page)) }
        return writer.bytes
    }

    private func prepared(
        _ document: [UInt8], _ ranges: ClosedRange<Int>, copies: Int = 1
    ) async throws -> PreparedDocument {
        let id = try #require(PrinterID(rawValue: "office"))
        let target = PreparationTarget(
            printer: SavedPrinter(id: id, url: try PrinterURL("ipp://192.0.2.1/ipp/print"), profile: "mine"),
            description: PrinterDescription(formats: [.appleRaster]))
        let settings = PageSettings(raster: .urf, resolutions: [150], isColor: false)
        let preparation = PagePreparation(
            settings: { _ in settings }, printing: { _ in nil }, service: service, folder: folder.path)
        var ticket = Ticket()
        ticket.pageRanges = [try #require(PageRange(first: ranges.lowerBound, last: ranges.upperBound))]
        ticket.copies = copies
        return try await preparation.prepare(
            PrintDocument(format: .pdf, body: .bytes(document)), nil, with: ticket, isCopy: false, for: target)
    }

    private func bytes(of document: PreparedDocument) async throws -> [UInt8] {
        let stream = try #require(document.document.rendering)
        var bytes: [UInt8] = []
        while true {
            let more = try await stream.read(1 << 16, at: Int64(bytes.count))
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    @Test(arguments: [1, 2]) func `pages that two processes draw are those that one draws, in their order`(
        copies: Int
    ) async throws {
        let document = document()
        var apart: [UInt8] = []
        for ranges in [1...3, 4...6, 7...7] {
            apart += try await bytes(of: prepared(document, ranges)).dropFirst(Self.header)
        }
        let together = try await bytes(of: prepared(document, 1...Self.pages, copies: copies))
        #expect(together.count > 1000)
        #expect(Array(together.dropFirst(Self.header)) == Array(repeatElement(apart, count: copies).joined()))
        // Apple Raster's header counts all pages.
        #expect(together[11] == UInt8(Self.pages * copies))
    }

    /// A document that was drawn whole, against expectation.
    private struct Drawn: Error {}

    @Test(arguments: [2, 3]) func `a page that cannot be drawn is named, whichever process draws it`(
        page damaged: Int
    ) async throws {
        var writer = PDFWriter()
        // A picture of more pixels than are drawn.
        let picture = writer.addStream(
            [], "/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceGray")
        for page in 1...Self.pages {
            writer.addPage(
                page == damaged ? "q 100 0 0 100 0 0 cm /P Do Q" : "10 10 50 50 re f",
                "/Resources << /XObject << /P \(picture) 0 R >> >>")
        }
        // Whoever is faster: before the stream is there, or as it is read.
        let problem: DocumentProblem
        do {
            _ = try await bytes(of: prepared(writer.bytes, 1...Self.pages))
            throw Drawn()
        } catch let failure as DocumentStreamFailure {
            problem = failure.problem
        } catch let failure as DocumentProblem {
            problem = failure
        }
        let message = problem.remark.message
        #expect(message.contains("page \(damaged) of \(Self.pages)"), "\(message)")
    }
}
