import KioskPrintModel
import Testing

@testable import KioskReceipts

/// The properties in braces.
@Suite struct MarkupReaderTests {
    private static let all = ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))

    private static func elements(_ text: String, strict: Bool = false) throws -> [ReceiptElement] {
        var rules = all
        rules.isStrict = strict
        return try ReceiptMarkup.read(text, rules: rules).receipt.elements
    }

    @Test(arguments: [
        ("{width:*,10}", LineSettings(widths: [.share, .characters(10)])),
        ("{ width : * 4  8 }", LineSettings(widths: [.share, .characters(4), .characters(8)])),
        ("{w:*,,2}", LineSettings(widths: [.share, .characters(0), .characters(2)])),
        ("{width:auto}", LineSettings(widths: [])),
        ("{width:3 auto}", LineSettings(widths: [])),
        ("{width:99999999999999999999}", LineSettings(widths: [.characters(999)])),
        ("{border:line}", LineSettings(border: .line)), ("{b:SPACE}", LineSettings(border: .space(1))),
        ("{border:none}", LineSettings(border: .space(0))),
        ("{border:2}", LineSettings(border: .space(2))), ("{border:02}", LineSettings(border: .space(2))),
        ("{border:3}", LineSettings(border: .space(1))),
        ("{align:left}", LineSettings(alignment: .left)), ("{a:Right}", LineSettings(alignment: .right)),
        ("{align:middle}", LineSettings(alignment: .center)),
        ("{text:nowrap}", LineSettings(wrapping: TextWrapping.none)), ("{t:wrap}", LineSettings(wrapping: .character)),
        ("{text:word}", LineSettings(wrapping: .word)),
        ("{font:b;spacing:12}", LineSettings(font: .b, spacing: .dots(12))),
        ("{spacing:standard}", LineSettings(spacing: .standard)),
        (
            "{border:line; width:* 4; align:left}",
            LineSettings(widths: [.share, .characters(4)], border: .line, alignment: .left)
        ),
        ("{align:left;align:right}", LineSettings(alignment: .right)),
    ])
    func `settings`(_ text: String, _ expected: LineSettings) throws {
        #expect(try Self.elements(text) == [.settings(expected)])
    }

    @Test(arguments: [
        ("{code:1234}", ReceiptCode("1234", .code128)), ("|{c:1234}", ReceiptCode("1234", .code128, alignment: .left)),
        ("{code:AB;option:code39 hri 3 100}", ReceiptCode("AB", .code39, module: 3, height: 100, readable: true)),
        ("{option:qrcode,5,m}\n{code:a}", ReceiptCode("a", .qrcode, cell: 5, level: .m)),
        // One number sets both the module and the cell.
        ("{option:QRCODE 3}\n{code:a}", ReceiptCode("a", .qrcode, module: 3, cell: 3)),
        ("{option:qrcode 99 1}\n{code:a}", ReceiptCode("a", .qrcode, height: 99)),
        // An option that is not named returns to its default.
        ("{option:ean 4 hri}\n{option:jan}\n{code:4006381333931}", ReceiptCode("4006381333931", .ean)),
        ("{code:A\\x3b\\;\\\\B\\n;option:qrcode}", ReceiptCode("A;;\\B\n", .qrcode)),
        ("{code:https://example.org/?a=b;option:qrcode}", ReceiptCode("https://example.org/?a=b", .qrcode)),
        ("{code:A1B;option:nw7}", ReceiptCode("A1B", .codabar)), ("{code:x;option:pdf417}", ReceiptCode("x", .pdf417)),
        ("{code:x;option:datamatrix 4}", ReceiptCode("x", .datamatrix, module: 4, cell: 4)),
    ])
    func `codes`(_ text: String, _ expected: ReceiptCode) throws {
        #expect(try Self.elements(text) == [.code(expected)])
    }

    @Test func `commands are bytes`() throws {
        #expect(try Self.elements("{command:\\x1b\\x40\\xffA\\n}") == [.command([0x1B, 0x40, 0xFF, 0x41, 0x0A])])
    }

    @Test func `a command of nothing is none`() throws { #expect(try Self.elements("{command:\\a}").isEmpty) }

    @Test func `images are kept as their file is`() throws {
        let file = RandomReceipt.png(width: 256, height: 64)
        let image = ReceiptImage(file, alignment: .right)
        #expect(try Self.elements("| {image:\(Base64.encode(file))}") == [.image(image)])
        #expect(try image.size() == ReceiptImage.Size(width: 256, height: 64))
    }

    @Test func `feeds, cuts and the drawer`() throws {
        #expect(
            try Self.elements("{feed:3;cut:full;drawer:1}\n{drawer:2,200}\n{cut:feed}") == [
                .feed(lines: 3), .cut(.full), .drawer(DrawerKick()),
                .drawer(DrawerKick(connector: 2, milliseconds: 200)), .cut(.feed),
            ])
    }

    @Test func `one property says all it can in the specification's order`() throws {
        #expect(
            try Self.elements("{code:7;command:a;option:code39;comment:this and that;_:x;border:line}") == [
                .settings(LineSettings(border: .line)), .code(ReceiptCode("7", .code39)), .command([0x61]),
            ])
        #expect(try Self.elements("{}").isEmpty)
        #expect(try Self.elements("{;comment:x;}").isEmpty)
    }

    @Test(arguments: [
        "{font:b}", "{drawer:1}", "{cut:full}", "{feed:2}", "{spacing:9}", "{text:word}", "{option:pdf417}",
        "{widht:3}", "{align:middle}",
    ])
    func `strictly, what the specification does not know is remarked and does nothing`(_ text: String) throws {
        let reading = try ReceiptMarkup.read(text + "\n{code:1}", rules: ReceiptMarkup.Rules(isStrict: true))
        #expect(reading.remarks.count == 1)
        #expect(reading.remarks.first?.place?.line == 1)
        #expect(reading.receipt.elements.last == .code(ReceiptCode("1", .code128)))
        #expect(reading.receipt.privileges.isEmpty)
    }
}
