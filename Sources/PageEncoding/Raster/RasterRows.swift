/// The rows of a page of PWG or Apple Raster (PWG 5102.4 §4.4): a byte states how often a row is repeated, then comes
/// the row as runs and literals of pixels, or of eight black dots. The bytes do not depend on how many rows come at
/// once.
struct RasterRows: Sendable {
    private var coder: RunLengthCoder
    /// A row that is not encoded yet, since the next rows may repeat it, and how often it came.
    private var row: [UInt8] = []
    private var count = 0

    /// The maximum number of equal rows that are encoded as one.
    private static let maximumCount = 256

    init(_ color: PageColor) { coder = RunLengthCoder(.raster, unit: color == .rgb24 ? 3 : 1) }

    /// Adds rows, which are `rowBytes` apart and `length` bytes long.
    mutating func append(
        _ rows: Span<UInt8>, count rowCount: Int, rowBytes: Int, length: Int, into output: inout [UInt8]
    ) {
        var index = 0
        while index < rowCount, count > 0 {
            let next = rows.extracting(index * rowBytes..<index * rowBytes + length)
            if count < Self.maximumCount, row.span.equals(next) {
                count += 1
                index += 1
            } else {
                finish(into: &output)
            }
        }
        while index < rowCount {
            let first = rows.extracting(index * rowBytes..<index * rowBytes + length)
            var next = index + 1
            while next < rowCount, next - index < Self.maximumCount,
                first.equals(rows.extracting(next * rowBytes..<next * rowBytes + length))
            {
                next += 1
            }
            if next == rowCount {
                row.assign(first)
                count = next - index
            } else {
                encode(first, count: next - index, into: &output)
            }
            index = next
        }
    }

    /// Encodes what is left.
    mutating func finish(into output: inout [UInt8]) {
        guard count > 0 else { return }
        let row = row
        encode(row.span, count: count, into: &output)
        count = 0
    }

    private mutating func encode(_ row: Span<UInt8>, count: Int, into output: inout [UInt8]) {
        output.append(UInt8(truncatingIfNeeded: count - 1))
        coder.append(row, to: &output)
    }
}
