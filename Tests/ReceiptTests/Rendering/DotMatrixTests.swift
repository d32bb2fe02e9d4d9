import KioskTestSupport
import Testing

@testable import KioskReceipts

@Suite struct DotMatrixTests {
    private static func random(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> DotMatrix {
        var matrix = DotMatrix(width: width, height: height)
        for y in 0..<height { for x in 0..<width where Bool.random(using: &random) { matrix[x, y] = true } }
        return matrix
    }

    @Test func `a matrix painted anywhere on another blackens exactly its black dots`() {
        var random = SeededRandom(8)
        for _ in 0..<1500 {
            let part = Self.random(
                Int.random(in: 0...150, using: &random), Int.random(in: 0...4, using: &random), &random)
            let before = Self.random(
                Int.random(in: 0...200, using: &random), Int.random(in: 0...5, using: &random), &random)
            let (left, top) = (Int.random(in: -170...210, using: &random), Int.random(in: -5...6, using: &random))
            var expected = before
            for y in 0..<part.height { for x in 0..<part.width where part[x, y] { expected[x + left, y + top] = true } }
            var painted = before
            painted.paint(part, x: left, y: top)
            #expect(
                painted == expected,
                "\(part.width) × \(part.height) at \(left), \(top) on \(before.width) × \(before.height)")
        }
    }
}
