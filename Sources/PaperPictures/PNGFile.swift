import CKioskZLib
package import KioskSimulatedPaper

/// PNG files (ISO/IEC 15948) of one bit per dot. With the same version of zlib, the same dots are always the same
/// bytes.
package enum PNGFile {
    package static func bytes(_ picture: Bitmap, dotsPerInch: Int) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Greyscale of one bit, not interlaced.
        append("IHDR", bigEndian(picture.width) + bigEndian(picture.height) + [1, 0, 0, 0, 0], to: &file)
        let dotsPerMetre = (dotsPerInch * 10_000 + 127) / 254
        append("pHYs", bigEndian(dotsPerMetre) + bigEndian(dotsPerMetre) + [1], to: &file)
        append("IDAT", compressed(rows(picture)), to: &file)
        append("IEND", [], to: &file)
        return file
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
