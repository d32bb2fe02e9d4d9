import PaperPictures
import SimulatedPaper
import TestSupport
import Testing

@testable import Receipts

/// Codes that are drawn for a printer, read back by zbar: from the picture that previews show, and from what printers
/// made of it.
@Suite struct PaintedCodesTests {
    static let names = [
        "barcodes", "two-dimensional", "narrow", "label", "till-english", "label-shipping", "label-shelf", "code-sizes",
        "codes-aligned",
    ]

    private static func drawn(_ drawings: Set<Drawing>) throws -> Drawn { try RealArtist.drawn(drawings) }

    private static func check(_ picture: Bitmap, _ layout: ReceiptLayout) async throws {
        // zbar shows control characters its own way.
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
