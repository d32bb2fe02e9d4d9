import KioskPaperPictures
import KioskPrintModel
import Testing

@testable import KioskReceipts
@testable import KioskSimulatedPaper

/// Lines that are turned by half on printers that take no pictures of them.
@Suite struct UpsideDownTests {
    private static func target(upsideDown: Bool, symbologies: Set<Symbology> = []) -> ReceiptTarget {
        var capabilities = EscPosCapabilities(
            paper: ReceiptPaper(columns: 24), symbologies: symbologies, cuts: [.partial], raster: nil)
        capabilities.hasUpsideDown = upsideDown
        return .escPos(capabilities)
    }

    private static func document(_ markup: String, _ target: ReceiptTarget) throws -> ReceiptDocument {
        let rules = ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))
        return try ReceiptDocument(ReceiptMarkup.read(markup, rules: rules).receipt, for: target)
    }

    private static func paper(_ markup: String, _ target: ReceiptTarget) throws -> PrintedPaper {
        var model = PaperModel()
        model.width = 24 * 12
        var printer = try PaperPrinter(model)
        return try #require(printer.print(document(markup, target).bytes(with: .nothing), as: .escPOS).first)
    }

    @Test func `each line is turned by the printer, the last one first`() throws {
        let document = try Self.document("a\n{rotate:180}\nb\nc\n{rotate:0}\nd", Self.target(upsideDown: true))
        let lines = try document.dump(with: .nothing).split(separator: "\n").filter {
            $0.hasPrefix("\"") || $0.hasPrefix("ESC {")
        }
        #expect(lines == ["\"a\"", "ESC { on", "\"c\"", "\"b\"", "ESC { off", "\"d\""])
        #expect(document.remarks == [] && document.drawings == [])
        #expect([EscPosCommand.upsideDown(true), .upsideDown(false)].bytes == [0x1B, 0x7B, 1, 0x1B, 0x7B, 0])
    }

    @Test func `on paper they are the upright lines, turned as a whole`() throws {
        let lines = "|Tea^\n|TOTAL|2.50\n{code:4006381333931;option:ean}\n|{code:12;option:itf}\n"
        let target = Self.target(upsideDown: true, symbologies: [.ean, .itf])
        let upright = try Self.paper("{spacing:0}\n" + lines, target)
        let turned = try Self.paper("{spacing:0}\n{rotate:180}\n" + lines, target)
        #expect(turned.events.filter(\.isFault).isEmpty)
        #expect(turned.picture == upright.picture.turnedUpsideDown)
    }

    @Test func `a cut, a drawer and a command stand where they stood`() throws {
        let document = try Self.document(
            "{rotate:180}\na\n{drawer:1}\n=\nb\n{command:\\x07}\n", Self.target(upsideDown: true))
        let lines = try document.dump(with: .nothing).split(separator: "\n").filter { line in
            ["\"", "ESC {", "ESC p", "GS V", "raw"].contains { line.hasPrefix($0) }
        }
        // What a command has changed is set anew.
        #expect(
            lines == [
                "ESC p 1 120 ms", "ESC { on", "\"a\"", "GS V partial", "raw 7", "ESC { on", "\"b\"",
            ])
    }

    @Test func `a printer that does not turn them prints them upright, with a remark`() throws {
        let remark = "the printer turns no lines: they were printed upright"
        let without = try Self.document("{rotate:180}\na", Self.target(upsideDown: false))
        #expect(without.remarks == [remark])
        #expect(try !without.dump(with: .nothing).contains("ESC {"))
        // Only a half turn is a line's own.
        let sideways = try Self.document("{rotate:180}\na\n{rotate:90}\nb", Self.target(upsideDown: true))
        #expect(sideways.remarks == [remark])
        let lines = try sideways.dump(with: .nothing).split(separator: "\n").filter {
            $0.hasPrefix("\"") || $0.hasPrefix("ESC {")
        }
        #expect(lines == ["ESC { on", "\"a\"", "ESC { off", "\"b\""])
    }

    @Test func `a printer that takes pictures gets one`() throws {
        var capabilities = EscPosCapabilities(paper: ReceiptPaper(columns: 24))
        capabilities.hasUpsideDown = true
        let document = try Self.document("{rotate:180}\na", .escPos(capabilities))
        let dump = try document.dump(with: BitmapRenderer.drawn(document.drawings))
        #expect(dump.contains("GS v 0") && !dump.contains("ESC {"))
    }
}
