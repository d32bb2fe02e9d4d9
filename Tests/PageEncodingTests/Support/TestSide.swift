import KioskPageEncoding
import KioskPrintModel
import KioskTestSupport

/// A side with its pixels.
struct TestSide: Sendable {
    var page: RasterPage
    /// The rows without padding; bits beyond the width are 0.
    var rows: [UInt8]

    init(_ page: RasterPage, rows: [UInt8]) {
        self.page = page
        self.rows = rows
    }

    /// A side with white rows, repeated ones, ones that differ little, and new ones of runs and literals.
    init(_ page: RasterPage, seed: UInt64) {
        self.page = page
        var random = SeededRandom(seed)
        let unit = page.color == .rgb24 ? 3 : 1
        let length = page.bytesPerRow
        func pixel() -> [UInt8] {
            (0..<unit).map { _ in
                [0, 0xFF, 0x80, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)!
            }
        }
        func newRow() -> [UInt8] {
            var row: [UInt8] = []
            while row.count < length {
                if Bool.random(using: &random) {
                    let count = [1, 2, 3, 8, 127, 128, 129, 300].randomElement(using: &random)!
                    row += repeatElement(pixel(), count: count).joined()
                } else {
                    for _ in 0..<Int.random(in: 1...140, using: &random) { row += pixel() }
                }
            }
            return Array(row.prefix(length))
        }
        var row = [UInt8](repeating: page.color.white, count: length)
        rows = []
        while rows.count < length * page.height {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: row = [UInt8](repeating: page.color.white, count: length)
            case 1: row = newRow()
            case 2: for _ in 0..<3 { row[Int.random(in: 0..<length, using: &random)] = pixel()[0] }
            default: break
            }
            if page.color == .black1, page.width & 7 != 0 {
                row[length - 1] &= UInt8(truncatingIfNeeded: 0xFF00 >> (page.width & 7))
            }
            let count = [1, 1, 1, 2, 7, 256, 257].randomElement(using: &random)!
            for _ in 0..<min(count, page.height - rows.count / length) { rows += row }
        }
    }

    /// The rows with `padding` bytes behind each.
    func padded(_ padding: Int) -> [UInt8] {
        guard padding > 0 else { return rows }
        let length = page.bytesPerRow
        return (0..<page.height).flatMap {
            rows[$0 * length..<($0 + 1) * length] + repeatElement(0x5A, count: padding)
        }
    }

    /// The dots of a side of bits, row by row.
    func isBlack(_ x: Int, _ y: Int) -> Bool { rows[y * page.bytesPerRow + x >> 3] & 0x80 >> UInt8(x & 7) != 0 }
}

/// The bytes of a document, whose rows come `band` at a time.
func encoded(
    _ sides: [TestSide], _ document: RasterDocument, band: Int = .max, padding: Int = 0
) throws -> [UInt8] {
    var encoder = PageEncoder(document)
    var bytes: [UInt8] = []
    encoder.begin(into: &bytes)
    for side in sides {
        try encoder.beginSide(side.page, into: &bytes)
        let rows = side.padded(padding)
        let length = side.page.bytesPerRow + padding
        var y = 0
        while y < side.page.height {
            let next = y + min(band, side.page.height - y)
            // The last row comes without its padding.
            let end = next == side.page.height ? rows.count - padding : next * length
            try encoder.append(rows.span.extracting(y * length..<end), rowBytes: length, into: &bytes)
            y = next
        }
        try encoder.endSide(into: &bytes)
    }
    try encoder.end(into: &bytes)
    return bytes
}

/// Whether values are equal, for those whose difference is too large to be shown.
func same<Value: Equatable>(_ one: Value, _ other: Value) -> Bool { one == other }
