import KioskReceipts
import Testing

/// The position of letters.
@Suite struct TextGridTests {
    @Test(arguments: ["Größe", "Жираф", "καφές", "ｶﾀｶﾅ"]) func `each letter has its own cell`(_ text: String) throws {
        let line = try DrawnLine(text).dots
        for (index, letter) in text.enumerated() {
            #expect(line.columns(index * 12..<(index + 1) * 12) == (try DrawnLine(String(letter)).dots), "\(letter)")
        }
    }

    @Test(arguments: ["谢谢光临", "ありがとう", "감사합니다"]) func `wide letters have two cells`(_ text: String) throws {
        let line = try DrawnLine(text).dots
        #expect(line.width == text.count * 24)
        for index in text.indices.enumerated() {
            let cell = line.columns(index.offset * 24..<(index.offset + 1) * 24)
            #expect(cell.ink > 20)
        }
    }

    /// Four fifths of the cell are above the baseline, as in printers' own fonts.
    @Test(arguments: [(12, 24, 19), (9, 17, 14), (9, 24, 19), (24, 48, 38)]) func `letters are on the font's baseline`(
        _ width: Int, _ height: Int, _ baseline: Int
    ) throws {
        let dots = try DrawnLine("HEx", cell: (width, height)).dots
        let lowest = (0..<height).last { y in dots.row(y).contains { $0 != 0 } }
        #expect(lowest.map { abs($0 - (baseline - 1)) <= 0 } == true)
    }

    @Test func `text from right to left begins at the right`() throws {
        let line = try DrawnLine("שלום", isRightToLeft: true).dots
        #expect(line.columns(36..<48) == (try DrawnLine("ש", isRightToLeft: true).dots))
        #expect(line.columns(0..<12) == (try DrawnLine("ם", isRightToLeft: true).dots))
        let brackets = try DrawnLine("(א", isRightToLeft: true).dots
        #expect(brackets.columns(12..<24) == (try DrawnLine(")").dots))
    }

    @Test func `Arabic letters join`() throws {
        let joined = try DrawnLine("ببب", isRightToLeft: true).dots
        let apart = try DrawnLine("ب\u{200C}ب\u{200C}ب", isRightToLeft: true, cells: 3).dots
        #expect(joined != apart)
        // No white column between the letters.
        let inked = (0..<joined.width).filter { joined.columns($0..<$0 + 1).ink > 0 }
        #expect(inked.count == (inked.last ?? 0) - (inked.first ?? 0) + 1)
    }

    @Test func `what is wider than its cells becomes narrower`() throws {
        let narrow = try DrawnLine("ABCDEFGH", cells: 4).dots
        #expect(narrow.width == 48)
        #expect(narrow.columns(42..<48).ink > 0)
        let ligature = try DrawnLine("﷽", isRightToLeft: true).dots
        #expect(ligature.width == 12)
        #expect(ligature.ink > 0)
    }

    @Test(arguments: ["ญฐู้", "ปู่", "Ấ", "g", "قِ", "ক্ষূ"]) func `nothing is cut off above or below`(_ text: String) throws {
        // Drawn twice as high the same ink is there: nothing was beyond the edge.
        let line = try DrawnLine(text, cell: (48, 96)).dots
        let edges = line.row(0).filter { $0 != 0 }.count + line.row(95).filter { $0 != 0 }.count
        #expect(edges <= 2)
        #expect(line.ink > 0)
    }

    @Test func `magnified letters are larger, emphasised ones darker`() throws {
        let plain = try DrawnLine("Summe").dots
        #expect(try DrawnLine("Summe", emphasis: true).dots.ink > plain.ink * 5 / 4)
        let large = try DrawnLine("Summe", scale: (2, 3)).dots
        #expect((large.width, large.height) == (plain.width * 2, plain.height * 3))
        #expect(large.ink > plain.ink * 4)
    }
}
