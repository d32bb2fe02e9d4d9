import PaperPictures
import SimulatedPaper
import TestSupport
import Testing

@testable import Receipts

/// A printer of Star's that shares no code with the encoder reads what it is meant to.
@Suite struct StarReadingTests {
    static let names = GoldenReceipts.names.filter { $0 != "drawer-and-commands" }

    /// Star's font B is higher than Epson's.
    static func layout(_ name: String) throws -> ReceiptLayout {
        try GoldenReceipts(name: name).layout { $0.fontB = StarPrinter.usualPaper.fontB }
    }

    static let printers: [(String, @Sendable (ReceiptPaper) -> StarPrinter)] = [
        ("graphics", { StarPrinter(paper: $0) }), ("raster mode", { StarPrinter(paper: $0, raster: .rasterMode) }),
        ("without text", { StarPrinter(paper: $0, hasText: false) }),
    ]

    @Test(arguments: names, printers.indices) func `all is understood`(_ name: String, _ printer: Int) throws {
        let layout = try Self.layout(name)
        let printed = try PrintedReceipt(layout, for: .star(Self.printers[printer].1(layout.paper)))
        #expect(printed.faults == [])
        #expect(
            printed.papers.first?.cuts.count
                == layout.lines.filter { if case .cut(let mode) = $0.content { mode != .feed } else { false } }.count)
    }

    @Test(arguments: ["barcodes", "two-dimensional", "narrow", "label"], printers.indices)
    func `zbar reads back what every code says`(_ name: String, _ printer: Int) async throws {
        let layout = try Self.layout(name)
        let printed = try PrintedReceipt(layout, for: .star(Self.printers[printer].1(layout.paper)))
        #expect(try await BarcodeReader.data(in: printed.picture).sorted() == BarcodeReader.said(in: layout).sorted())
    }
}
