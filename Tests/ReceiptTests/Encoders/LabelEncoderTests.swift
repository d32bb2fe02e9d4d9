import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Labels in ZPL, EPL2 and TSPL.
@Suite struct LabelEncoderTests {
    private static func document(
        _ markup: String, _ language: LabelCapabilities.Language,
        _ change: (inout LabelCapabilities) -> Void = { _ in }
    ) throws -> ReceiptDocument {
        var capabilities = LabelCapabilities(paper: ReceiptPaper(columns: 24), language: language)
        change(&capabilities)
        let rules = ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))
        return try ReceiptDocument(ReceiptMarkup.read(markup, rules: rules).receipt, for: .label(capabilities))
    }

    private static func dump(
        _ markup: String, _ language: LabelCapabilities.Language,
        _ change: (inout LabelCapabilities) -> Void = { _ in }
    ) throws -> [String] {
        let document = try document(markup, language, change)
        return try document.dump(with: BitmapRenderer.drawn(document.drawings)).split(separator: "\n").map {
            String($0)
        }
    }

    @Test(arguments: LabelCapabilities.Language.allCases, ["{comment:nothing}", "="])
    func `an empty receipt is the receipt's fault`(_ language: LabelCapabilities.Language, _ markup: String) throws {
        let error = #expect(throws: ReceiptError.self) { try Self.dump(markup, language) }
        #expect(error?.message.hasPrefix("the receipt is empty") == true)
        #expect(try Self.dump("{command:\\x07}", language) == ["raw 7"])
    }

    @Test func `a label for each cut`() throws {
        let cut: (inout LabelCapabilities) -> Void = { $0.hasCutter = true }
        #expect(
            try Self.dump("-\n=\n=\n-\n{cut:feed}", .zpl, cut) == [
                "^XA", "^PW288", "^LL30", "^LH0,0", "^MNN", "^MMC", "^FO0,11^GFA,72,72,36,(2 rows, 4 digits)^FS", "^XZ",
                "^XA", "^PW288", "^LL30", "^LH0,0", "^MNN", "^MMT", "^FO0,11^GFA,72,72,36,(2 rows, 4 digits)^FS", "^XZ",
            ])
        #expect(try Self.dump("-\n=", .epl, cut) == ["N", "q288", "Q30,0", "GW0,11,36,2,(72 bytes)", "P1", "C"])
        #expect(
            try Self.dump("-\n=", .tspl, cut) == [
                "SIZE 36 mm,3.8 mm", "GAP 0 mm,0 mm", "DIRECTION 0", "REFERENCE 0,0", "SET CUTTER OFF", "CLS",
                "BITMAP 0,11,36,2,0,(72 bytes)", "PRINT 1,1", "CUT",
            ])
    }

    @Test func `labels of one length`() throws {
        let labels: (inout LabelCapabilities) -> Void = { $0.labelLength = 200 }
        #expect(try Self.dump("-", .zpl, labels).prefix(4) == ["^XA", "^PW288", "^LL200", "^LH0,0"])
        #expect(try Self.dump("-", .epl, labels).prefix(3) == ["N", "q288", "Q200,24"])
        #expect(try Self.dump("-", .tspl, labels).prefix(2) == ["SIZE 36 mm,25 mm", "GAP 3 mm,0 mm"])
        let error = #expect(throws: ReceiptError.self) { try Self.dump("{feed:7}\n-", .zpl, labels) }
        #expect(error?.code == .doesNotFit)
    }

    @Test func `raw commands stand before their label`() throws {
        #expect(try Self.dump("|\n{command:\\x7eSD15}\n-", .zpl).first == "raw 126 83 68 49 53")
    }

    /// Raw commands keep their order to what is printed, as a printer of plain text gets them. Only those in the middle
    /// of a label go before it.
    @Test(
        arguments: [
            ("-\n{command:\\x41}", ["label", "raw 65"]), ("-\n=\n{command:\\x41}", ["label", "raw 65"]),
            ("-\n=\n{command:\\x41}\n=\n{command:\\x42}", ["label", "raw 65 66"]),
            ("{command:\\x41}\n-\n{command:\\x42}", ["raw 65", "label", "raw 66"]),
            ("{command:\\x41}\n=\n-\n=\n{command:\\x42}\n-", ["raw 65", "label", "raw 66", "label"]),
            ("{command:\\x41}", ["raw 65"]), ("-\n=", ["label"]),
        ] as [(String, [String])])
    func `raw commands behind the last label follow it`(_ markup: String, _ expected: [String]) throws {
        let commands = try Self.dump(markup, .zpl).filter { $0.hasPrefix("raw") || $0 == "^XA" }
        #expect(commands.map { $0 == "^XA" ? "label" : $0 } == expected)
        let rules = ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))
        let text = try ReceiptDocument(
            ReceiptMarkup.read(markup, rules: rules).receipt,
            for: .text(PlainTextCapabilities(paper: ReceiptPaper(columns: 24), tearLines: 0))
        ).dump(with: .nothing).split(separator: "\n").map { $0.hasPrefix("raw") ? String($0.dropFirst(4)) : "label" }
        let each = expected.flatMap { part -> [String] in
            part == "label" ? [part] : part.dropFirst(4).split(separator: " ").map { String($0) }
        }
        #expect(text == each)
    }

    @Test(
        arguments: ["till-german", "label", "barcodes", "long-table", "images"],
        [LabelCapabilities.Language.epl, .tspl])
    func `another reader sees what was rendered`(_ name: String, _ language: LabelCapabilities.Language) throws {
        var layout = try GoldenReceipts(name: name).layout()
        layout.lines.removeAll { if case .cut = $0.content { true } else { false } }
        let document = try ReceiptDocument(
            layout, for: .label(LabelCapabilities(paper: layout.paper, language: language)))
        let drawn = try BitmapRenderer.drawn(document.drawings)
        let reader = LabelReader(try document.bytes(with: drawn), width: layout.paper.dots, height: layout.height)
        #expect(reader.labels == [Bitmap(try ReceiptPicture(layout).matrix(with: drawn))])
    }

    @Test(
        arguments: [
            ([0, 0], ","), ([0xFF], "HF"), ([0xFF, 0xFF], "JF"), ([0x12, 0], "12,"), ([0x10, 0x0F], "1H0F"),
            ([UInt8](repeating: 0xFF, count: 10), "gF"),
            ([UInt8](repeating: 0xFF, count: 36), "iRF"), ([UInt8](repeating: 0xAA, count: 2), "JA"),
        ] as [([UInt8], String)])
    func `digits are counted`(_ row: [UInt8], _ text: String) {
        #expect(String(decoding: ZPLCompression.compressed(row, bytesPerRow: row.count), as: UTF8.self) == text)
        #expect(
            String(decoding: ZPLCompression.compressed(row + row, bytesPerRow: row.count), as: UTF8.self) == text + ":")
    }
}
