/// Compresses rows to runs and literals of units: the inner compression of PWG and Apple Raster (PWG 5102.4 §4.4), and
/// PackBits, which PCL ("TIFF rev. 4.0") and PostScript (`RunLengthDecode`) read.
struct RunLengthCoder: Sendable {
    /// The meaning of the byte before a run or literal.
    enum Style: Sendable {
        /// 0 to 127: a run of 1 to 128; 255 down to 129: a literal of 2 to 128.
        case raster
        /// 0 to 127: a literal of 1 to 128; 255 down to 129: a run of 2 to 128.
        case packBits
    }

    private let style: Style
    /// The bytes of a unit: a byte, or the three of a colour.
    private let unit: Int
    /// The row that is being compressed, with room for the worst case.
    private var packed: [UInt8] = []

    /// The maximum number of units in a run or literal.
    private static let maximumCount = 128

    init(_ style: Style, unit: Int = 1) {
        self.style = style
        self.unit = max(unit, 1)
    }

    /// Appends the compressed row. Bytes beyond its last whole unit are left out.
    mutating func append(_ row: Span<UInt8>, to output: inout [UInt8]) {
        let (unit, isRaster, units) = (self.unit, style == .raster, row.count / self.unit)
        // At worst each unit has a byte before it. A word more lets literals be copied by words.
        let capacity = units * (unit + 1) + 8
        if packed.count < capacity { packed = [UInt8](repeating: 0, count: capacity) }
        var length = 0
        var bytes = packed.mutableSpan
        var index = 0
        while index < units {
            let end = min(index + Self.maximumCount, units)
            var next = Self.endOfRun(in: row, unit, from: index, to: end)
            if next - index > 1 || next == units {
                let count = next - index
                bytes[length] = UInt8(truncatingIfNeeded: isRaster || count == 1 ? count - 1 : 257 - count)
                for part in 0..<unit { bytes[length + 1 + part] = row[index * unit + part] }
                length += unit + 1
            } else {
                // The literal ends where a run starts.
                next = Self.endOfLiteral(in: row, unit, from: next, to: end, units)
                let count = next - index
                bytes[length] = UInt8(truncatingIfNeeded: isRaster && count > 1 ? 257 - count : count - 1)
                bytes.copyLoosely(row, index * unit..<next * unit, to: length + 1)
                length += count * unit + 1
            }
            index = next
        }
        output.append(contentsOf: packed[..<length])
    }

    @inline(__always)
    private static func endOfRun(in row: Span<UInt8>, _ unit: Int, from index: Int, to end: Int) -> Int {
        let limit = (end - 1) * unit
        let change = row.firstChange(from: index * unit, to: limit, distance: unit)
        return change == limit ? end : (unit == 1 ? change : change / unit) + 1
    }

    @inline(__always)
    private static func endOfLiteral(
        in row: Span<UInt8>, _ unit: Int, from index: Int, to end: Int, _ units: Int
    ) -> Int {
        // The last unit of the row has none after it, and belongs to the literal.
        let limit = min(end, units - 1)
        guard index < limit else { return end }
        if unit == 1 {
            let pair = row.firstPair(from: index, to: limit)
            return pair == limit ? end : pair
        }
        for next in index..<limit {
            let start = next * unit
            if row.firstChange(from: start, to: start + unit, distance: unit) == start + unit { return next }
        }
        return end
    }
}
