import KioskTestSupport
import Testing

@testable import KioskPageEncoding

@Suite struct HalftoneTests {
    /// Tones of which some are next to others that differ much, and some to such that differ little.
    private static func random(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed)
        let soft = UInt8.random(in: 0...130, using: &random)
        return (0..<count).map { index in
            if index / 97 % 2 == 1 { return UInt8.random(in: soft...soft + 120, using: &random) }
            return [0, 1, 127, 128, 254, 255, UInt8.random(in: 0...255, using: &random)]
                .randomElement(using: &random)!
        }
    }

    private static func bits(
        _ method: Halftone.Method, _ rows: [UInt8], width: Int, regions: [Halftone.Region] = [], band: Int? = nil,
        padding: Int = 0
    ) -> [UInt8] {
        var halftone = Halftone(method, width: width, regions: regions)
        var bits: [UInt8] = []
        let height = rows.count / width
        let padded = (0..<height).flatMap { rows[$0 * width..<($0 + 1) * width] + repeatElement(0, count: padding) }
        let length = width + padding
        for y in stride(from: 0, to: height, by: band ?? max(height, 1)) {
            let end = min(y + (band ?? height), height)
            let last = end == height ? padded.count - padding : end * length
            halftone.append(padded.span.extracting(y * length..<last), rowBytes: length, into: &bits)
        }
        return bits
    }

    private static func isBlack(_ bits: [UInt8], width: Int, _ x: Int, _ y: Int) -> Bool {
        bits[y * ((width + 7) / 8) + x >> 3] & 0x80 >> UInt8(x & 7) != 0
    }

    /// The dots, one by one, by the definitions of the methods.
    private static func expected(
        _ method: Halftone.Method, _ rows: [UInt8], width: Int, x0: Int = 0, y0: Int = 0
    ) -> [Bool] {
        guard method == .diffusion else {
            let screen: HalftoneScreen =
                switch method {
                case .clustered: .clustered
                case .dispersed: .dispersed
                default: .middle
                }
            return rows.enumerated().map { index, tone in
                let (x, y) = ((x0 + index % width) % 16, (y0 + index / width) % 16)
                return tone < screen.thresholds[y * HalftoneScreen.stride + x]
            }
        }
        let height = rows.count / width
        var tones = rows.map { Int($0) * 16 }
        var dots = [Bool](repeating: false, count: rows.count)
        for y in 0..<height {
            let step = y.isMultiple(of: 2) ? 1 : -1
            for x in y.isMultiple(of: 2) ? Array(0..<width) : (0..<width).reversed() {
                let near = (max(y - 2, 0)...y).flatMap { row in
                    (max(x - 2, 0)...min(x + 2, width - 1)).map { Int(rows[row * width + $0]) }
                }
                // At an edge there is a threshold, and no error is handed on.
                guard near.max()! - near.min()! < 96 else {
                    dots[y * width + x] = rows[y * width + x] < 128
                    continue
                }
                let tone = (tones[y * width + x] + 8) >> 4
                dots[y * width + x] = tone < 128
                let error = tone < 128 ? tone : tone - 255
                for (ahead, below, weight) in [(1, 0, 7), (-1, 1, 3), (0, 1, 5), (1, 1, 1)] {
                    let (nextX, nextY) = (x + ahead * step, y + below)
                    if (0..<width).contains(nextX), nextY < height { tones[nextY * width + nextX] += error * weight }
                }
            }
        }
        return dots
    }

    private static func dots(_ bits: [UInt8], width: Int) -> [Bool] {
        let length = (width + 7) / 8
        return (0..<bits.count / length).flatMap { y in (0..<width).map { isBlack(bits, width: width, $0, y) } }
    }

    @Test(arguments: Halftone.Method.allCases, Array(1...20) + [31, 32, 33, 100, 257])
    func `dots follow the method's definition`(_ method: Halftone.Method, _ width: Int) {
        let rows = Self.random(width * 37, UInt64(width))
        let bits = Self.bits(method, rows, width: width)
        #expect(same(Self.dots(bits, width: width), Self.expected(method, rows, width: width)))
        if width & 7 != 0 {
            let length = (width + 7) / 8
            #expect((1...37).allSatisfy { bits[$0 * length - 1] & (0xFF >> UInt8(width & 7)) == 0 })
        }
        for (band, padding) in [(1, 0), (5, 3), (16, 1)] {
            #expect(same(Self.bits(method, rows, width: width, band: band, padding: padding), bits))
        }
    }

    @Test(arguments: [Halftone.Method.clustered, .dispersed])
    func `every pair of a tone and a threshold is compared rightly`(_ method: Halftone.Method) {
        let rows = (0...255).flatMap { tone in [UInt8](repeating: UInt8(tone), count: 16 * 16) }
        let dots = Self.dots(Self.bits(method, rows, width: 16), width: 16)
        #expect(same(dots, Self.expected(method, rows, width: 16)))
    }

    @Test(arguments: Halftone.Method.allCases)
    func `white stays white, and black black`(_ method: Halftone.Method) {
        #expect(Self.bits(method, [UInt8](repeating: 255, count: 160), width: 40) == [UInt8](repeating: 0, count: 20))
        #expect(Self.bits(method, [UInt8](repeating: 0, count: 160), width: 40) == [UInt8](repeating: 255, count: 20))
    }

    @Test(arguments: [Halftone.Method.clustered, .dispersed, .diffusion], [16, 64, 100, 128, 160, 192, 240])
    func `the share of black dots follows the tone`(_ method: Halftone.Method, _ tone: Int) {
        let size = 160
        let bits = Self.bits(method, [UInt8](repeating: UInt8(tone), count: size * size), width: size)
        let share = Double(bits.reduce(0) { $0 + $1.nonzeroBitCount }) / Double(size * size)
        #expect(abs(share - Double(255 - tone) / 255) < 0.01, "\(share)")
    }

    @Test func `clusters have shorter edges than dispersed dots`() {
        let rows = [UInt8](repeating: 128, count: 64 * 64)
        func edges(_ method: Halftone.Method) -> Int {
            let dots = Self.dots(Self.bits(method, rows, width: 64), width: 64)
            return (0..<64 * 63).count { dots[$0] != dots[$0 + 64] }
        }
        #expect(edges(.clustered) * 2 < edges(.dispersed))
    }

    @Test(arguments: Halftone.Method.allCases, Halftone.Method.allCases)
    func `a region has its own method, and nothing of it is outside`(_ whole: Halftone.Method, _ part: Halftone.Method)
    {
        let (width, height) = (77, 40)
        let rows = Self.random(width * height, 5)
        let base = Self.expected(whole, rows, width: width)
        for (left, right) in [(0, 1), (3, 4), (5, 60), (8, 16), (9, 77), (0, 77), (70, 500), (-9, 7)] {
            let rectangle = DotRectangle(left: left, top: 7, right: right, bottom: 31)
            let columns = max(left, 0)..<min(right, width)
            let cut = (7..<31).flatMap { rows[$0 * width + columns.lowerBound..<$0 * width + columns.upperBound] }
            let inside = Self.expected(part, cut, width: columns.count, x0: columns.lowerBound, y0: 7)
            var expected = base
            for y in 7..<31 {
                for x in columns {
                    expected[y * width + x] = inside[(y - 7) * columns.count + x - columns.lowerBound]
                }
            }
            let bits = Self.bits(whole, rows, width: width, regions: [Halftone.Region(rectangle, part)], band: 3)
            #expect(same(Self.dots(bits, width: width), expected), "\(left)..<\(right)")
        }
    }

    @Test func `the lines of a barcode stay straight in a picture, whose tones are diffused`() {
        // Bars of three dots with a dot of grey at both sides, then a field of light grey.
        let line = (0..<60).map { [200, 0, 0, 0, 120, 255, 255][$0 % 7] as UInt8 } + [UInt8](repeating: 220, count: 68)
        let rows = [[UInt8]](repeating: line, count: 40).flatMap(\.self)
        let dots = Self.dots(Self.bits(.diffusion, rows, width: 128), width: 128)
        for y in 0..<40 {
            for x in 0..<57 { #expect(dots[y * 128 + x] == (line[x] < 128), "\(x), \(y)") }
        }
        let black = (0..<40).map { y in (70..<128).count { dots[y * 128 + $0] } }.reduce(0, +)
        #expect(abs(Double(black) / (40 * 58) - 35.0 / 255) < 0.02)
    }

    @Test func `where regions overlap, the last one holds`() {
        let rows = [UInt8](repeating: 100, count: 32 * 4)
        let all = DotRectangle(left: 0, top: 0, right: 32, bottom: 4)
        let regions = [
            Halftone.Region(all, .diffusion),
            Halftone.Region(DotRectangle(left: 4, top: 1, right: 20, bottom: 3), .threshold),
            Halftone.Region(DotRectangle(left: 9, top: 9, right: 9, bottom: 20), .diffusion),
        ]
        let bits = Self.bits(.clustered, rows, width: 32, regions: regions)
        #expect((4..<20).allSatisfy { Self.isBlack(bits, width: 32, $0, 1) && Self.isBlack(bits, width: 32, $0, 2) })
        let diffused = Self.bits(.diffusion, rows, width: 32)
        #expect(
            (0..<32).allSatisfy { Self.isBlack(bits, width: 32, $0, 0) == Self.isBlack(diffused, width: 32, $0, 0) })
    }

    @Test func `nothing comes of rows that are not as wide`() {
        #expect(Self.bits(.diffusion, [], width: 8) == [])
        var bits: [UInt8] = []
        for width in [0, -5, 8] {
            var halftone = Halftone(.diffusion, width: width)
            halftone.append([1, 2, 3].span, rowBytes: 3, into: &bits)
        }
        #expect(bits == [])
    }

    @Test(arguments: [HalftoneScreen.clustered, .dispersed])
    func `a screen has each threshold once, but for one`(_ screen: HalftoneScreen) {
        let rows = (0..<16).map { Array(screen.thresholds[$0 * 24..<($0 + 1) * 24]) }
        #expect(Set(rows.flatMap { $0.prefix(16) }) == Set(1...255))
        #expect(rows.allSatisfy { $0.suffix(8) == $0.prefix(8) })
    }
}
