import CKioskZLib
import Glibc
package import KioskSimulatedPaper

/// A bitmap font in the X Window System's Portable Compiled Format (PCF), gzipped as in Debian's packages. The file is
/// not trusted: every offset and size is checked.
package struct FontFile {
    private let bytes: [UInt8]
    private let metrics: [Metrics]
    /// The offset of each glyph in `bytes`.
    private let offsets: [Int]
    private let rowPadding: Int
    /// Glyphs by the code of their character in the Basic Multilingual Plane.
    private let encoding: (firstColumn: Int, lastColumn: Int, firstRow: Int, lastRow: Int, glyphs: Int)
    package let ascent: Int

    private struct Metrics {
        var left: Int
        var right: Int
        var advance: Int
        var ascent: Int
        var descent: Int
    }

    package struct Unreadable: Error, CustomStringConvertible {
        package var description: String
    }

    private static let metricsTable = 4, bitmapTable = 8, encodingTable = 32, acceleratorTable = 2
    private static let maximumLength = 64 << 20

    package init(path: String) throws(Unreadable) {
        bytes = try Self.unpacked(path)
        var tables: [Int: Int] = [:]
        guard bytes.prefix(4) == [1, 0x66, 0x63, 0x70], let count = Self.number(bytes, 4, 4, isBig: false), count <= 64
        else {
            throw Unreadable(description: "\(path) is not a PCF font.")
        }
        for index in 0..<count {
            let entry = 8 + index * 16
            if let type = Self.number(bytes, entry, 4, isBig: false) {
                tables[type] = Self.number(bytes, entry + 12, 4, isBig: false)
            }
        }
        guard let metrics = Self.metrics(bytes, tables[Self.metricsTable]),
            let bitmaps = Self.bitmaps(bytes, tables[Self.bitmapTable]),
            let encoding = Self.encoding(bytes, tables[Self.encodingTable]), bitmaps.offsets.count == metrics.count
        else { throw Unreadable(description: "\(path) is a PCF font of an unsupported kind.") }
        self.metrics = metrics
        offsets = bitmaps.offsets
        rowPadding = bitmaps.rowPadding
        self.encoding = encoding
        ascent = Self.ascent(bytes, tables[Self.acceleratorTable]) ?? 0
    }

    /// The character's dots, and their position in its cell.
    package func glyph(_ scalar: Unicode.Scalar) -> (picture: Bitmap, left: Int, ascent: Int, advance: Int)? {
        let (row, column) = (Int(scalar.value >> 8), Int(scalar.value & 0xFF))
        guard (encoding.firstRow...encoding.lastRow).contains(row),
            (encoding.firstColumn...encoding.lastColumn).contains(column)
        else {
            return nil
        }
        let columns = encoding.lastColumn - encoding.firstColumn + 1
        let index = (row - encoding.firstRow) * columns + column - encoding.firstColumn
        guard let glyph = Self.number(bytes, encoding.glyphs + index * 2, 2, isBig: true),
            metrics.indices.contains(glyph)
        else { return nil }
        let metrics = metrics[glyph]
        let (width, height) = (metrics.right - metrics.left, metrics.ascent + metrics.descent)
        guard width > 0, height > 0, width <= 256, height <= 256 else {
            return (Bitmap(width: 0, height: 0), 0, 0, metrics.advance)
        }
        let stride = (width + rowPadding * 8 - 1) / (rowPadding * 8) * rowPadding
        var picture = Bitmap(width: 0, height: 0)
        let end = offsets[glyph] + stride * height
        guard offsets[glyph] >= 0, end <= bytes.count else { return nil }
        let packed = (width + 7) / 8
        var rows: [UInt8] = []
        for y in 0..<height { rows += bytes[offsets[glyph] + y * stride..<offsets[glyph] + y * stride + packed] }
        picture = Bitmap(width: width, height: height, rows: rows)
        return (picture, metrics.left, metrics.ascent, metrics.advance)
    }

    // MARK: Tables

    /// Whether a table's numbers are big-endian.
    private static func isBig(_ format: Int) -> Bool { format & 4 != 0 }

    private static func metrics(_ bytes: [UInt8], _ offset: Int?) -> [Metrics]? {
        guard let offset, let format = number(bytes, offset, 4, isBig: false) else { return nil }
        let isCompressed = format & 0x100 != 0
        let (start, size) = isCompressed ? (offset + 6, 5) : (offset + 8, 12)
        guard let count = number(bytes, offset + 4, isCompressed ? 2 : 4, isBig: isBig(format)), count <= 70_000,
            start + count * size <= bytes.count
        else { return nil }
        return (0..<count).map { index in
            let values = (0..<5).map { field -> Int in
                if isCompressed { return Int(bytes[start + index * size + field]) - 0x80 }
                let value = number(bytes, start + index * size + field * 2, 2, isBig: isBig(format)) ?? 0
                return Int(Int16(truncatingIfNeeded: value))
            }
            return Metrics(left: values[0], right: values[1], advance: values[2], ascent: values[3], descent: values[4])
        }
    }

    /// The bitmaps in the form of Debian's fonts: the leftmost dot in the highest bit, bytes in order.
    private static func bitmaps(_ bytes: [UInt8], _ offset: Int?) -> (offsets: [Int], rowPadding: Int)? {
        guard let offset, let format = number(bytes, offset, 4, isBig: false), format & 8 != 0,
            format & 0x30 == 0 || isBig(format),
            let count = number(bytes, offset + 4, 4, isBig: isBig(format)), count <= 70_000,
            offset + 8 + count * 4 + 16 <= bytes.count
        else { return nil }
        let data = offset + 8 + count * 4 + 16
        let offsets = (0..<count).map {
            data + (number(bytes, offset + 8 + $0 * 4, 4, isBig: isBig(format)) ?? bytes.count)
        }
        return (offsets, 1 << (format & 3))
    }

    private static func encoding(
        _ bytes: [UInt8], _ offset: Int?
    ) -> (firstColumn: Int, lastColumn: Int, firstRow: Int, lastRow: Int, glyphs: Int)? {
        guard let offset, let format = number(bytes, offset, 4, isBig: false), isBig(format) else { return nil }
        let fields = (0..<4).compactMap { number(bytes, offset + 4 + $0 * 2, 2, isBig: true) }
        guard fields.count == 4, fields[0] <= fields[1], fields[1] <= 255, fields[2] <= fields[3], fields[3] <= 255
        else { return nil }
        return (fields[0], fields[1], fields[2], fields[3], offset + 14)
    }

    private static func ascent(_ bytes: [UInt8], _ offset: Int?) -> Int? {
        guard let offset, let format = number(bytes, offset, 4, isBig: false) else { return nil }
        return number(bytes, offset + 12, 4, isBig: isBig(format)).flatMap { $0 <= 256 ? $0 : nil }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int, isBig: Bool) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        let field = bytes[offset..<offset + size]
        return (isBig ? Array(field) : field.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }

    private static func unpacked(_ path: String) throws(Unreadable) -> [UInt8] {
        guard let file = gzopen(path, "rb") else {
            throw Unreadable(description: "\(path): \(String(cString: strerror(errno)))")
        }
        defer { gzclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < maximumLength {
            let count = gzread(file, &buffer, UInt32(buffer.count))
            guard count >= 0 else { throw Unreadable(description: "\(path) is damaged.") }
            guard count > 0 else { return bytes }
            bytes += buffer[..<Int(count)]
        }
        throw Unreadable(description: "\(path) is too large.")
    }
}
