import KioskDevicePrinting
import KioskTestSupport
import Testing

/// How much paper a few bytes can move, at most.
@Suite struct PaperEstimateTests {
    private static func longest(_ bytes: [UInt8]) -> Int {
        var estimate = PaperEstimate()
        estimate.read(bytes[...])
        var dripped = PaperEstimate()
        for byte in bytes { dripped.read([byte]) }
        #expect(estimate.maximumLength == dripped.maximumLength)
        return estimate.maximumLength
    }

    @Test func `lines, feeds and commands move paper, and text and white dots do not`() {
        #expect(Self.longest(Array("text".utf8)) == 0)
        #expect(Self.longest([UInt8](repeating: 0, count: 1000)) == 0)
        #expect(Self.longest([UInt8](repeating: 0x0A, count: 1000)) >= 4230)
        // `ESC d 255` is a metre.
        #expect((1079...1300).contains(Self.longest([0x1B, 0x64, 255])))
        #expect((44...60).contains(Self.longest([0x1B, 0x4A, 255])))
    }

    @Test(arguments: 0..<20) func `whatever stands between, each line and feed moves paper`(_ seed: UInt64) {
        var generator = SeededRandom(seed)
        let text = (0..<100).flatMap { _ in
            (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0x20...0xFF, using: &generator)
            } + [0x0A]
        }
        #expect(Self.longest(text) == 500)
        _ = Self.longest((0..<3000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    @Test func `what a printer cannot hold at one time does not add up`() {
        let feed: [UInt8] = [UInt8](repeating: 0x0A, count: 10_000) + [UInt8](repeating: 0x20, count: 190_000)
        #expect(Self.longest(feed + feed + feed) == Self.longest(feed))
        // Wherever a buffer's worth begins, it is in the estimate.
        for offset in [0, 1, 40_000, 65_535] {
            let text = [UInt8](repeating: 0x20, count: offset)
            #expect(Self.longest(text + [UInt8](repeating: 0x0A, count: 65_536) + text) >= 65_536 * 4)
        }
    }
}
