import PaperPictures
import PrintModel
import SimulatedPaper
import Testing

@testable import Receipts

/// Printers that take pictures only print exactly the picture that a preview shows.
@Suite struct PaintedReceiptTests {
    private static func painted(_ layout: ReceiptLayout) throws -> Bitmap {
        let picture = ReceiptPicture(layout)
        return Bitmap(try picture.matrix(with: try BitmapArtist.drawn(picture.drawings)))
    }

    /// Of the corpus: documents without commands, with something on paper.
    static let names = GoldenReceipts.names.filter { !["drawer-and-commands", "nothing"].contains($0) }

    @Test(arguments: names) func `as ZPL`(_ name: String) throws {
        let layout = try GoldenReceipts(name: name).layout()
        let printed = try PrintedReceipt(
            layout, for: .label(Receipts.LabelPrinter(paper: layout.paper, language: .zpl)))
        #expect(printed.faults == [])
        #expect(try printed.picture == Self.painted(layout))
    }

    @Test(arguments: names, [RasterPrinter.Format.pwgBlack, .pwgGrey, .urf]) func `as raster`(
        _ name: String, _ format: RasterPrinter.Format
    ) throws {
        let layout = try GoldenReceipts(name: name).layout()
        let printed = try PrintedReceipt(
            layout, for: .raster(RasterPrinter(paper: layout.paper, format: format, dotsPerInch: 203)))
        #expect(printed.faults == [])
        #expect(try printed.picture == Self.painted(layout))
    }

    /// A printer without characters or codes of its own: every line is drawn, and stands where the layout has it.
    @Test(arguments: names, [EscPosPrinter.RasterMethod.rows, .graphics]) func `as ESC POS rows`(
        _ name: String, _ method: EscPosPrinter.RasterMethod
    ) throws {
        var layout = try GoldenReceipts(name: name).layout()
        layout.lines.removeAll { if case .cut = $0.content { true } else { false } }
        let printer = EscPosPrinter(paper: layout.paper, codePages: [:], symbologies: [], raster: method)
        let printed = try PrintedReceipt(layout, for: .escPos(printer))
        #expect(printed.faults == [])
        #expect(printed.picture.width == layout.paper.dots + 64)
    }
}
