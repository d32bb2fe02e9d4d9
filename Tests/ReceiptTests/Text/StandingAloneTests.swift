import TestSupport
import Testing

@testable import Receipts

@Suite struct StandingAloneTests {
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
}
