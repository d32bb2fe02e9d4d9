extension GreyPicture {
    /// As dots whose darkness is the tone's, not its light's: thermal dots spread, so paper comes out darker than the
    /// dots' share of it.
    package func dithered(_ dithering: Dithering) -> DotMatrix {
        switch dithering {
        case .floydSteinberg: diffused(Self.floydSteinberg)
        case .atkinson: diffused(Self.atkinson)
        case .ordered: compared { x, y in Self.bayer[(y & 7) * 8 + x & 7] }
        case .threshold: compared { _, _ in 128 }
        }
    }

    /// Black where the tone is below the limit.
    private func compared(_ limit: (Int, Int) -> Int) -> DotMatrix {
        var bytes: [UInt8] = []
        bytes.reserveCapacity((width + 7) / 8 * height)
        for y in 0..<height {
            var row = DotRow(width: width)
            for x in 0..<width where Int(tones[y * width + x]) < limit(x, y) { row.set(x) }
            bytes += row.bytes
        }
        return DotMatrix(width: width, height: height, bytes: bytes) ?? DotMatrix(width: width, height: height)
    }

    /// Bayer's matrix of 8 × 8, as limits between the tones.
    private static let bayer: [Int] = (0..<64).map { place in
        let (x, y) = (place & 7, place >> 3)
        var order = 0
        for bit in 0..<3 {
            let (across, down) = (x >> bit & 1, y >> bit & 1)
            order |= ((across ^ down) << 1 | down) << (4 - 2 * bit)
        }
        return order * 4 + 2
    }

    /// Where the difference between a tone and its dot goes, in the row's direction.
    private struct Share {
        var ahead: Int
        var below: Int
        var weight: Int
    }

    /// Sixteenths.
    private static let floydSteinberg = [
        Share(ahead: 1, below: 0, weight: 7), Share(ahead: -1, below: 1, weight: 3),
        Share(ahead: 0, below: 1, weight: 5),
        Share(ahead: 1, below: 1, weight: 1),
    ]

    /// Sixteenths too: a quarter of the difference is let go, which makes light and dark parts clearer.
    private static let atkinson = [
        Share(ahead: 1, below: 0, weight: 2), Share(ahead: 2, below: 0, weight: 2),
        Share(ahead: -1, below: 1, weight: 2),
        Share(ahead: 0, below: 1, weight: 2), Share(ahead: 1, below: 1, weight: 2),
        Share(ahead: 0, below: 2, weight: 2),
    ]

    /// Every other row goes from right to left, so that no worms crawl one way.
    private func diffused(_ shares: [Share]) -> DotMatrix {
        // Two columns of margin at each side. In sixteenths of a tone.
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
                let difference = isBlack ? tone : tone - 255
                for share in shares {
                    rows[share.below][x + margin + share.ahead * direction] += difference * share.weight
                }
                x += direction
            }
            bytes += row.bytes
            rows = [rows[1], rows[2], [Int](repeating: 0, count: width + 2 * margin)]
        }
        return DotMatrix(width: width, height: height, bytes: bytes) ?? DotMatrix(width: width, height: height)
    }
}

/// A row of a `DotMatrix` that is being made.
private struct DotRow {
    private(set) var bytes: [UInt8]

    init(width: Int) { bytes = [UInt8](repeating: 0, count: (width + 7) / 8) }

    mutating func set(_ x: Int) { bytes[x >> 3] |= 0x80 >> UInt8(x & 7) }
}
