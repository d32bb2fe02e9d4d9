import CKioskZLib
import Glibc
package import KioskSimulatedPaper

/// A bitmap font in the X Window System's Portable Compiled Format (PCF), gzipped as in Debian's packages. The file is
/// not trusted: every offset and size is checked.
package struct FontFile {
    private let bytes: [UInt8]
    /// Of a glyph what is needed is read when it is drawn: a font has tens of thousands.
    private let metrics: MetricsTable
    private let bitmaps: BitmapTable
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
    private static let maximumGlyphs = 70_000

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
        guard let metrics = MetricsTable(bytes, tables[Self.metricsTable]),
            let bitmaps = BitmapTable(bytes, tables[Self.bitmapTable]),
            let encoding = Self.encoding(bytes, tables[Self.encodingTable]), bitmaps.count == metrics.count
        else { throw Unreadable(description: "\(path) is a PCF font of an unsupported kind.") }
        (self.metrics, self.bitmaps, self.encoding) = (metrics, bitmaps, encoding)
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
        guard let glyph = Self.number(bytes, encoding.glyphs + index * 2, 2, isBig: true), glyph < metrics.count
        else { return nil }
        let metrics = metrics.metrics(of: glyph, in: bytes)
        let (width, height) = (metrics.right - metrics.left, metrics.ascent + metrics.descent)
        guard width > 0, height > 0, width <= 256, height <= 256 else {
            return (Bitmap(width: 0, height: 0), 0, 0, metrics.advance)
        }
        let padding = bitmaps.rowPadding
        let stride = (width + padding * 8 - 1) / (padding * 8) * padding
        guard let offset = bitmaps.offset(of: glyph, in: bytes), offset <= bytes.count - stride * height else {
            return nil
        }
        let packed = (width + 7) / 8
        var rows: [UInt8] = []
        for y in 0..<height { rows += bytes[offset + y * stride..<offset + y * stride + packed] }
        return (Bitmap(width: width, height: height, rows: rows), metrics.left, metrics.ascent, metrics.advance)
    }

    // MARK: Tables

    /// Whether a table's numbers are big-endian.
    private static func isBig(_ format: Int) -> Bool { format & 4 != 0 }

    private struct MetricsTable {
        let count: Int
        private let start: Int
        private let isCompressed: Bool
        private let isBig: Bool
        private var size: Int { isCompressed ? 5 : 12 }

        init?(_ bytes: [UInt8], _ offset: Int?) {
            guard let offset, let format = number(bytes, offset, 4, isBig: false) else { return nil }
            (isCompressed, isBig) = (format & 0x100 != 0, FontFile.isBig(format))
            start = isCompressed ? offset + 6 : offset + 8
            guard let count = number(bytes, offset + 4, isCompressed ? 2 : 4, isBig: isBig), count <= maximumGlyphs
            else { return nil }
            self.count = count
            guard start + count * size <= bytes.count else { return nil }
        }

        func metrics(of glyph: Int, in bytes: [UInt8]) -> Metrics {
            func field(_ index: Int) -> Int {
                if isCompressed { return Int(bytes[start + glyph * size + index]) - 0x80 }
                let value = number(bytes, start + glyph * size + index * 2, 2, isBig: isBig) ?? 0
                return Int(Int16(truncatingIfNeeded: value))
            }
            return Metrics(left: field(0), right: field(1), advance: field(2), ascent: field(3), descent: field(4))
        }
    }

    /// The bitmaps in the form of Debian's fonts: the leftmost dot in the highest bit, bytes in order.
    private struct BitmapTable {
        let count: Int
        /// The bytes that each row of dots is filled up to.
        let rowPadding: Int
        private let offsets: Int
        private let isBig: Bool
        private var data: Int { offsets + count * 4 + 16 }

        init?(_ bytes: [UInt8], _ offset: Int?) {
            guard let offset, let format = number(bytes, offset, 4, isBig: false), format & 8 != 0,
                format & 0x30 == 0 || FontFile.isBig(format),
                let count = number(bytes, offset + 4, 4, isBig: FontFile.isBig(format)), count <= maximumGlyphs,
                offset + 8 + count * 4 + 16 <= bytes.count
            else { return nil }
            (self.count, rowPadding, offsets, isBig) = (count, 1 << (format & 3), offset + 8, FontFile.isBig(format))
        }

        func offset(of glyph: Int, in bytes: [UInt8]) -> Int? {
            number(bytes, offsets + glyph * 4, 4, isBig: isBig).map { data + $0 }
        }
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
        var number = 0
        for index in 0..<size { number = number << 8 | Int(bytes[offset + (isBig ? index : size - 1 - index)]) }
        return number
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
