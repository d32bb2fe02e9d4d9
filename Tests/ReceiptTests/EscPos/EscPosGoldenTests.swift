import Testing

@testable import Receipts

/// The corpus as ESC/POS commands; where the printer's own characters or codes do not suffice, why.
@Suite struct EscPosGoldenTests {
    @Test(arguments: GoldenReceipts.names) func `as commands`(_ name: String) throws {
        let golden = GoldenReceipts(name: name)
        let layout = try golden.layout()
        let dump: String
        do throws(ReceiptError) {
            dump = try EscPosDocument(layout, for: EscPosPrinter(paper: layout.paper)).dump
        } catch {
            dump = "error: \(error)\n"
        }
        #expect(try golden.golden(".escpos", now: dump) == dump)
    }
}
