import CKioskZLib
package import KioskSimulatedPaper

/// PNG files (ISO/IEC 15948) of one bit per dot, of two where some are red, or of eight for each colour. With the same
/// version of zlib, the same dots are always the same bytes.
package enum PNGFile {
    package static func bytes(_ picture: Bitmap, dotsPerInch: Int) -> [UInt8] {
        // Greyscale of one bit, not interlaced.
        file(picture, [1, 0, 0, 0, 0], dotsPerInch, palette: [], rows: rows(picture))
    }

    /// A paper's picture, with its colours.
    package static func bytes(_ paper: PrintedPaper, dotsPerInch: Int) -> [UInt8] {
        guard let red = paper.red else { return bytes(paper.picture, dotsPerInch: dotsPerInch) }
        // Two bits select one of three colours.
        let palette: [UInt8] = [0xFF, 0xFF, 0xFF, 0, 0, 0, 0xC8, 0, 0]
        return file(
            paper.picture, [2, 3, 0, 0, 0], dotsPerInch, palette: palette, rows: colourRows(paper.picture, red: red))
    }

    /// A side of a sheet, with its tones or colours.
    package static func bytes(_ side: SheetSide) -> [UInt8] {
        // Eight bits of grey, or of each colour.
        file(
            (side.width, side.height), [8, side.isColored ? 2 : 0, 0, 0, 0], side.dotsPerInch, palette: [],
            rows: rows(side))
    }

    /// The rows, each as it is, or as what differs from the one above where nothing does.
    private static func rows(_ side: SheetSide) -> [UInt8] {
        let length = side.width * (side.isColored ? 3 : 1)
        var rows: [UInt8] = []
        rows.reserveCapacity((length + 1) * side.height)
        var above = [UInt8](repeating: 0, count: length)
        for y in 0..<side.height {
            let row = Array(side.pixels[y * length..<(y + 1) * length])
            let isRepeated = row == above
            // Filter types 2 and 0.
            rows.append(isRepeated ? 2 : 0)
            rows += isRepeated ? [UInt8](repeating: 0, count: length) : row
            above = row
        }
        return rows
    }

    private static func file(
        _ picture: Bitmap, _ form: [UInt8], _ dotsPerInch: Int, palette: [UInt8], rows: [UInt8]
    ) -> [UInt8] {
        file((picture.width, picture.height), form, dotsPerInch, palette: palette, rows: rows)
    }

    private static func file(
        _ size: (width: Int, height: Int), _ form: [UInt8], _ dotsPerInch: Int, palette: [UInt8], rows: [UInt8]
    ) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        append("IHDR", bigEndian(size.width) + bigEndian(size.height) + form, to: &file)
        if !palette.isEmpty { append("PLTE", palette, to: &file) }
        let dotsPerMetre = (dotsPerInch * 10_000 + 127) / 254
        append("pHYs", bigEndian(dotsPerMetre) + bigEndian(dotsPerMetre) + [1], to: &file)
        append("IDAT", compressed(rows), to: &file)
        append("IEND", [], to: &file)
        return file
    }

    /// The rows with two bits for each dot: 0 is white, 1 black, 2 red.
    private static func colourRows(_ picture: Bitmap, red: Bitmap) -> [UInt8] {
        var rows: [UInt8] = []
        for y in 0..<picture.height {
            rows.append(0)
            var row = [UInt8](repeating: 0, count: (picture.width + 3) / 4)
            for x in 0..<picture.width where picture[x, y] {
                row[x >> 2] |= (red[x, y] ? 2 : 1) << UInt8(6 - 2 * (x & 3))
            }
            rows += row
        }
        return rows
    }

    /// The rows, each after its filter type, which is none. In PNG 1 is white.
    private static func rows(_ picture: Bitmap) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity((picture.stride + 1) * picture.height)
        for y in 0..<picture.height {
            rows.append(0)
            rows += picture.row(y).map { ~$0 }
        }
        return rows
    }

    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        let bound = compressBound(uLong(bytes.count))
        return [UInt8](unsafeUninitializedCapacity: Int(bound)) { buffer, count in
            var size = bound
            let result = compress2(buffer.baseAddress, &size, bytes, uLong(bytes.count), 9)
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
