import KioskTestSupport
import Testing

@testable import KioskReceipts

/// The commands for an ESC/POS printer.
@Suite struct EscPosDocumentTests {
    private static func document(
        _ markup: String, columns: Int = 48, _ change: (inout EscPosCapabilities) -> Void = { _ in }
    ) throws -> EscPosDocument {
        var capabilities = EscPosCapabilities(paper: ReceiptPaper(columns: columns))
        change(&capabilities)
        let receipt = try ReceiptMarkup.read(
            markup, rules: ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))
        ).receipt
        return try EscPosDocument(try ReceiptLayout(receipt, on: capabilities.paper), for: capabilities)
    }

    private static func dump(
        _ markup: String, _ change: (inout EscPosCapabilities) -> Void = { _ in }
    ) throws -> [String] {
        try document(markup, change).dump.split(separator: "\n").map { String($0) }
    }

    private static func document(
        _ markup: String, _ change: (inout EscPosCapabilities) -> Void
    ) throws -> EscPosDocument {
        try document(markup, columns: 48, change)
    }

    @Test func `text at its place, a line at a time`() throws {
        #expect(try Self.dump("|Tea | 2.50") == ["ESC @", "ESC 3 30", "\"Tea\"", "ESC $ 528", "\"2.50\"", "LF"])
        #expect(try Self.document("|A\n").bytes == [0x1B, 0x40, 0x1B, 0x33, 30, 0x41, 0x0A])
    }

    @Test func `styles are set when they change, and only then`() throws {
        #expect(
            try Self.dump("|\"b\"\n|_`u`_\n|^^^^x") == [
                "ESC @", "ESC 3 30", "ESC E on", "\"b\"", "LF", "ESC E off", "ESC - on", "GS B on", "\"u\"", "LF",
                "ESC 3 78", "ESC - off", "GS B off", "GS ! 3×3", "\"x\"", "LF",
            ])
        #expect(try Self.document("|^^^^^^^x").bytes.suffix(5) == [0x1D, 0x21, 0x55, 0x78, 0x0A])
    }

    @Test func `the Euro sign`() throws {
        #expect(
            try Self.dump("|é €1\n|é") == [
                "ESC @", "ESC 3 30", "\"é \"", "ESC t 19  CP858", "\"€1\"", "LF", "\"é\"", "LF",
            ])
        #expect(try Self.document("|€").bytes == [0x1B, 0x40, 0x1B, 0x33, 30, 0x1B, 0x74, 19, 0xD5, 0x0A])
    }

    @Test func `after a raw command all is set anew`() throws {
        #expect(
            try Self.dump("|\"€\n{command:\\x1b\\x40}\n|\"€") == [
                "ESC @", "ESC 3 30", "ESC E on", "ESC t 19  CP858", "\"€\"", "LF", "raw 27 64", "ESC a left",
                "ESC 3 30", "ESC M 0", "ESC E on", "ESC - off", "GS B off", "GS ! 1×1", "ESC t 19  CP858", "\"€\"",
                "LF",
            ])
    }

    @Test func `a box is drawn with characters, as tall as its text`() throws {
        #expect(
            try Self.dump("{border:line;width:3;align:left}\n^^a") == [
                "ESC @", "ESC 3 24", "\"┌───┐\"", "LF", "ESC 3 48", "GS ! 1×2", "\"│\"", "ESC $ 24", "\"a\"",
                "ESC $ 48", "\"│\"", "LF", "ESC 3 24", "GS ! 1×1", "\"└───┘\"", "LF",
            ])
    }

    @Test(arguments: [
        ("{option:upc}\n{code:01234567890}", "GS k 65 \"012345678905\""),
        ("{option:upc}\n{code:0123456}", "GS k 66 \"01234565\""),
        ("{option:ean}\n{code:400638133393}", "GS k 67 \"4006381333931\""),
        ("{option:ean}\n{code:7351353}", "GS k 68 \"73513537\""), ("{option:code39}\n{code:*A-1*}", "GS k 69 \"A-1\""),
        ("{option:itf}\n{code:1234}", "GS k 70 \"1234\""),
        ("{option:nw7}\n{code:a1b}", "GS k 71 \"A1B\""), ("{option:code93}\n{code:a\\x09}", "GS k 72 \"a<9>\""),
        ("{code:AB123456}", #"GS k 73 "{BAB{C<12>"8""#),
    ])
    func `barcodes`(_ markup: String, _ command: String) throws {
        #expect(try Self.dump(markup) == ["ESC @", "ESC a center", "GS h 72", "GS w 2", "GS H none", command])
    }

    @Test func `QR codes have white around them`() throws {
        #expect(
            try Self.dump("|{code:hi;option:qrcode 5 h}\n|a") == [
                "ESC @", "ESC J 20", "GS ( k 49 65 50 0", "GS ( k 49 67 5", "GS ( k 49 69 51", "GS ( k 49 80 \"hi\"",
                "GS ( k 49 81 48", "ESC J 20", "ESC 3 30", "\"a\"", "LF",
            ])
        #expect(
            try Self.document("|{code:hi;option:qrcode}").bytes.suffix(19)
                == [0x1D, 0x28, 0x6B, 5, 0, 49, 80, 48, 0x68, 0x69, 0x1D, 0x28, 0x6B, 3, 0, 49, 81, 48, 0x1B, 0x4A, 12]
                .suffix(19))
    }

    @Test func `a code in narrow columns is aligned in them`() throws {
        #expect(
            try Self.dump("{width:24;align:right}\n| {code:1234;option:itf}") == [
                "ESC @", "GS L 288", "GS W 288", "ESC a right", "GS h 72", "GS w 2", "GS H none", "GS k 70 \"1234\"",
                "GS L 0", "GS W 576",
            ])
    }

    @Test func `cuts, feeds and what a printer lacks`() throws {
        #expect(
            try Self.dump("=\n{cut:full}\n{cut:feed}\n{feed:10}") == [
                "ESC @", "GS V partial", "GS V full", "ESC J 120", "ESC J 255", "ESC J 45",
            ])
        #expect(try Self.dump("=\n{cut:full}") { $0.cuts = [.full] } == ["ESC @", "GS V full", "GS V full"])
        #expect(try Self.dump("=") { $0.cuts = [] } == ["ESC @", "ESC J 120"])
        #expect(try Self.document("=").bytes == [0x1B, 0x40, 0x1D, 0x56, 0x42, 0])
    }

    @Test func `each drawer is kicked once, whatever the receipt repeats`() throws {
        #expect(
            try Self.dump("{drawer:1}\n{drawer:2,200}\n{drawer:1}") == ["ESC @", "ESC p 1 120 ms", "ESC p 2 200 ms"])
        #expect(try Self.document("{drawer:2,200}").bytes == [0x1B, 0x40, 0x1B, 0x70, 1, 100, 250])
    }

    @Test func `what the printer cannot print is an error before anything is said`() {
        #expect(throws: ReceiptError.self) { try Self.document("日本") }
        #expect(throws: ReceiptError.self) { try Self.document("{code:1;option:datamatrix}") }
        #expect(throws: ReceiptError.self) { try Self.document("{code:1;option:qrcode}") { $0.symbologies = [] } }
    }

    @Test func `motion units are set where they are not dots`() throws {
        #expect(try Self.dump("a") { $0.motionUnit = 180 }.prefix(2) == ["ESC @", "GS P 180 180"])
    }

    @Test func `very large letters are fed in two steps`() throws {
        var layout = try ReceiptLayout(
            Receipt { ReceiptElement.text("A", align: .left, style: TextStyle(width: 8, height: 8)) },
            on: ReceiptPaper(columns: 48))
        layout.lines[0].height += 100
        let document = try EscPosDocument(layout, for: EscPosCapabilities(paper: layout.paper))
        #expect(document.commands.map(\.description) == ["ESC @", "ESC 3 255", "GS ! 8×8", "\"A\"", "LF", "ESC J 43"])
    }
}
