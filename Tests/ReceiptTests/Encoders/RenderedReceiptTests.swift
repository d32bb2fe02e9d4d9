import KioskPaperPictures
import KioskPrintModel
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Printers that take only pictures print exactly the picture that a preview shows.
@Suite struct RenderedReceiptTests {
    private static func rendered(_ layout: ReceiptLayout) throws -> Bitmap {
        let picture = ReceiptPicture(layout)
        return Bitmap(try picture.matrix(with: try BitmapRenderer.drawn(picture.drawings)))
    }

    /// The documents of the corpus that have no commands, and something on paper.
    static let names = GoldenReceipts.names.filter { !["drawer-and-commands", "nothing"].contains($0) }

    @Test(arguments: names) func `as ZPL`(_ name: String) throws {
        let layout = try GoldenReceipts(name: name).layout()
        let printed = try PrintedReceipt(
            layout, for: .label(LabelCapabilities(paper: layout.paper, language: .zpl)))
        #expect(printed.faults == [])
        #expect(try printed.picture == Self.rendered(layout))
    }

    @Test(arguments: names, [RasterCapabilities.Format.pwgBlack, .pwgGrey, .urf]) func `as raster`(
        _ name: String, _ format: RasterCapabilities.Format
    ) throws {
        let layout = try GoldenReceipts(name: name).layout()
        let printed = try PrintedReceipt(
            layout, for: .raster(RasterCapabilities(paper: layout.paper, format: format, dotsPerInch: 203)))
        #expect(printed.faults == [])
        #expect(try printed.picture == Self.rendered(layout))
    }

    /// For a printer without its own characters and codes every line is drawn, where the layout has it.
    @Test(arguments: names, [EscPosCapabilities.RasterMethod.rows, .graphics]) func `as ESC POS rows`(
        _ name: String, _ method: EscPosCapabilities.RasterMethod
    ) throws {
        var layout = try GoldenReceipts(name: name).layout()
        layout.lines.removeAll { if case .cut = $0.content { true } else { false } }
        let capabilities = EscPosCapabilities(paper: layout.paper, codePages: [:], symbologies: [], raster: method)
        let printed = try PrintedReceipt(layout, for: .escPos(capabilities))
        #expect(printed.faults == [])
        #expect(printed.picture.width == layout.paper.dots + 64)
    }
}

/// Codes that are drawn for a printer, read back by zbar: from the picture that previews show, and from printed paper.
@Suite struct RenderedCodesTests {
    static let names = [
        "barcodes", "two-dimensional", "narrow", "label", "till-english", "label-shipping", "label-shelf", "code-sizes",
        "codes-aligned",
    ]

    private static func drawn(_ drawings: Set<Drawing>) throws -> RenderedDrawings {
        try SystemRenderer.drawn(drawings)
    }

    private static func check(_ picture: Bitmap, _ layout: ReceiptLayout) async throws {
        // zbar shows control characters in another way.
        func plain(_ text: String) -> String { String(text.filter { $0.asciiValue.map { $0 >= 0x20 } ?? true }) }
        #expect(
            try await BarcodeReader.data(in: picture).map(plain).sorted()
                == BarcodeReader.said(in: layout).map(plain).sorted())
    }

    @Test(arguments: names) func `in a preview`(_ name: String) async throws {
        let layout = try GoldenReceipts(name: name).layout()
        let picture = ReceiptPicture(layout)
        try await Self.check(Bitmap(try picture.matrix(with: Self.drawn(picture.drawings))), layout)
    }

    @Test(arguments: names, PrintedBoundsTests.targets.indices) func `on paper`(
        _ name: String, _ target: Int
    ) async throws {
        let layout = try GoldenReceipts(name: name).layout()
        let printed = try PrintedReceipt(
            layout, for: PrintedBoundsTests.targets[target].1(layout.paper), drawn: Self.drawn)
        try await Self.check(printed.picture, layout)
    }
}
