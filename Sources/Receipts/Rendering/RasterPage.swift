/// The header before the rows of a page.
struct RasterPageHeader {
    let width: Int
    let height: Int
    let dotsPerInch: Int
    let pageCount: Int
    /// Whether the paper is cut after the page.
    let isCut: Bool

    /// Four bytes.
    static func bigEndian(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    private static let length = 1796
    /// Values of cupsColorSpace (PWG 5102.4 §4.3.3.4).
    private static let (black, sGrey) = (3, 18)
    /// The value of CutMedia that cuts after each page.
    private static let cutAfterPage = 4

    /// The header of PWG 5102.4 §4.3. Fields that are not set are 0.
    func pwg(isBlack: Bool) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: Self.length)
        func set(_ bytes: [UInt8], at offset: Int) {
            header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        func set(_ values: Int..., at offset: Int) { set(values.flatMap(Self.bigEndian), at: offset) }
        let bits = isBlack ? 1 : 8
        let (widthInPoints, heightInPoints) = (points(width), points(height))
        set(Array("PwgRaster".utf8), at: 0)
        set(isCut ? Self.cutAfterPage : 0, at: 268)
        set(dotsPerInch, dotsPerInch, at: 276)
        set(1, at: 340)
        set(widthInPoints, heightInPoints, at: 352)
        set(width, height, at: 372)
        set(bits, bits, (width * bits + 7) / 8, 0, isBlack ? Self.black : Self.sGrey, at: 384)
        set(1, at: 420)
        // cupsPageSize, as IEEE 754 single precision.
        set(Int(Float(widthInPoints).bitPattern), Int(Float(heightInPoints).bitPattern), at: 428)
        // TotalPageCount, CrossFeedTransform, FeedTransform.
        set(pageCount, 1, 1, at: 452)
        // AlternatePrimary: white.
        set(0xFF_FFFF, at: 480)
        return header
    }

    /// The header of Apple Raster, as CUPS reads it (cups/raster-stream.c): bits per dot, colour space, sides, quality;
    /// width, height and resolution start at byte 12.
    var urf: [UInt8] {
        // Grey, on one side, in normal quality.
        let start: [UInt8] = [8, 0, 1, 4]
        return start + [UInt8](repeating: 0, count: 8) + [width, height, dotsPerInch].flatMap(Self.bigEndian)
            + [UInt8](repeating: 0, count: 8)
    }

    private func points(_ dots: Int) -> Int { (dots * 72 + dotsPerInch / 2) / dotsPerInch }
}

/// Compresses rows for PWG and Apple Raster (PWG 5102.4 §4.4). A byte states how often a row is repeated; then come
/// runs and literals of units. A unit is one grey dot or eight black ones.
enum RasterCompression {
    static func compressed(_ matrix: DotMatrix, asBits: Bool) -> [UInt8] {
        var compressed: [UInt8] = []
        var row = 0
        while row < matrix.height {
            let dots = matrix.row(row)
            var next = row + 1
            while next < matrix.height, next - row < 256, matrix.row(next).elementsEqual(dots) { next += 1 }
            compressed.append(UInt8(clamping: next - row - 1))
            append(asBits ? Array(dots) : grey(dots, width: matrix.width), to: &compressed)
            row = next
        }
        return compressed
    }

    /// A byte for each dot; 0 is black.
    private static func grey(_ dots: ArraySlice<UInt8>, width: Int) -> [UInt8] {
        var grey = [UInt8](repeating: 0xFF, count: width)
        for (index, byte) in dots.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 { grey[index * 8 + bit] = 0 }
        }
        return grey
    }

    /// The most units of a run or literal.
    private static let maximumCount = 128

    private static func append(_ units: [UInt8], to compressed: inout [UInt8]) {
        var index = 0
        while index < units.count {
            let end = min(index + maximumCount, units.count)
            var next = index + 1
            while next < end, units[next] == units[index] { next += 1 }
            if next - index > 1 || next == units.count {
                compressed += [UInt8(next - index - 1), units[index]]
                index = next
                continue
            }
            // The literal ends where a run starts.
            while next < end, next + 1 >= units.count || units[next] != units[next + 1] { next += 1 }
            if next - index == 1 {
                compressed += [0, units[index]]
            } else {
                compressed.append(UInt8(257 - (next - index)))
                compressed += units[index..<next]
            }
            index = next
        }
    }
}
