import Testing

@testable import Receipts

/// Every document of the corpus, as it is said to printers of each language and as they print it: commands for people,
/// and pictures.
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
        try Self.compare(name, "escpos", layout, .escPos(EscPosPrinter(paper: layout.paper)))
    }

    @Test(arguments: GoldenReceipts.names) func `as StarPRNT`(_ name: String) throws {
        let layout = try StarReadingTests.layout(name)
        try Self.compare(name, "star", layout, .star(StarPrinter(paper: layout.paper)))
    }

    /// The picture is what previews show, and what printers get that take pictures only.
    @Test(arguments: PaintedReceiptTests.names) func `as ZPL`(_ name: String) throws {
        let layout = try GoldenReceipts(name: name).layout()
        try Self.compare(name, "zpl", layout, .label(Receipts.LabelPrinter(paper: layout.paper, language: .zpl)))
    }
}
