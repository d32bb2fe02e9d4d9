import KioskReceipts
import Testing

@Suite struct DitheringTests {
    /// The share of black dots is the darkness of the tone.
    @Test(arguments: [0, 32, 64, 100, 128, 170, 220, 255], [Dithering.floydSteinberg, .ordered])
    func `keeps the mean tone`(
        _ tone: Int, _ dithering: Dithering
    ) throws {
        let side = 96
        let picture = try #require(
            GreyPicture(width: side, height: side, tones: [UInt8](repeating: UInt8(tone), count: side * side)))
        let black = picture.dithered(dithering).bytes.reduce(0) { $0 + $1.nonzeroBitCount }
        #expect(abs(Double(black) / Double(side * side) - Double(255 - tone) / 255) < 0.02)
    }

    @Test(arguments: Dithering.allCases) func `keeps black black and white white`(_ dithering: Dithering) throws {
        for (tone, dots) in [(UInt8(0), 17 * 5), (255, 0)] {
            let picture = try #require(
                GreyPicture(width: 17, height: 5, tones: [UInt8](repeating: tone, count: 17 * 5)))
            #expect(picture.dithered(dithering).bytes.reduce(0) { $0 + $1.nonzeroBitCount } == dots)
        }
    }

    @Test func `a threshold parts tones in the middle`() throws {
        let picture = try #require(GreyPicture(width: 4, height: 1, tones: [0, 127, 128, 255]))
        #expect(picture.dithered(.threshold).bytes == [0b1100_0000])
    }

    /// Light and dark parts become clearer: less than an eighth of grey vanishes, and so does what lacks an eighth.
    @Test func `Atkinson's method raises the contrast`() throws {
        let side = 64
        func black(_ tone: UInt8) throws -> Int {
            let picture = try #require(
                GreyPicture(width: side, height: side, tones: [UInt8](repeating: tone, count: side * side)))
            return picture.dithered(.atkinson).bytes.reduce(0) { $0 + $1.nonzeroBitCount }
        }
        #expect(try black(245) == 0)
        #expect(try black(10) == side * side)
        #expect(try (side * side * 4 / 10...side * side * 6 / 10).contains(black(128)))
    }

    @Test func `nothing of a gradient is lost between light and dark`() throws {
        let tones = (0..<64).flatMap { _ in (0..<256).map { UInt8($0) } }
        let dots = try #require(GreyPicture(width: 256, height: 64, tones: tones)).dithered(.floydSteinberg)
        for start in stride(from: 0, to: 256, by: 32) {
            let black = (0..<64).reduce(0) { sum, y in sum + (start..<start + 32).filter { dots[$0, y] }.count }
            #expect(abs(Double(black) / 2048 - (255 - Double(start) - 15.5) / 255) < 0.04)
        }
    }
}
