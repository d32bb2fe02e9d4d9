import KioskPrintModel
import Testing

@testable import KioskReceipts

/// Receipts for printers of plain text.
@Suite struct PlainTextEncoderTests {
    private static func document(
        _ markup: String, _ characters: PlainTextCapabilities.Characters = .ascii, columns: Int = 24
    ) throws -> ReceiptDocument {
        let rules = ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))
        return try ReceiptDocument(
            ReceiptMarkup.read(markup, rules: rules).receipt,
            for: .text(
                PlainTextCapabilities(paper: ReceiptPaper(columns: columns), characters: characters, lineEnd: .lf)))
    }

    private static func text(_ markup: String, _ characters: PlainTextCapabilities.Characters = .ascii) throws -> String
    {
        String(decoding: try document(markup, characters).bytes(with: .nothing), as: UTF8.self)
    }

    @Test(arguments: [
        ("|Tea | 2.50", "Tea                 2.50\n"), ("|Café | €2", "Cafe                EUR2\n"),
        ("|Cafe\u{301} Straße", "Cafe Strasse\n"), ("|Привет, Щука", "Privet, Shchuka\n"),
        ("|Ωραία Αθήνα", "Oraia Athina\n"), ("|Phở bò tái", "Pho bo tai\n"), ("|“Żółw” – 3×½", "\"Zolw\" - 3x1/2\n"),
        ("|ＡＢＣ", "ABC\n"), ("-", "------------------------\n"),
        ("{border:line;width:3 3}\n|a|b|", "       +---+---+\n       | a | b |\n       +---+---+\n"), ("|^^^A", "A\n"),
        ("|a\n=\n|b", "a\n\n\n\n\nb\n"), ("|1️⃣ 🇩🇪 #\u{20E3}", "1 DE #\n"),
    ])
    func `are sent letters that they have`(_ markup: String, _ text: String) throws {
        #expect(try Self.text(markup) == text)
    }

    @Test func `the job says which characters were replaced`() throws {
        #expect(
            try Self.document("|Café |€2 ½").remarks == [
                "the printer lacks these characters, and printed others for them: ½ é €"
            ])
        #expect(try Self.document("|Café |€2", .codePage(.cp858)).remarks == [])
        #expect(
            try Self.document("|Café |€2", .codePage(.cp858)).bytes(with: .nothing).filter { $0 >= 0x80 } == [
                0x82, 0xD5,
            ])
        #expect(try Self.text("|Café 日本", .utf8) == "Café 日本\n")
    }

    @Test func `a code is what it says, and pictures are left out`() throws {
        let document = try Self.document("{code:https://example.org/a/long/way;option:qrcode}\n{drawer:1}")
        #expect(
            String(decoding: try document.bytes(with: .nothing), as: UTF8.self)
                == "https://example.org/a/lo\n         ng/way\n")
        #expect(
            document.remarks == [
                "the printer draws no such codes: they were printed as what they say",
                "the printer has no drawer: none was opened",
            ])
        #expect(document.drawings == [])
    }

    /// The TM-U220 is one: a dot matrix printer that cuts and opens drawers.
    @Test func `a printer with commands and without pictures gets the same`() throws {
        let capabilities = EscPosCapabilities(
            paper: ReceiptPaper(columns: 24), codePages: [.cp437: 0], symbologies: [.ean], raster: nil)
        let receipt = try ReceiptMarkup.read(
            "|é Ж\n{width:4 4}\n|{code:hi;option:qrcode}\n{code:4006381333931;option:ean}\n|a|b"
        ).receipt
        let document = try ReceiptDocument(receipt, for: .escPos(capabilities))
        #expect(
            try document.dump(with: .nothing).split(separator: "\n") == [
                "ESC @", "ESC 3 30", "\"é Zh\"", "LF", "\"hi\"", "LF", "ESC a center", "GS h 72", "GS w 2", "GS H none",
                "GS k 67 \"4006381333931\"", "ESC a left", "ESC $ 96", "\"a\"", "ESC $ 144", "\"b\"", "LF",
            ])
        #expect(
            document.remarks == [
                "the printer lacks these characters, and printed others for them: Ж",
                "the printer draws no such codes: they were printed as what they say",
            ])
        #expect(throws: ReceiptError.self) {
            try ReceiptDocument(Receipt { ReceiptElement.text("日本") }, for: .escPos(capabilities))
        }
    }

    @Test(arguments: ["日本", "שלום", "กาแฟ", "السعر", "हिन्दी"])
    func `what no letter stands for is an error, never a question mark`(_ text: String) {
        let error = #expect(throws: ReceiptError.self) { try Self.document("|" + text) }
        #expect(error?.code == .unprintable && error?.message.contains("plain text only") == true)
    }

    @Test(arguments: GoldenReceipts.names) func `of the corpus nothing becomes a question mark`(_ name: String) throws {
        let paper = try GoldenReceipts(name: name).layout().paper
        guard
            let document = try? ReceiptDocument(
                GoldenReceipts(name: name).receipt(), for: .text(PlainTextCapabilities(paper: paper)))
        else { return }
        let text = try document.dump(with: .nothing)
        let source = String(decoding: ReceiptJSON.write(try GoldenReceipts(name: name).receipt()), as: UTF8.self)
        #expect(text.filter { $0 == "?" }.count <= source.filter { $0 == "?" }.count)
        for row in text.split(separator: "\n") where !row.hasPrefix("raw") {
            #expect(row.count <= max(paper.columns(of: .a), paper.columns(of: .b)))
        }
    }
}
