import Foundation
import KioskDocumentPrinting
import KioskPaperPictures
import KioskPrintModel
import KioskRenderingService
import KioskSimulatedPaper
import KioskTestSupport
import Testing

/// PDF files that `kiosk-render` draws, as the commands that a printer of labels or receipts gets.
@Suite struct LabelDocumentTests {
    private let folder: TemporaryFolder
    private let service: RenderingService

    init() throws {
        folder = try TemporaryFolder("labels")
        service = RenderingService(program: try BuiltProducts.path("kiosk-render"))
    }

    private func prepared(
        _ document: [UInt8], for settings: PrintingSettings, _ change: (inout Ticket) -> Void = { _ in }
    ) async throws -> PreparedDocument {
        var ticket = Ticket()
        change(&ticket)
        let id = try #require(PrinterID(rawValue: "label-1"))
        let target = PreparationTarget(
            printer: SavedPrinter(id: id, url: try PrinterURL("socket://192.0.2.1"), profile: "mine"),
            description: PrinterDescription(formats: [.octetStream]))
        let preparation = PagePreparation(
            settings: { _ in nil }, printing: { _ in settings }, service: service, folder: folder.path)
        return try await preparation.prepare(
            PrintDocument(format: .pdf, body: .bytes(document)), nil, with: ticket, isCopy: false, for: target)
    }

    /// All that the printer gets.
    private func bytes(of document: PreparedDocument) async throws -> [UInt8] {
        let stream = try #require(document.document.rendering)
        var bytes: [UInt8] = []
        while true {
            let more = try await stream.read(1 << 16, at: Int64(bytes.count))
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    private func papers(_ bytes: [UInt8], _ language: PaperLanguage, dots: Int) throws -> [PrintedPaper] {
        var model = PaperModel()
        (model.width, model.margin) = (dots, 0)
        var printer = try PaperPrinter(model)
        return printer.print(bytes, as: language)
    }

    private func pages(_ count: Int, width: Int = 812, height: Int = 1218) -> [UInt8] {
        var file = PDFWriter()
        let dot = 72.0 / 203
        for page in 0..<count {
            // Its number as the length of a bar.
            file.addPage(
                width: Double(width) * dot, height: Double(height) * dot,
                "\(10 * dot) \(Double(height - 30) * dot) \(Double(page + 1) * 10 * dot) \(20 * dot) re f")
        }
        return file.bytes
    }

    /// The number of a page that `pages` wrote.
    private func number(_ picture: Bitmap) -> Int { (0..<picture.width).count { picture[$0, 15] } / 10 }

    @Test func `labels are drawn no further ahead than they are taken, and come in the order of the copies`()
        async throws
    {
        let document = try await prepared(pages(12), for: CommandOutputTests.zpl) { $0.copies = 2 }
        #expect(document.pages == 24 && document.remarks.isEmpty)
        #expect(document.ticket == Ticket())
        // Nobody has read any yet.
        #expect(document.document.rendering?.isRendered == false)
        let labels = try papers(try await bytes(of: document), .zpl, dots: 812).map(\.picture)
        #expect(labels.map(number) == Array(1...12) + Array(1...12))
        let apart = try await prepared(pages(3), for: CommandOutputTests.zpl) {
            ($0.copies, $0.documentHandling) = (2, .uncollatedCopies)
        }
        let pictures = try papers(try await bytes(of: apart), .zpl, dots: 812).map(\.picture)
        #expect(pictures.map(number) == [1, 1, 2, 2, 3, 3])
    }

    static let languages: [(PrintingSettings, PaperLanguage)] = [
        (PrintingSettings(language: .escPOS, dots: 576, paperWidth: 80, cuts: [.full, .partial]), .escPOS),
        (
            PrintingSettings(
                language: .escPOS, dots: 384, paperWidth: 58, cuts: [.partial], raster: .init(method: .gsL)), .escPOS
        ),
        (PrintingSettings(language: .starPRNT, dots: 576, paperWidth: 80, cuts: [.full, .partial]), .star),
        (PrintingSettings(language: .starRaster, dots: 576, paperWidth: 80, cuts: [.full, .partial]), .star),
    ]

    @Test(arguments: languages.indices) func `a ticket for each page, each cut where its content ends`(
        _ index: Int
    ) async throws {
        let (settings, language) = Self.languages[index]
        let document = try await prepared(pages(3, width: settings.dots, height: 400), for: settings) {
            $0.cut = .partial
        }
        #expect(document.pages == 3 && document.remarks.isEmpty, "\(document.remarks)")
        let paper = try #require(papers(try await bytes(of: document), language, dots: settings.dots).first)
        #expect(paper.faults.map(\.line) == [] && paper.cuts.map(\.isPartial) == [true, true, true])
        // The bars of three pages, without the white of the pages; the lines of the cuts go from edge to edge.
        let rows = (0..<paper.picture.height).filter { paper.picture[15, $0] && !paper.picture[0, $0] }
        #expect(rows.count == 60, "\(rows)")
        #expect(rows.first == 0)
    }

    @Test func `pages without a cut between them follow each other`() async throws {
        let document = try await prepared(pages(3, width: 576, height: 400), for: Self.languages[0].0) {
            $0.cut = Ticket.Cut.none
        }
        let paper = try #require(papers(try await bytes(of: document), .escPOS, dots: 576).first)
        #expect(paper.cuts.isEmpty)
        #expect((0..<60).allSatisfy { paper.picture[10, $0] } && !paper.picture[10, 61])
    }

    @Test func `several pages on a label, and a page that is no longer than its ink`() async throws {
        let document = try await prepared(pages(4), for: CommandOutputTests.zpl) { $0.numberUp = 2 }
        #expect(document.pages == 2)
        let labels = try papers(try await bytes(of: document), .zpl, dots: 812)
        #expect(labels.count == 2 && labels.allSatisfy { !$0.picture.isBlank })
    }

    @Test func `a document without ink is refused on a roll, and a page without ink is no paper`() async throws {
        var white = PDFWriter()
        white.addPage(width: 204, height: 100, "")
        await #expect(throws: DocumentProblem.self) { try await prepared(white.bytes, for: Self.languages[0].0) }
        white.addPage(width: 204, height: 100, "10 10 50 50 re f")
        let document = try await prepared(white.bytes, for: Self.languages[0].0)
        let paper = try #require(papers(try await bytes(of: document), .escPOS, dots: 576).first)
        #expect(paper.cuts.count == 1)
    }

    @Test func `a page whose ink the head does not reach is made narrower, unless the ticket says how`() async throws {
        var file = PDFWriter()
        file.addPage(width: 80 * 72 / 25.4, height: 100, "2 40 222 10 re f")
        let narrower = try await prepared(file.bytes, for: Self.languages[0].0)
        #expect(narrower.remarks.count == 1 && narrower.remarks[0].contains("narrower"), "\(narrower.remarks)")
        let paper = try #require(papers(try await bytes(of: narrower), .escPOS, dots: 576).first)
        let ink = (0..<576).filter { paper.picture[$0, 5] }
        #expect(ink.count > 550 && ink.count < 576)
        let cut = try await prepared(file.bytes, for: Self.languages[0].0) { $0.scaling = Ticket.Scaling.none }
        #expect(cut.remarks.count == 1 && cut.remarks[0].contains("cut off"), "\(cut.remarks)")
        let other = try #require(papers(try await bytes(of: cut), .escPOS, dots: 576).first)
        #expect((0..<576).allSatisfy { other.picture[$0, 5] })
    }

    @Test func `bars of whole dots are as wide as they are, wherever they stand`() async throws {
        var random = SeededRandom(7)
        var (content, bars, x): (String, [Range<Int>], Int) = ("", [], 5)
        let dot = 72.0 / 203
        while x < 800 {
            let width = Int.random(in: 1...6, using: &random)
            content += "\(Double(x) * dot) 20 \(Double(width) * dot) 100 re f\n"
            bars.append(x..<x + width)
            x += width + Int.random(in: 1...6, using: &random)
        }
        var file = PDFWriter()
        file.addPage(width: 288, height: 432, content)
        let document = try await prepared(file.bytes, for: CommandOutputTests.zpl)
        let label = try #require(papers(try await bytes(of: document), .zpl, dots: 812).first).picture
        let row = 1218 - Int(60 / dot)
        let printed = (0..<812).filter { label[$0, row] }
        let meant = bars.flatMap { Array($0) }.filter { $0 < 812 }
        #expect(printed == meant)
    }

    /// Bars and gaps of `KIOSK-4X6-0815` in Code 128, in modules.
    private static let code = "KIOSK-4X6-0815"
    private static let widths =
        "2112141123312313111331212131131123311221322212313311212231121221321131411322121132221421122331112"

    /// Bars of any width are read as often as a thermal head of 203 dots an inch allows: two dots for a module, always.
    @Test func `barcodes of 0.25 to 0.4 mm modules at any place are read from the dots`() async throws {
        var file = PDFWriter()
        let millimetre = 72 / 25.4
        let modules = (0..<16).map { 0.25 + Double($0) * 0.01 }
        for module in modules {
            for offset in [0.0, 0.037] {
                var (content, x) = ("", 8 + offset)
                for (index, width) in Self.widths.compactMap(\.wholeNumberValue).enumerated() {
                    let length = Double(width) * module
                    if index % 2 == 0 {
                        let rectangle = [x, 5, length, 20].map { "\($0 * millimetre)" }.joined(separator: " ")
                        content += rectangle + " re f\n"
                    }
                    x += length
                }
                file.addPage(width: 101.6 * millimetre, height: 30 * millimetre, content)
            }
        }
        let document = try await prepared(file.bytes, for: CommandOutputTests.zpl) { $0.media = "oe_label_4x1.18in" }
        let labels = try papers(try await bytes(of: document), .zpl, dots: 812)
        #expect(labels.count == 32)
        var unread: [Double] = []
        for (index, label) in labels.enumerated() {
            let read = try await Zbar.read(PNGFile.bytes(label.picture, dotsPerInch: 203))
            if read.map(\.data) != [Self.code] { unread.append(modules[index / 2]) }
        }
        // zbar leaves one of them out, which zxing reads.
        #expect(unread.count <= 2, "\(unread)")
    }
}
