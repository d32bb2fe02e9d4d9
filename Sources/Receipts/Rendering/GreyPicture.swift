/// A picture in shades of grey, from 0 for black to 255 for white, in the coding of screens and files (sRGB), in which
/// steps look equal.
package struct GreyPicture: Hashable, Sendable {
    package let width: Int
    package let height: Int
    /// The tones, row by row.
    package let tones: [UInt8]

    /// Creates a picture from its tones. Nil where their number does not match the size.
    package init?(width: Int, height: Int, tones: [UInt8]) {
        guard width >= 0, height >= 0, width <= DotMatrix.maximumSide, height <= DotMatrix.maximumSide,
            tones.count == width * height
        else { return nil }
        (self.width, self.height, self.tones) = (width, height, tones)
    }

    /// Creates a picture from linear light. Missing samples are white.
    init(width: Int, height: Int, light: [UInt16]) {
        (self.width, self.height) = (width, height)
        let tones = light.map { ToneCurve.tones[Int($0) >> ToneCurve.shift] }
        self.tones = tones + [UInt8](repeating: 255, count: max(0, width * height - tones.count))
    }

    /// The picture turned upright.
    package func turned(_ orientation: ImageOrientation) -> GreyPicture {
        guard orientation != .upright else { return self }
        let (newWidth, newHeight) = orientation.isSideways ? (height, width) : (width, height)
        var turned: [UInt8] = []
        turned.reserveCapacity(tones.count)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                let source = orientation.source(x: x, y: y, width: width, height: height)
                turned.append(tones[source.y * width + source.x])
            }
        }
        return GreyPicture(width: newWidth, height: newHeight, tones: turned) ?? self
    }

    /// The picture as dots, whose density follows the tone and not its light: thermal dots spread, so paper comes out
    /// darker than its share of dots.
    package func dithered(_ dithering: Dithering) -> DotMatrix {
        switch dithering {
        case .floydSteinberg: diffused(Self.floydSteinberg)
        case .atkinson: diffused(Self.atkinson)
        case .ordered: thresholded { x, y in Self.bayer[(y & 7) * 8 + x & 7] }
        case .threshold: thresholded { _, _ in 128 }
        }
    }

    /// The picture as dots that are black where the tone is below a threshold.
    private func thresholded(by threshold: (Int, Int) -> Int) -> DotMatrix {
        var bytes: [UInt8] = []
        bytes.reserveCapacity((width + 7) / 8 * height)
        for y in 0..<height {
            var row = DotRow(width: width)
            for x in 0..<width where Int(tones[y * width + x]) < threshold(x, y) { row.set(x) }
            bytes += row.bytes
        }
        return DotMatrix(width: width, height: height, bytes: bytes) ?? DotMatrix(width: width, height: height)
    }

    /// The 8 × 8 Bayer matrix, as thresholds between the tones.
    private static let bayer: [Int] = (0..<64).map { place in
        let (x, y) = (place & 7, place >> 3)
        var order = 0
        for bit in 0..<3 {
            let (across, down) = (x >> bit & 1, y >> bit & 1)
            order |= ((across ^ down) << 1 | down) << (4 - 2 * bit)
        }
        return order * 4 + 2
    }

    /// A share of the error between a tone and its dot: its position, in the direction of the row, and its weight.
    private struct ErrorShare {
        var ahead: Int
        var below: Int
        var weight: Int
    }

    /// Weights in sixteenths.
    private static let floydSteinberg = [
        ErrorShare(ahead: 1, below: 0, weight: 7), ErrorShare(ahead: -1, below: 1, weight: 3),
        ErrorShare(ahead: 0, below: 1, weight: 5), ErrorShare(ahead: 1, below: 1, weight: 1),
    ]

    /// Weights in sixteenths. A quarter of the error is dropped, which makes light and dark parts clearer.
    private static let atkinson = [
        ErrorShare(ahead: 1, below: 0, weight: 2), ErrorShare(ahead: 2, below: 0, weight: 2),
        ErrorShare(ahead: -1, below: 1, weight: 2), ErrorShare(ahead: 0, below: 1, weight: 2),
        ErrorShare(ahead: 1, below: 1, weight: 2), ErrorShare(ahead: 0, below: 2, weight: 2),
    ]

    /// Diffuses the error. Every other row goes from right to left, which avoids slanted lines of dots ("worms").
    private func diffused(_ shares: [ErrorShare]) -> DotMatrix {
        // Errors in sixteenths of a tone, with two columns of margin on each side.
        let margin = 2
        var rows = [[Int]](repeating: [Int](repeating: 0, count: width + 2 * margin), count: 3)
        var bytes: [UInt8] = []
        bytes.reserveCapacity((width + 7) / 8 * height)
        for y in 0..<height {
            let direction = y.isMultiple(of: 2) ? 1 : -1
            var row = DotRow(width: width)
            var x = direction > 0 ? 0 : width - 1
            for _ in 0..<width {
                let tone = Int(tones[y * width + x]) + (rows[0][x + margin] + 8) >> 4
                let isBlack = tone < 128
                if isBlack { row.set(x) }
                let error = isBlack ? tone : tone - 255
                for share in shares {
                    rows[share.below][x + margin + share.ahead * direction] += error * share.weight
                }
                x += direction
            }
            bytes += row.bytes
            rows = [rows[1], rows[2], [Int](repeating: 0, count: width + 2 * margin)]
        }
        return DotMatrix(width: width, height: height, bytes: bytes) ?? DotMatrix(width: width, height: height)
    }
}

/// A row of a `DotMatrix` under construction.
private struct DotRow {
    private(set) var bytes: [UInt8]

    init(width: Int) { bytes = [UInt8](repeating: 0, count: (width + 7) / 8) }

    mutating func set(_ x: Int) { bytes[x >> 3] |= 0x80 >> UInt8(x & 7) }
}

/// Converts between the tones of a file and linear light (IEC 61966-2-1, sRGB).
package enum ToneCurve {
    /// The light of each tone; 65,535 is white.
    package static let light: [UInt16] = (0...255).map { UInt16((linear(Double($0) / 255) * 65_535).rounded()) }

    /// Light is looked up in steps of 16, which is finer than the 20 of the darkest tone.
    fileprivate static let shift = 4

    /// The nearest tone of each step.
    fileprivate static let tones: [UInt8] = {
        var (tones, tone) = ([UInt8](), 0)
        tones.reserveCapacity(65_536 >> shift)
        for step in 0..<65_536 >> shift {
            let value = step << shift + 1 << (shift - 1)
            while tone < 255, abs(Int(light[tone + 1]) - value) <= abs(Int(light[tone]) - value) { tone += 1 }
            tones.append(UInt8(tone))
        }
        return tones
    }()

    private static func linear(_ tone: Double) -> Double {
        guard tone > 0.04045 else { return tone / 12.92 }
        return power((tone + 0.055) / 1.055)
    }

    /// `base` to the power of 2.4, that is, its square times the fifth root of its square. The standard library has no
    /// `pow`.
    private static func power(_ base: Double) -> Double {
        let square = base * base
        var root = 1.0
        // Newton's method converges from 1 to any root between 0 and 1.
        for _ in 0..<64 { root -= (root - square / (root * root * root * root)) / 5 }
        return square * root
    }
}

/// Scales a picture down, row by row: each new sample is the average of the area that it covers. Samples are linear
/// light, since that is what the eye adds up; 65,535 is white.
package struct AreaScaler {
    private let width: Int
    private let height: Int
    private let newWidth: Int
    private let newHeight: Int
    /// The number of rows added so far.
    private var row = 0
    /// The sums of the new row in progress.
    private var sums: [UInt64]
    private(set) var samples: [UInt16] = []

    /// Creates a scaler. All sizes must be from 1 to `DotMatrix.maximumSide`.
    package init(width: Int, height: Int, newWidth: Int, newHeight: Int) {
        (self.width, self.height, self.newWidth, self.newHeight) = (width, height, newWidth, newHeight)
        sums = [UInt64](repeating: 0, count: newWidth)
        samples.reserveCapacity(newWidth * newHeight)
    }

    /// Adds the next row, from the top. Ignores a row that is not as wide as the picture.
    package mutating func add(_ line: ArraySlice<UInt16>) {
        guard line.count == width, row < height else { return }
        let averaged = newWidth == width ? nil : across(line)
        // In a common unit, a row of the picture is `newHeight` high and a new row `height`.
        var top = row * newHeight
        let bottom = top + newHeight
        while top < bottom, samples.count < newWidth * newHeight {
            let end = (samples.count / newWidth + 1) * height
            let part = UInt64(min(bottom, end) - top)
            if let averaged {
                for x in 0..<newWidth { sums[x] += averaged[x] * part }
            } else {
                for (x, sample) in line.enumerated() { sums[x] += UInt64(sample) * UInt64(width) * part }
            }
            top = min(bottom, end)
            if top == end { finishRow() }
        }
        row += 1
    }

    /// The sums over the widths of the new samples. In a common unit, a sample of the line is `newWidth` wide and a new
    /// one `width`.
    private func across(_ line: ArraySlice<UInt16>) -> [UInt64] {
        var sums = [UInt64](repeating: 0, count: newWidth)
        var (x, left) = (0, width)
        for sample in line {
            var rest = newWidth
            while rest > left {
                sums[x] += UInt64(sample) * UInt64(left)
                rest -= left
                (x, left) = (x + 1, width)
            }
            sums[x] += UInt64(sample) * UInt64(rest)
            left -= rest
            if left == 0 { (x, left) = (min(x + 1, newWidth - 1), width) }
        }
        return sums
    }

    private mutating func finishRow() {
        let area = UInt64(width) * UInt64(height)
        for x in 0..<newWidth {
            samples.append(UInt16(truncatingIfNeeded: (sums[x] + area / 2) / area))
            sums[x] = 0
        }
    }

    /// The new picture, once all rows are added.
    package var picture: GreyPicture { GreyPicture(width: newWidth, height: newHeight, light: samples) }
}
