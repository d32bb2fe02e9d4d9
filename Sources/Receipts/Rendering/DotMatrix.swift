/// Black and white dots for a print head. A row packs eight dots into a byte, the leftmost in the highest bit, and
/// begins on a byte boundary; dots beyond the width are white. The raster commands of ESC/POS, StarPRNT and ZPL carry
/// dots in this form.
package struct DotMatrix: Hashable, Sendable, Codable {
    package let width: Int
    package let height: Int
    /// Bytes per row.
    package let stride: Int
    package private(set) var bytes: [UInt8]

    /// Creates a white matrix.
    package init(width: Int, height: Int) {
        self.width = max(width, 0)
        self.height = max(height, 0)
        stride = (self.width + 7) / 8
        bytes = [UInt8](repeating: 0, count: stride * self.height)
    }

    /// Creates a matrix from its bytes. Nil where their number does not match the size. Dots beyond the width become
    /// white.
    package init?(width: Int, height: Int, bytes: [UInt8]) {
        guard width >= 0, height >= 0, width <= Self.maximumSide, height <= Self.maximumSide,
            bytes.count == (width + 7) / 8 * height
        else { return nil }
        (self.width, self.height, self.bytes) = (width, height, bytes)
        stride = (width + 7) / 8
        guard width & 7 != 0 else { return }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (width & 7))
        for row in 0..<height { self.bytes[row * stride + stride - 1] &= mask }
    }

    /// The maximum length of a side in dots: ten metres of paper at 203 dots per inch.
    package static let maximumSide = 80_000

    /// The bytes of a row; none where the row is outside.
    package func row(_ y: Int) -> ArraySlice<UInt8> {
        guard (0..<height).contains(y) else { return [] }
        return bytes[y * stride..<(y + 1) * stride]
    }

    /// Whether a dot is black. Dots outside are white, and setting one does nothing.
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

    /// The effect of painting a dot.
    enum Ink { case black, reversed }

    /// Paints the part of a rectangle that is inside.
    mutating func paint(x: Range<Int>, y: Range<Int>, _ ink: Ink = .black) {
        let (columns, rows) = (x.clamped(to: 0..<width), y.clamped(to: 0..<height))
        guard !columns.isEmpty, !rows.isEmpty else { return }
        let (first, last) = (columns.lowerBound >> 3, (columns.upperBound - 1) >> 3)
        let head = UInt8(0xFF) >> UInt8(columns.lowerBound & 7)
        let tail = UInt8(truncatingIfNeeded: 0xFF00 >> ((columns.upperBound - 1) & 7 + 1))
        for row in rows {
            let start = row * stride
            for byte in first...last {
                let mask = (byte == first ? head : 0xFF) & (byte == last ? tail : 0xFF)
                if ink == .black { bytes[start + byte] |= mask } else { bytes[start + byte] ^= mask }
            }
        }
    }

    /// Paints the black dots of another matrix that are inside, eight dots at a time.
    mutating func paint(_ matrix: DotMatrix, x: Int, y: Int) {
        let rows = max(-y, 0)..<max(min(matrix.height, height - y), max(-y, 0))
        let (byteShift, bitShift) = (x >> 3, x & 7)
        // The bytes of the source whose dots fall, at least in part, into a row of this matrix.
        let columns = max(-byteShift - 1, 0)..<max(min(matrix.stride, stride - byteShift), max(-byteShift - 1, 0))
        guard !rows.isEmpty, !columns.isEmpty else { return }
        let (target, source) = (stride, matrix.stride)
        let dots = matrix.bytes.span
        var painted = bytes.mutableSpan
        for row in rows {
            let (from, to) = (row * source, (row + y) * target + byteShift)
            var index = columns.lowerBound
            // Eight bytes at once, as long as the bytes that they are shifted into are in the row.
            while index + 8 <= columns.upperBound, index + byteShift >= 0, index + byteShift + 8 < target {
                let word = dots.bigEndian(at: from + index)
                painted.blacken(word >> UInt64(bitShift), at: to + index)
                painted[to + index + 8] |= UInt8(truncatingIfNeeded: ((word & 0xFF) << 8) >> UInt64(bitShift))
                index += 8
            }
            while index < columns.upperBound {
                let byte = (UInt16(dots[from + index]) << 8) >> UInt16(bitShift)
                if index + byteShift >= 0 { painted[to + index] |= UInt8(truncatingIfNeeded: byte >> 8) }
                if index + byteShift + 1 < target { painted[to + index + 1] |= UInt8(truncatingIfNeeded: byte) }
                index += 1
            }
        }
        clearBeyondWidth(rows.lowerBound + y..<rows.upperBound + y)
    }

    /// Clears the dots beyond the width in the last byte of these rows.
    private mutating func clearBeyondWidth(_ rows: Range<Int>) {
        guard width & 7 != 0 else { return }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (width & 7))
        for row in rows { bytes[(row + 1) * stride - 1] &= mask }
    }

    /// The matrix turned clockwise.
    func turned(_ rotation: LineRotation) -> DotMatrix {
        guard rotation != .upright else { return self }
        var turned =
            rotation.isSideways ? DotMatrix(width: height, height: width) : DotMatrix(width: width, height: height)
        for y in 0..<height {
            for index in 0..<inkedBytes(ofRow: y) {
                let byte = bytes[y * stride + index]
                for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 {
                    let x = index * 8 + bit
                    switch rotation {
                    case .quarter: turned[height - 1 - y, x] = true
                    case .half: turned[width - 1 - x, height - 1 - y] = true
                    case .threeQuarters: turned[y, width - 1 - x] = true
                    case .upright: break
                    }
                }
            }
        }
        return turned
    }

    /// A matrix of the rows in a range.
    func rows(_ range: Range<Int>) -> DotMatrix {
        let range = range.clamped(to: 0..<height)
        var part = DotMatrix(width: width, height: range.count)
        part.bytes = Array(bytes[range.lowerBound * stride..<range.upperBound * stride])
        return part
    }

    /// The part of these columns and rows. What of it is outside is white.
    package func part(x: Range<Int>, y: Range<Int>) -> DotMatrix {
        if x == 0..<width { return rows(y) }
        var part = DotMatrix(width: x.count, height: y.count)
        part.paint(self, x: -x.lowerBound, y: -y.lowerBound)
        return part
    }

    /// The rows from the first with a black dot to the last; empty where all are white.
    package var inkedRows: Range<Int> {
        guard let first = bytes.firstIndex(where: { $0 != 0 }), let last = bytes.lastIndex(where: { $0 != 0 }) else {
            return 0..<0
        }
        return first / stride..<last / stride + 1
    }

    /// The number of bytes up to the last one with a black dot.
    func inkedBytes(ofRow row: Int) -> Int {
        var count = stride
        while count > 0, bytes[row * stride + count - 1] == 0 { count -= 1 }
        return count
    }

    /// The first bytes of each of these rows, one row after another.
    func bytes(of rows: Range<Int>, first count: Int) -> [UInt8] {
        guard count < stride else { return Array(bytes[rows.lowerBound * stride..<rows.upperBound * stride]) }
        var part: [UInt8] = []
        part.reserveCapacity(rows.count * count)
        for row in rows { part += bytes[row * stride..<row * stride + count] }
        return part
    }

    /// Whether it has no black dot.
    package var isWhite: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The number of black dots.
    package var blackDots: Int { bytes.reduce(0) { $0 + $1.nonzeroBitCount } }
}

/// A band of a matrix: rows to print, or white rows that the paper is fed past.
enum RasterBand: Hashable {
    /// The rows, and how many of their bytes from the left contain black dots.
    case rows(Range<Int>, bytes: Int)
    /// A number of white rows.
    case white(Int)

    /// The bands of a matrix, from top to bottom. No band has more than `maximumRows` rows. Fewer white rows than
    /// `minimumWhiteRows` are printed with the rows around them, since every feed slows the paper down.
    static func bands(of matrix: DotMatrix, maximumRows: Int, minimumWhiteRows: Int = 16) -> [RasterBand] {
        let maximumRows = max(maximumRows, 1)
        var bands: [RasterBand] = []
        var white = 0
        var black: (rows: Range<Int>, bytes: Int)?
        func finished() -> [RasterBand] { black.map { [.rows($0.rows, bytes: $0.bytes)] } ?? [] }
        for row in 0..<matrix.height {
            let bytes = matrix.inkedBytes(ofRow: row)
            guard bytes > 0 else { white += 1; continue }
            if let (rows, widest) = black, white < minimumWhiteRows, row - rows.lowerBound < maximumRows {
                black = (rows.lowerBound..<row + 1, max(widest, bytes))
            } else {
                bands += finished()
                if white > 0 { bands.append(.white(white)) }
                black = (row..<row + 1, bytes)
            }
            white = 0
        }
        bands += finished()
        if white > 0 { bands.append(.white(white)) }
        return bands
    }
}

extension Span<UInt8> {
    /// Eight bytes as one word, with the leftmost dot in the highest bit.
    fileprivate func bigEndian(at index: Int) -> UInt64 {
        let bytes = unsafe extracting(index..<index + 8).bytes
        return UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(as: UInt64.self))
    }
}

extension MutableSpan<UInt8> {
    /// Blackens the dots that are set in a word.
    fileprivate mutating func blacken(_ word: UInt64, at index: Int) {
        let before = span.bigEndian(at: index)
        var bytes = unsafe mutableBytes
        bytes.storeBytes(of: (before | word).bigEndian, toByteOffset: index, as: UInt64.self)
    }
}
