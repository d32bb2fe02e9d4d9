import CKioskZLib

/// A picture of sides of sheets beside each other: the edges of the paper, the pages on it, and what lies in the border
/// that the printer cannot print on, which is faint. It takes the rows of the sides one after the other.
package struct SheetPicture: Sendable {
    /// Its width and height in pixels.
    package let width: Int
    /// The rows of all sides.
    package let height: Int
    private let dpi: Int
    /// Bytes of a pixel: 1 or 3.
    private let depth: Int
    private var pixels: [UInt8]
    private let sides: [PlacedSide]
    private let turn: Turn
    /// The side whose rows come next, and the bytes of it that have come.
    private var current = 0
    private var received = 0

    /// The turn by which sides are shown, so that pages that lie across the paper are upright.
    enum Turn: Hashable, Sendable { case none, clockwise, anticlockwise }

    /// A side in dots, as it is drawn.
    struct Side: Hashable, Sendable {
        var width: Int
        var height: Int
        var unprintable: Borders
    }

    /// The widths of a side's borders, in dots.
    struct Borders: Hashable, Sendable {
        var left: Int
        var top: Int
        var right: Int
        var bottom: Int
    }

    private struct PlacedSide: Sendable {
        var side: Side
        /// The pixel of its upper left corner.
        var left: Int
        var top: Int
        /// Its size as it is shown.
        var width: Int
        var height: Int
    }

    /// White sides in their places.
    init(sides: [Side], turn: Turn = .none, dpi: Int, isColored: Bool) {
        func width(_ side: Side) -> Int { turn == .none ? side.width : side.height }
        func height(_ side: Side) -> Int { turn == .none ? side.height : side.width }
        self.turn = turn
        let gap = Self.gap(dpi)
        let columns = Self.columns(sides.count)
        let columnWidth = sides.map { width($0) }.max() ?? 1
        var placed: [PlacedSide] = []
        var top = gap
        for row in stride(from: 0, to: sides.count, by: columns) {
            let inRow = sides[row..<min(row + columns, sides.count)]
            for (column, side) in inRow.enumerated() {
                placed.append(
                    PlacedSide(
                        side: side, left: gap + column * (columnWidth + gap), top: top, width: width(side),
                        height: height(side)))
            }
            top += (inRow.map { height($0) }.max() ?? 0) + gap
        }
        self.sides = placed
        self.dpi = dpi
        depth = isColored ? 3 : 1
        self.width = gap + min(columns, max(1, sides.count)) * (columnWidth + gap)
        self.height = top
        pixels = [UInt8](repeating: Self.table, count: self.width * self.height * depth)
        for place in placed { drawPaper(place) }
    }

    /// The tone of what the sheets lie on, of the paper's edge, and of unprintable paper.
    private static let table: UInt8 = 0xC8
    private static let edge: UInt8 = 0x80
    private static let unprintable: UInt8 = 0xEE

    /// A fraction of an inch between sheets, and around them.
    private static func gap(_ dpi: Int) -> Int { max(2, dpi / 8) }

    /// Sides in a row: a sheet's front and back stand side by side.
    private static func columns(_ count: Int) -> Int { count <= 1 ? 1 : count <= 4 ? 2 : 4 }

    /// The dots per inch, at most these, with which a picture of such sides (width and height in hundredths of a
    /// millimetre) has no more pixels than `maximumPixels`, and no edge above `maximumEdge`.
    static func resolution(ofSides sizes: [(Int, Int)], atMost wanted: Int) -> Int {
        let columns = columns(sizes.count)
        var (inchesDown, inchesAcross) = (0.125, 0.125)
        let column = sizes.map { Double($0.0) / 2540 }.max() ?? 0
        inchesAcross += Double(min(columns, sizes.count)) * (column + 0.125)
        for row in stride(from: 0, to: sizes.count, by: columns) {
            let heights = sizes[row..<min(row + columns, sizes.count)].map { Double($0.1) / 2540 }
            inchesDown += (heights.max() ?? 0) + 0.125
        }
        let byPixels = (Double(maximumPixels) / (inchesAcross * inchesDown)).squareRoot()
        let byEdge = Double(maximumEdge) / max(inchesAcross, inchesDown)
        return max(1, min(wanted, Int(min(byPixels, byEdge))))
    }

    /// Four sides of A4 at 100 dots per inch have 4 million.
    private static let maximumPixels = 5_000_000
    private static let maximumEdge = 30_000
}

// The sides.
extension SheetPicture {
    /// White paper with its edge. Its borders come with its rows.
    private mutating func drawPaper(_ place: PlacedSide) {
        let (left, right) = (max(0, place.left - 1), min(width, place.left + place.width + 1))
        for y in max(0, place.top - 1)..<min(height, place.top + place.height + 1) {
            let isEdge = y < place.top || y >= place.top + place.height
            fill(row: y, left..<right, isEdge ? Self.edge : 0xFF)
            guard !isEdge else { continue }
            fill(row: y, left..<left + 1, Self.edge)
            fill(row: y, right - 1..<right, Self.edge)
        }
    }

    private mutating func fill(row: Int, _ columns: Range<Int>, _ tone: UInt8) {
        let start = row * width * depth
        for index in start + columns.lowerBound * depth..<start + columns.upperBound * depth { pixels[index] = tone }
    }

    /// Adds the next bytes of the sides' rows: grey or red, green and blue, without padding. What comes after the last
    /// side is left out.
    mutating func append(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, current < sides.count {
            let place = sides[current]
            let rowLength = place.side.width * depth
            let (row, start) = received.quotientAndRemainder(dividingBy: rowLength)
            let part = rest.prefix(rowLength - start)
            copy(part, to: place, row: row, from: start)
            rest = rest.dropFirst(part.count)
            received += part.count
            if received == rowLength * place.side.height { (current, received) = (current + 1, 0) }
        }
    }

    private mutating func copy(_ bytes: ArraySlice<UInt8>, to place: PlacedSide, row: Int, from start: Int) {
        let borders = place.side.unprintable
        let isOutside = row < borders.top || row >= place.side.height - borders.bottom
        let (first, last) = (borders.left * depth, (place.side.width - borders.right) * depth)
        let target = ((place.top + row) * width + place.left) * depth + start
        for (offset, byte) in bytes.enumerated() {
            let isFaint = isOutside || start + offset < first || start + offset >= last
            let index = turn == .none ? target + offset : self.index(of: start + offset, in: row, place)
            pixels[index] = isFaint ? Self.faint(byte) : byte
        }
    }

    /// The place of a byte of a row of a side that is shown turned.
    private func index(of byte: Int, in row: Int, _ place: PlacedSide) -> Int {
        let (dot, channel) = byte.quotientAndRemainder(dividingBy: depth)
        let (x, y) = turn == .clockwise ? (place.width - 1 - row, dot) : (row, place.height - 1 - dot)
        return ((place.top + y) * width + place.left + x) * depth + channel
    }

    /// A tone in the border: what is white is nearly white, what is black is a light grey.
    private static func faint(_ tone: UInt8) -> UInt8 { UInt8(Int(unprintable) - (255 - Int(tone)) / 4) }
}

// The file.
extension SheetPicture {
    /// The picture as a PNG file (ISO/IEC 15948).
    package var png: [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Eight bits of grey, or of each colour; not interlaced.
        Self.append(
            "IHDR", Self.bigEndian(width) + Self.bigEndian(height) + [8, depth == 1 ? 0 : 2, 0, 0, 0], to: &file)
        let dotsPerMetre = (dpi * 10_000 + 127) / 254
        Self.append("pHYs", Self.bigEndian(dotsPerMetre) + Self.bigEndian(dotsPerMetre) + [1], to: &file)
        Self.append("IDAT", compressedRows, to: &file)
        Self.append("IEND", [], to: &file)
        return file
    }

    /// The rows, each as what differs from the one above (filter type 2): what is even becomes zeros.
    private var compressedRows: [UInt8] {
        let length = width * depth
        var rows: [UInt8] = []
        rows.reserveCapacity((length + 1) * height)
        for y in 0..<height {
            rows.append(2)
            let row = pixels[y * length..<(y + 1) * length]
            guard y > 0 else {
                rows += row
                continue
            }
            for index in row.indices { rows.append(pixels[index] &- pixels[index - length]) }
        }
        let bound = compressBound(uLong(rows.count))
        return [UInt8](unsafeUninitializedCapacity: Int(bound)) { buffer, count in
            var size = bound
            let result = compress2(buffer.baseAddress, &size, rows, uLong(rows.count), Z_DEFAULT_COMPRESSION)
            // With a buffer of `compressBound` bytes it fails only without memory (zlib.h).
            precondition(result == Z_OK, "zlib: \(result)")
            count = Int(size)
        }
    }

    private static func append(_ type: String, _ data: [UInt8], to file: inout [UInt8]) {
        let chunk = Array(type.utf8) + data
        file += bigEndian(data.count) + chunk + bigEndian(Int(crc32(0, chunk, uInt(chunk.count))))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
