import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Where a layout puts its elements.
@Suite struct ReceiptLayoutTests {
    private static func text(_ markup: String, columns: Int) throws -> String {
        let rules = ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))
        return TextPreview.text(
            of: try ReceiptLayout(
                try ReceiptMarkup.read(markup, rules: rules).receipt, on: ReceiptPaper(columns: columns)))
    }

    @Test(arguments: [
        ("Tea | 2.50", "Tea     2.50\n"), ("a", "     a\n"), ("|a", "a\n"), ("a|", "           a\n"),
        ("---", "────────────\n"), ("^AB", "    A B\n"), ("^^AB", "\n     AB\n"),
        ("{width:4}\n---", "    ────\n"), ("{width:4;align:left}\n|ab\n---", "ab\n────\n"), ("\n|a", "\na\n"),
        // A box opens with its first row and closes when the border goes.
        ("{border:line}\na|b\n{border:space}\nc", "┌────┬─────┐\n│   a│b    │\n└────┴─────┘\n     c\n"),
        ("{border:line}\n-\na|b\n-\n", "┌────┬─────┐\n│   a│b    │\n└────┴─────┘\n"),
        ("{border:line}\n|a|b|\n-\n|c|", "┌────┬─────┐\n│ a  │  b  │\n├────┴─────┤\n│    c     │\n└──────────┘\n"),
        (
            "{border:line;width:2,2}\n|a|b|\n-\n{width:6;align:left}\n|c|",
            "  ┌──┬──┐\n  │a │b │\n┌─┴──┴─┬┘\n│  c   │\n└──────┘\n"
        ),
        (
            "{border:line}\n|a\n=\n|b",
            "┌──────────┐\n│a         │\n└──────────┘\n cut: partial \n┌──────────┐\n│b         │\n└──────────┘\n"
        ),
        // Two boxes where the border was removed between them.
        (
            "{border:line}\n|a\n{border:space}\n{border:line}\n|b",
            "┌──────────┐\n│a         │\n└──────────┘\n┌──────────┐\n│b         │\n└──────────┘\n"
        ),
        ("{border:line}\n{border:none}\n|a", "a\n"),
        ("{border:line}\n^^a", "┌──────────┐\n│          │\n│    a     │\n└──────────┘\n"),
        ("{width:3 8;text:nowrap}\nabcdef|ghi", "abc ghi\n"), ("{width:3 8}\nabcd |ef", "abc ef\nd\n"),
        ("{text:word}\n|one two three", "one two\nthree\n"), ("{width:* 0 3}\na|b|c", "       a c\n"),
        ("ab\\ncd | x", "ab         x\ncd\n"),
        // A line feed ends a line, and begins none.
        ("|ab\\n", "ab\n"), ("|ab\\n\\n", "ab\n\n"), ("|\\n", "\n"), ("|a\\n\\nb", "a\n\nb\n"),
        // Emoji of several characters.
        ("|👨‍👩‍👧x", "👨👩👧x\n"), ("|🇩🇪x", "DEx\n"), ("|1️⃣x", "1️⃣x\n"), ("|🏴\u{E0067}\u{E0062}\u{E007F}x", "🏴x\n"),
        ("|🏳️‍🌈x", "🏳️🌈x\n"), ("|क्\u{200D}ष", "क्\u{200D}ष\n"), ("|שלום", "םולש\n"), ("日本 | 語", "日本      語\n"),
    ])
    func `as text`(_ markup: String, _ expected: String) throws {
        #expect(try Self.text(markup, columns: 12) == expected)
    }

    @Test func `font B has more columns, and a box is closed before the font changes`() throws {
        #expect(try Self.text("{font:b}\na|b", columns: 12) == "      a b\n")
        #expect(
            try Self.text("{border:line}\n|a\n{font:b}\n|b", columns: 12)
                == "┌──────────┐\n│a         │\n└──────────┘\n┌──────────────┐\n│b             │\n└──────────────┘\n")
    }

    @Test func `heights`() throws {
        let layout = try ReceiptLayout(
            try ReceiptMarkup.read("a\n^^b\n{border:line}\nc\n{border:none;spacing:0}\nd\n{feed:2}\n{spacing:10}\n-")
                .receipt, on: ReceiptPaper(columns: 12))
        #expect(layout.lines.map(\.height) == [30, 54, 24, 24, 24, 24, 48, 34])
        #expect(layout.lines.map(\.top) == [0, 30, 84, 108, 132, 156, 180, 228])
        #expect(layout.height == 262)
    }

    @Test func `codes are made smaller until they fit`() throws {
        func code(_ markup: String, _ columns: Int) throws -> PlacedCode? {
            let layout = try ReceiptLayout(try ReceiptMarkup.read(markup).receipt, on: ReceiptPaper(columns: columns))
            guard case .code(let code)? = layout.lines.first?.content else { return nil }
            return code
        }
        let wide = try #require(try code("{code:4006381333931;option:ean 4 hri}", 48))
        #expect(wide.scale == 4 && wide.width == 380 && wide.left == 98 && wide.textHeight == 24)
        let narrow = try #require(try code("|{code:4006381333931;option:ean 4}", 24))
        #expect(narrow.scale == 3 && narrow.width == 285 && narrow.left == 0)
        let qr = try #require(try code("{code:https://example.org/;option:qrcode 8}|", 24))
        #expect(qr.scale == 8 && qr.width == 200 && qr.left == 88 && qr.offset == 32)
        #expect(throws: ReceiptError.self) { try code("{code:4006381333931;option:ean}", 12) }
    }

    /// As the language's own engine draws them: columns make no code smaller.
    @Test(arguments: [(3, 200), (4, 200), (5, 200), (10, 200), (17, 200), (24, 200)])
    func `a code is as wide as it was asked to be, however narrow its columns are`(_ columns: Int, _ width: Int) throws
    {
        for (alignment, left) in [("|", 0), ("", 188), ("{align:right}\n", 376)] {
            let markup =
                alignment == "|"
                ? "{align:left;width:\(columns)}\n|{code:https://example.org/;option:qrcode 8}"
                : alignment + "{width:\(columns)}\n{code:https://example.org/;option:qrcode 8}"
                    + (alignment.isEmpty ? "" : "|")
            let layout = try ReceiptLayout(try ReceiptMarkup.read(markup).receipt, on: ReceiptPaper(columns: 48))
            guard case .code(let code)? = layout.lines.first?.content else { Issue.record("no code"); return }
            #expect(code.width == width && code.scale == 8)
            #expect(abs(code.left - left) <= 12, "\(markup): \(code.left)")
            #expect(code.area.lowerBound <= code.left && code.left + code.width <= code.area.upperBound)
            #expect(layout.remarks == [])
        }
    }

    @Test func `a picture is as wide as it is, however narrow its columns are`() throws {
        let image = ReceiptElement.image(ReceiptImage(RandomReceipt.png(width: 300, height: 100)))
        for columns in [1, 4, 24, 25, 40] {
            let receipt = Receipt([.settings(LineSettings(widths: [.characters(columns)])), image])
            let layout = try ReceiptLayout(receipt, on: ReceiptPaper(columns: 48))
            guard case .image(let placed)? = layout.lines.first?.content else { Issue.record("no image"); return }
            #expect(placed.width == 300 && abs(placed.left - 138) <= 6 && layout.height == 100)
        }
    }

    @Test(arguments: [
        ("{code:4006381333931;option:ean 4}", "a code (ean) was made smaller, from 4 to 3 dots a module"),
        ("{width:1 2 3}\n^^^^a||", "large letters were made narrower"), ("{width:1}\n日", "characters were left out"),
        ("a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z", "columns were left out"),
    ])
    func `what is made smaller or left out is remarked`(_ markup: String, _ remark: String) throws {
        let layout = try ReceiptLayout(try ReceiptMarkup.read(markup).receipt, on: ReceiptPaper(columns: 24))
        #expect(layout.remarks.count == 1)
        #expect(layout.remarks.first?.hasPrefix(remark) == true, "\(layout.remarks)")
        let document = try ReceiptDocument(
            try ReceiptMarkup.read(markup).receipt,
            for: .label(LabelCapabilities(paper: ReceiptPaper(columns: 24), language: .zpl)))
        #expect(document.remarks == layout.remarks)
    }

    @Test func `a picture that is made smaller is remarked`() throws {
        let receipt = Receipt([.image(ReceiptImage(RandomReceipt.png(width: 1152, height: 100)))])
        #expect(
            try ReceiptLayout(receipt, on: ReceiptPaper(columns: 48)).remarks
                == ["a picture was made smaller, from 1152 to 576 dots: the paper is no wider"])
        #expect(try ReceiptLayout(receipt, on: ReceiptPaper(columns: 96)).remarks == [])
    }

    @Test func `images are made smaller, never larger`() throws {
        func image(_ width: Int, _ columns: Int) throws -> PlacedImage? {
            let receipt = Receipt([.image(ReceiptImage(RandomReceipt.png(width: width, height: 100)))])
            guard
                case .image(let image)? = try ReceiptLayout(receipt, on: ReceiptPaper(columns: columns)).lines.first?
                    .content
            else { return nil }
            return image
        }
        let small = try #require(try image(100, 48))
        #expect(small.width == 100 && small.height == 100 && small.left == 238)
        let large = try #require(try image(1152, 48))
        #expect(large.width == 576 && large.height == 50 && large.left == 0)
    }

    @Test func `endless paper is refused`() {
        let row = ReceiptElement.text(String(repeating: "a\n", count: 8000))
        #expect(throws: ReceiptError.self) {
            try ReceiptLayout(Receipt([ReceiptElement](repeating: row, count: 20)), on: ReceiptPaper(columns: 48))
        }
    }

    /// Whatever a receipt contains, nothing in its layout is beyond the paper or overlaps anything else.
    @Test func `random receipts on papers of all widths`() {
        var generator = RandomReceipt(random: SeededRandom(23))
        for round in 0..<rounds(400, long: 100_000) {
            let paper = ReceiptPaper(columns: round.isMultiple(of: 50) ? 1 + round / 50 % 11 : 12 + round % 85)
            let receipt = generator.receipt()
            do throws(ReceiptError) {
                let layout = try ReceiptLayout(receipt, on: paper)
                check(layout, receipt)
            } catch {
                #expect(error.code == .doesNotFit, "\(error)")
            }
        }
    }

    private func check(_ layout: ReceiptLayout) {
        var top = 0
        for line in layout.lines {
            #expect(line.top == top && line.height >= 0)
            top += line.height
            switch line.content {
            case .text(let text): check(text, line.height, layout.paper)
            case .code(let code):
                #expect(code.left >= 0 && code.left + code.width <= layout.paper.dots && code.width > 0)
                #expect(code.area.lowerBound <= code.left && code.left + code.width <= code.area.upperBound)
                #expect(line.height >= code.offset + code.height + code.textHeight)
            case .image(let image):
                #expect(
                    image.left >= 0 && image.left + image.width <= layout.paper.dots && image.width > 0
                        && image.height == line.height)
            case .turned(let turned):
                #expect(
                    turned.left >= 0 && turned.left + turned.width <= layout.paper.dots && turned.height == line.height)
                var inner = layout
                (inner.lines, inner.paper) = (turned.lines, turned.paper)
                check(inner)
            case .feed, .logo, .cut, .drawer, .buzzer, .command: break
            }
        }
    }

    private func check(_ layout: ReceiptLayout, _ receipt: Receipt) {
        check(layout)
        let hasTurned = layout.lines.contains { if case .turned = $0.content { true } else { false } }
        let columns = max(layout.paper.columns(of: .b), layout.paper.columns(of: .a), 2)
        for row in TextPreview.text(of: layout).split(separator: "\n")
        where !hasTurned && !row.hasPrefix("╌") && !row.hasPrefix(" drawer") && !row.hasPrefix(" buzzer")
            && !row.hasSuffix("printer ")
        {
            #expect(row.reduce(0) { $0 + TextCluster.cells(of: $1) } <= columns || row.contains("cut:"), "\(row)")
        }
        // Every drawer kick is there once.
        #expect(
            layout.lines.filter { if case .drawer = $0.content { true } else { false } }.count
                == receipt.elements.filter { if case .drawer = $0 { true } else { false } }.count)
    }

    private func check(_ line: TextLine, _ height: Int, _ paper: ReceiptPaper) {
        let columns = paper.columns(of: line.font)
        var taken = Set<Int>()
        for run in line.runs {
            #expect(run.column >= 0 && run.column + run.width <= columns)
            #expect(run.width == run.text.reduce(0) { $0 + TextCluster.cells(of: $1) } * run.style.width, "\(run)")
            #expect(TextStyle.scales.contains(run.style.width) && run.style.height <= line.scale)
            for column in run.column..<run.column + run.width { #expect(taken.insert(column).inserted) }
        }
        for stroke in line.strokes {
            #expect(stroke.column >= 0 && stroke.column + stroke.joints.count <= columns)
            for column in stroke.column..<stroke.column + stroke.joints.count { #expect(taken.insert(column).inserted) }
        }
        #expect(height >= line.scale * paper.cell(of: line.font).height)
    }
}
