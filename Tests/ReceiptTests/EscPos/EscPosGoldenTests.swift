import Testing

@testable import Receipts

/// The corpus as ESC/POS commands; where the printer's own characters or codes do not suffice, pictures stand in for them.
@Suite struct EscPosGoldenTests {
    @Test(arguments: GoldenReceipts.names) func `as commands`(_ name: String) throws {
        let golden = GoldenReceipts(name: name)
        let layout = try golden.layout()
        let document = try ReceiptDocument(layout, for: .escPos(EscPosPrinter(paper: layout.paper)))
        let dump = try document.dump(with: BitmapArtist.drawn(document.drawings))
        #expect(try golden.golden(".escpos", now: dump) == dump)
    }
}
