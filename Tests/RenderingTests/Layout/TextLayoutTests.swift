import KioskTestSupport
import KioskTextLayout
import Testing

/// Text files as rows on pages.
@Suite struct TextLayoutTests {
    private func pages(
        _ file: [UInt8], columns: Int = 20, rows: Int = 5, maximumPages: Int = 100
    ) throws -> [[String]] {
        let text = PlainText(file, maximumLines: TextLayout.maximumRows)
        return try TextLayout(text, columns: columns, rows: rows, maximumPages: maximumPages).pages
            .map { $0.map(\.text) }
    }

    @Test(arguments: [
        ("a\nb\n", [["a", "b"]]), ("a\r\nb", [["a", "b"]]), ("a\rb\r", [["a", "b"]]),
        ("a\n\n\nb", [["a", "", "", "b"]]),
        ("", [[]]), ("\n", [[""]]),
        // A form feed begins a page; one at either end begins none.
        ("a\u{0C}b", [["a"], ["b"]]), ("a\n\u{0C}b\n\u{0C}", [["a"], ["b"]]), ("\u{0C}a", [["a"]]),
        ("a\u{0C}\u{0C}b", [["a"], [], ["b"]]), ("1\n2\n3\n4\n5\n\u{0C}6", [["1", "2", "3", "4", "5"], ["6"]]),
        ("1\n2\n3\n4\n5\n6", [["1", "2", "3", "4", "5"], ["6"]]),
        // Tabs, each to the next multiple of eight.
        ("a\tb\tc", [["a       b       c"]]), ("12345678\tb", [["12345678        b"]]),
        // What a terminal would obey.
        ("\u{1B}[1;31mred\u{1B}[0m!", [["red!"]]), ("\u{1B}]0;title\u{07}a\u{1B}]8;;x\u{1B}\\b", [["ab"]]),
        ("a\u{1B}(Bb\u{1B}7c", [["abc"]]), ("a\u{1B}", [["a"]]), ("a\u{07}\u{00}\u{7F}b", [["ab"]]),
        ("b\u{08}bo\u{08}o", [["bo"]]), ("_\u{08}é", [["é"]]), ("\u{08}\u{08}a", [["a"]]),
        ("\u{FEFF}a", [["a"]]),
    ])
    func `lines and pages are found`(_ text: String, _ expected: [[String]]) throws {
        #expect(try pages(Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        ("12345678901234567890", ["12345678901234567890"]), ("12345678901234567890x", ["12345678901234567890", "x"]),
        ("the quick brown fox jumps", ["the quick brown fox", "jumps"]),
        ("the quick brown foxes jump", ["the quick brown", "foxes jump"]),
        ("a bcdefghijklmnopqrstuvwxyz", ["a bcdefghijklmnopqrs", "tuvwxyz"]),
        // Two cells each; one that has no room for both goes on.
        ("一二三四五六七八九十十一", ["一二三四五六七八九十", "十一"]), ("x一二三四五六七八九十", ["x一二三四五六七八九", "十"]),
        // Combining marks take no cell, and stay with their letter.
        ("e\u{301}234567890123456789012", ["e\u{301}2345678901234567890", "12"]),
        ("    indented text that is long", ["    indented text", "that is long"]),
    ])
    func `long lines go on in the next row`(_ text: String, _ rows: [String]) throws {
        #expect(try pages(Array(text.utf8)) == [rows])
    }

    @Test func `a file that is not UTF-8 is read as Latin-1, one with UTF-16's mark as that`() throws {
        let latin = PlainText([0x47, 0x72, 0xFC, 0xDF, 0x65, 0x20, 0x80], maximumLines: 9)
        #expect(latin.isLatin1)
        #expect(latin.lines == [Array("Grüße €".utf8)])
        for isLittleEndian in [true, false] {
            let units = [UInt16(0xFEFF)] + Array("Grüße 😀\n".utf16)
            let bytes = units.flatMap { unit -> [UInt8] in
                let pair = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
                return isLittleEndian ? pair : pair.reversed()
            }
            let wide = PlainText(bytes, maximumLines: 9)
            #expect(!wide.isLatin1)
            #expect(wide.lines == [Array("Grüße 😀".utf8)])
        }
    }

    @Test func `a paragraph runs as its first letter does`() throws {
        let text = PlainText(Array("(1) שלום abc\nabc שלום\n123".utf8), maximumLines: 9)
        let rows = try TextLayout(text, columns: 80, rows: 5, maximumPages: 9).pages[0]
        #expect(rows.map(\.isRightToLeft) == [true, false, false])
    }

    @Test func `a text has limits`() throws {
        let lines = [UInt8](repeating: 0x0A, count: TextLayout.maximumRows + 1)
        #expect(throws: TextLayout.Problem.lines) { try pages(lines, rows: 9_000) }
        #expect(
            try pages(lines.dropLast(), rows: 50_000)
                == [[String]](repeating: [String](repeating: "", count: 50_000), count: 2))
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: TextLayout.maximumRows * 2 + 1)
        #expect(throws: TextLayout.Problem.lines) { try pages(long, columns: 2, rows: 9_000) }
        #expect(throws: TextLayout.Problem.pages) {
            try pages(Array(String(repeating: "a\u{0C}", count: 101).utf8))
        }
        // What combines with one letter a million times is cut.
        let marks = try pages(Array(("e" + String(repeating: "\u{301}", count: 1_000_000)).utf8))
        #expect(marks[0][0].unicodeScalars.count == 32)
    }

    @Test func `any bytes fit into the cells`() throws {
        var random = SeededRandom(8)
        for _ in 0..<2_000 {
            let file = (0..<Int.random(in: 0..<80, using: &random)).map { _ -> UInt8 in
                let usual: [UInt8] = [0x0A, 0x0C, 0x09, 0x1B, 0x5B, 0x20, 0x08, 0xE4, 0xB8, 0x80, 0xCC, 0x81]
                return Bool.random(using: &random)
                    ? usual.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
            let pages = try pages(file, columns: 9, rows: 3)
            #expect(!pages.isEmpty && pages.allSatisfy { $0.count <= 3 })
            for row in pages.joined() {
                #expect(row.unicodeScalars.allSatisfy { $0.value >= 0x20 })
            }
        }
    }
}
