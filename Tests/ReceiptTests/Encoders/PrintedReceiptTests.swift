import KioskPaperPictures
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// A receipt as it is printed by a simulated printer, which shares no code with the encoders.
struct PrintedReceipt {
    let document: ReceiptDocument
    let bytes: [UInt8]
    let papers: [PrintedPaper]
    let dump: String

    init(
        _ layout: ReceiptLayout, for target: ReceiptTarget, dotsPerInch: Int = 203,
        drawn draw: (Set<Drawing>) throws -> RenderedDrawings = { try BitmapRenderer.drawn($0) }
    ) throws {
        document = try ReceiptDocument(layout, for: target)
        let drawn = try draw(document.drawings)
        var model = PaperModel()
        // A head's width is a multiple of 8 dots, and so is that of the rows.
        model.width = (layout.paper.dots + 7) / 8 * 8
        (model.dotsPerInch, model.horizontalUnits, model.verticalUnits) = (dotsPerInch, dotsPerInch, dotsPerInch)
        var printer = try PaperPrinter(model)
        bytes = try document.bytes(with: drawn)
        papers = printer.print(bytes, as: target.simulated)
        dump = try document.dump(with: drawn)
    }

    /// Commands that the printer could not execute, or could not print completely.
    var faults: [String] {
        papers.flatMap { paper in paper.events.filter { $0.isFault || $0.line.contains("cut off") }.map(\.line) }
    }

    /// All papers, one below the other.
    var picture: Bitmap {
        var picture = Bitmap(
            width: papers.map(\.picture.width).max() ?? 1, height: papers.reduce(0) { $0 + $1.picture.height })
        var top = 0
        for paper in papers {
            picture.draw(paper.picture, x: 0, y: top)
            top += paper.picture.height
        }
        return picture
    }
}

extension ReceiptTarget {
    var simulated: PaperLanguage {
        switch self {
        case .escPos: .escPOS
        case .star: .star
        case .label: .zpl
        case .raster(let capabilities): capabilities.format == .urf ? .urf : .pwg
        case .text: .escPOS
        }
    }
}

extension Bitmap {
    init(_ matrix: DotMatrix) { self.init(width: matrix.width, height: matrix.height, rows: matrix.bytes) }
}

/// The golden files of every document of the corpus in each language: the commands for people, and the printed picture.
@Suite struct PrintedGoldenTests {
    private static func compare(
        _ name: String, _ ending: String, _ layout: ReceiptLayout, _ target: ReceiptTarget
    ) throws {
        let (golden, printed) = (GoldenReceipts(name: name), try PrintedReceipt(layout, for: target))
        #expect(try golden.golden("." + ending, now: printed.dump) == printed.dump)
        #expect(try golden.isGolden(".\(ending).png", now: printed.picture), "the picture is another one")
    }

    @Test(arguments: GoldenReceipts.names) func `as ESC POS`(_ name: String) throws {
        let layout = try GoldenReceipts(name: name).layout()
        try Self.compare(name, "escpos", layout, .escPos(EscPosCapabilities(paper: layout.paper)))
    }

    @Test(arguments: GoldenReceipts.names) func `as StarPRNT`(_ name: String) throws {
        let layout = try StarReadingTests.layout(name)
        try Self.compare(name, "star", layout, .star(StarCapabilities(paper: layout.paper)))
    }

    /// The picture is the one that previews show, and that printers get that take only pictures.
    @Test(arguments: RenderedReceiptTests.names) func `as ZPL`(_ name: String) throws {
        let layout = try GoldenReceipts(name: name).layout()
        try Self.compare(name, "zpl", layout, .label(LabelCapabilities(paper: layout.paper, language: .zpl)))
    }
}
