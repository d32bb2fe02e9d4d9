/// How a picture's pixels have to be turned so that it stands upright, with the numbers of Exif's tag "Orientation"
/// (Exif 2.32 §4.6.4).
package enum ImageOrientation: UInt8, Hashable, Sendable, CaseIterable {
    case upright = 1
    case mirrored, upsideDown, upsideDownMirrored, transposed
    /// A quarter turn clockwise makes it upright.
    case quarterLeft
    case transversed, quarterRight

    /// Whether width and height change places.
    package var isSideways: Bool { rawValue >= 5 }

    /// The stored pixel that is at a place of the upright picture. `width` and `height` are those of the stored one.
    package func source(x: Int, y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
        switch self {
        case .upright: (x, y)
        case .mirrored: (width - 1 - x, y)
        case .upsideDown: (width - 1 - x, height - 1 - y)
        case .upsideDownMirrored: (x, height - 1 - y)
        case .transposed: (y, x)
        case .quarterLeft: (y, height - 1 - x)
        case .transversed: (width - 1 - y, height - 1 - x)
        case .quarterRight: (width - 1 - y, x)
        }
    }

    private static let tag = 0x0112
    /// The type of a number of two bytes.
    private static let short = 3

    /// Reads the first directory of Exif data, which is a TIFF file (TIFF 6.0 §2). Nil where it has no orientation.
    init?(exif: ArraySlice<UInt8>) {
        let bytes = Array(exif)
        let isLittle = bytes.starts(with: [0x49, 0x49, 0x2A, 0])
        guard isLittle || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) else { return nil }
        func number(_ start: Int, _ count: Int) -> Int? {
            guard start >= 0, start <= bytes.count - count else { return nil }
            let part = bytes[start..<start + count]
            return isLittle
                ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
        for entry in 0..<count {
            let start = directory + 2 + 12 * entry
            guard let tag = number(start, 2), let type = number(start + 2, 2) else { return nil }
            guard tag == Self.tag else { continue }
            guard type == Self.short, let value = number(start + 8, 2) else { return nil }
            self.init(rawValue: UInt8(clamping: value))
            return
        }
        return nil
    }
}

/// The checksum of PNG's chunks: CRC-32 (PNG specification, annex D).
enum PNGChecksum {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    static func value(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        let (bytes, table) = (bytes.span, table.span)
        var value = UInt32.max
        for index in range { value = value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ bytes[index])] }
        return ~value
    }
}
