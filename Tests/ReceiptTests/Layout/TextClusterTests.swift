import KioskTestSupport
import Testing

@testable import KioskReceipts

/// The cells of characters, and scalars that need no search for cluster boundaries.
@Suite struct TextClusterTests {
    private static let alone = (0...0x10FFFF).compactMap { Unicode.Scalar(UInt32($0)) }.filter(\.standsAlone)

    @Test func `what stands alone takes as many cells as the character that it is`() {
        let wrong = Self.alone.filter { scalar in
            let cells = TextCluster.cells(of: Character(scalar))
            return cells == 0 || cells != TextCluster.paragraphs([TextSpan(String(scalar))])[0].first?.cells
        }
        #expect(wrong.isEmpty)
    }

    @Test func `beside any other that does it stays a character of its own`() {
        var random = SeededRandom(29)
        for scalar in Self.alone {
            let neighbours = (0..<2).map { _ in Self.alone.randomElement(using: &random)! }
            let text = String(String.UnicodeScalarView([neighbours[0], scalar, neighbours[1]]))
            if text.count != 3 { Issue.record("\(text.unicodeScalars.map { String($0.value, radix: 16) })") }
        }
    }

    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("น้ำ", 2), ("ก็", 1), ("क्ष", 2), ("कि", 2), ("👩‍👩‍👧", 2), ("👍🏽", 2),
            ("✌\u{FE0F}", 2),
            ("✌", 1), ("\u{200B}", 0), ("\u{301}", 0), ("\u{200F}", 0), ("€", 1), ("─", 1), ("🇩🇪", 2), ("𠮷", 2),
            ("。", 2),
        ] as [(String, Int)])
    func `cells of a character`(_ text: String, _ cells: Int) { #expect(text.map(TextCluster.cells(of:)) == [cells]) }
}
