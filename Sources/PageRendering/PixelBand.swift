package import KioskPageEncoding

/// Some rows of a side, in bytes of grey or of red, green and blue.
package struct PixelBand {
    package let width: Int
    /// The number of rows.
    package private(set) var height: Int
    package let isColored: Bool
    /// The distance from one row to the next, a multiple of four.
    package let stride: Int
    private var bytes: [UInt8]

    /// Creates a white band.
    package init(width: Int, height: Int, isColored: Bool) {
        (self.width, self.height, self.isColored) = (width, height, isColored)
        stride = Self.stride(width: width, isColored: isColored)
        bytes = [UInt8](repeating: 0xFF, count: stride * height)
    }

    /// The bytes of a row.
    package static func stride(width: Int, isColored: Bool) -> Int { (width * (isColored ? 3 : 1) + 3) & ~3 }

    /// The most rows that it has room for.
    package var capacity: Int { bytes.count / stride }

    /// Makes it white again, with at most as many rows as before.
    package mutating func reset(height: Int) {
        self.height = min(height, bytes.count / stride)
        bytes.withUnsafeMutableBytes { bytes in
            bytes[..<(stride * self.height)].withMemoryRebound(to: UInt8.self) { $0.update(repeating: 0xFF) }
        }
    }

    /// Calls the function with its rows.
    package func withRows<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        try body(bytes.span.extracting(0..<(stride * height)))
    }

    /// Calls the function with the address of the first row.
    package mutating func withBytes(_ body: (UnsafeMutableRawPointer?) -> Void) {
        bytes.withUnsafeMutableBytes { body($0.baseAddress) }
    }

    /// Makes white what is as good as white. PDFium's white is 253 in pictures that lie askew, of which a printer would
    /// make scattered dots.
    package mutating func whitenNearWhite() {
        let count = stride * height
        bytes.withUnsafeMutableBytes { bytes in
            for index in 0..<min(count, bytes.count) where bytes[index] >= Self.nearWhite { bytes[index] = 0xFF }
        }
    }

    /// The darkest grey that is as good as white.
    private static let nearWhite: UInt8 = 253

    /// Maps each byte.
    mutating func map(_ value: (UInt8) -> UInt8) {
        for index in 0..<(stride * height) { bytes[index] = value(bytes[index]) }
    }

    /// Makes a rectangle black. Its rows are counted from the band's first.
    package mutating func blacken(_ rectangle: DotRectangle) {
        let part = rectangle.intersection(DotRectangle(left: 0, top: 0, right: width, bottom: height))
        guard !part.isEmpty else { return }
        let pixel = isColored ? 3 : 1
        for row in part.top..<part.bottom {
            for byte in (row * stride + part.left * pixel)..<(row * stride + part.right * pixel) { bytes[byte] = 0 }
        }
    }
}
