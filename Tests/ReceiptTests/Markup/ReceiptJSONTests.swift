import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Receipts in JSON, compared with the same receipts in markup.
@Suite struct ReceiptJSONTests {
    private static let everything = Set(ReceiptPrivilege.allCases)

    @Test func `what is written reads the same`() throws {
        var generator = RandomReceipt(random: SeededRandom(11))
        for _ in 0..<rounds(300, long: 20_000) {
            let receipt = generator.receipt()
            let json = ReceiptJSON.write(receipt)
            #expect(
                try ReceiptJSON.read(json, privileges: Self.everything) == receipt,
                "\(String(decoding: json, as: UTF8.self))")
        }
    }

    @Test func `markup is read, written as JSON and read again without a loss`() throws {
        let markup = """
            {image:\(Base64.encode(RandomReceipt.png(width: 128, height: 36)))}
            ^^^"Corner Shop"
            {border:line;width:*,3,9;text:word;font:b;spacing:4}
            Espresso, double \\\\ decaf | 2| €5.80
            -
            _TOTAL_ || `^^€5.80`
            {border:none;width:auto;align:left;text:nowrap}
            first\\nsecond
            {code:4006381333931;option:ean,3,hri}
            | {code:https://example.org/;option:qrcode 5 q}
            {drawer:2,200}
            {command:\\x1b\\x70}
            {feed:2}
            ===
            """
        let receipt = try ReceiptMarkup.read(markup, rules: ReceiptMarkup.Rules(privileges: Self.everything)).receipt
        #expect(receipt.elements.count == 14)
        #expect(try ReceiptJSON.read(ReceiptJSON.write(receipt), privileges: Self.everything) == receipt)
    }

    @Test func `so is random markup`() throws {
        var random = SeededRandom(29)
        let pieces = [
            "{", "}", "|", "\\", "\\x", "^", "_", "\"", "`", "~", "-", "=", "\n", " ", ",", ";", ":", "a", "1", "*",
            "ä", "日", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{7F}", "\u{0}", "\\a", "\\n", "\\x85", "\\x00", "\\xE4",
            "{command:", "{x:\\x1b", "{code:", "{option:", "{width:", "{border:", "{align:", "{text:", "{font:",
            "{spacing:", "{feed:", "{cut:", "{drawer:", "qrcode", "ean", "line", "auto", "none", "full", "2", "12",
            "left", "word", "b", "}\n",
        ]
        let rules = ReceiptMarkup.Rules(privileges: Self.everything)
        for _ in 0..<rounds(5000, long: 500_000) {
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            guard let receipt = try? ReceiptMarkup.read(text, rules: rules).receipt else { continue }
            #expect(
                (try? ReceiptJSON.read(ReceiptJSON.write(receipt), privileges: Self.everything)) == receipt,
                "\(text.debugDescription)")
        }
    }

    @Test func `it is short, and an element a line`() throws {
        let receipt = try ReceiptMarkup.read("{width:*,8;border:line}\nTea | \"2.50\"\n-\n{code:12}\n=").receipt
        #expect(
            String(decoding: ReceiptJSON.write(receipt), as: UTF8.self) == """
                {"elements": [
                  {"set": {"widths": ["*", 8], "border": "line"}},
                  {"row": ["Tea", {"text": "2.50", "bold": true, "align": "right"}]},
                  {"rule": true},
                  {"code": "12", "symbology": "code128"},
                  {"cut": "partial"}
                ]}

                """)
    }

    @Test(arguments: [true, false]) func `the builder says the same as markup`(_ isOpen: Bool) throws {
        let built = Receipt {
            ReceiptElement.set(widths: [.share, 8], border: .line)
            for (name, price) in [("Tea", "2.50"), ("Cake", "3.00")] { ReceiptElement.columns(name, price) }
            if isOpen { ReceiptElement.rule } else { ReceiptElement.feed(lines: 1) }
            "Thank\u{7} you"
            ReceiptElement.text("Bye", style: .double)
            ReceiptElement.qr("x", cell: 3, level: .l)
            ReceiptElement.cut(.partial)
        }
        let markup = """
            {width:*,8;border:line}
            Tea | 2.50
            Cake | 3.00
            \(isOpen ? "-" : "{feed:1}")
            Thank you
            ^^^Bye
            {code:x;option:qrcode}
            =
            """
        #expect(try ReceiptMarkup.read(markup).receipt == built)
    }

    @Test(
        arguments: [
            (#"{"elements": [{"row": ["a"]}, {"row": ["b"], "x": 1}]}"#, ReceiptError.Code.value, 1, 46),
            ("{}", .value, 1, 1), ("[]", .value, 1, 1), (#"{"elements": {}}"#, .value, 1, 14),
            (#"{"elements": [{}]}"#, .value, 1, 15), ("{\"elements\": [\n  {\"row\": []}]}", .value, 2, 11),
            (#"{"elements": [{"cut": "soon"}]}"#, .value, 1, 23),
            (#"{"elements": [{"row": ["a\u0007"]}]}"#, .value, 1, 24),
            (#"{"elements": [{"code": "12", "symbology": "itf", "module": 9}]}"#, .value, 1, 60),
            (#"{"elements": [{"code": "123", "symbology": "itf"}]}"#, .code, 1, 24),
            (#"{"elements": [{"image": "AAAA"}]}"#, .image, 1, 25), (#"{"elements": [{"image": "?"}]}"#, .value, 1, 25),
            (#"{"elements": [{"drawer": 1}]}"#, .forbidden, 1, 26),
            (#"{"elements": [{"command": "AAAA"}]}"#, .forbidden, 1, 27),
            (#"{"elements": [{"rule": false}]}"#, .value, 1, 24),
            (#"{"elements": [{"set": {"widths": ["*", 1.5]}}]}"#, .value, 1, 40),
            (#"{"elements": [{"set": {"border": 3}}]}"#, .value, 1, 34),
            (#"{"elements": [{"set": {"spacing": -1}}]}"#, .value, 1, 35),
            (#"{"elements": [{"row": [{"text": "a", "width": 9}]}]}"#, .value, 1, 47),
            (#"{"elements": [{"row": [{"text": ["a", {"text": 1}]}]}]}"#, .value, 1, 48),
        ] as [(String, ReceiptError.Code, Int, Int)])
    func `errors name line and column`(_ json: String, _ code: ReceiptError.Code, _ line: Int, _ column: Int) throws {
        let error = try #require(throws: ReceiptError.self) { try ReceiptJSON.read(Array(json.utf8)) }
        #expect(error.code == code)
        #expect(error.place == ReceiptError.Place(line: line, column: column), "\(error)")
    }
}
