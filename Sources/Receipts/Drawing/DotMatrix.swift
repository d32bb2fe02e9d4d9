/// Dots of a print head, black or white. Rows are packed eight dots to a byte, the leftmost in the highest bit, and
/// begin at a byte of their own; dots beyond the width are white. It is what raster commands of ESC/POS, StarPRNT and
/// ZPL carry.
package struct DotMatrix: Hashable, Sendable, Codable {
    package let width: Int
    package let height: Int
    /// Bytes of a row.
    package let stride: Int
    package internal(set) var bytes: [UInt8]

    /// White.
    package init(width: Int, height: Int) {
        self.width = max(width, 0)
        self.height = max(height, 0)
        stride = (self.width + 7) / 8
        bytes = [UInt8](repeating: 0, count: stride * self.height)
    }

    /// Nil where the bytes are not those of all rows. What stands beyond the width is taken as white.
    package init?(width: Int, height: Int, bytes: [UInt8]) {
        guard width >= 0, height >= 0, width <= Self.longest, height <= Self.longest,
            bytes.count == (width + 7) / 8 * height
        else { return nil }
        (self.width, self.height, self.bytes) = (width, height, bytes)
        stride = (width + 7) / 8
        guard width & 7 != 0 else { return }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (width & 7))
        for row in 0..<height { self.bytes[row * stride + stride - 1] &= mask }
    }

    /// No side has more dots: ten metres of paper at 203 dots an inch.
    package static let longest = 80_000

    package func row(_ y: Int) -> ArraySlice<UInt8> {
        guard (0..<height).contains(y) else { return [] }
        return bytes[y * stride..<(y + 1) * stride]
    }

    /// White outside; setting a dot there does nothing.
    package subscript(x: Int, y: Int) -> Bool {
        get {
            guard (0..<width).contains(x), (0..<height).contains(y) else { return false }
            return bytes[y * stride + x >> 3] & 0x80 >> UInt8(x & 7) != 0
        }
        set {
            guard (0..<width).contains(x), (0..<height).contains(y) else { return }
            let bit: UInt8 = 0x80 >> UInt8(x & 7)
            if newValue { bytes[y * stride + x >> 3] |= bit } else { bytes[y * stride + x >> 3] &= ~bit }
        }
    }
}
