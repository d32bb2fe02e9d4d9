import CKioskZLib
import Glibc
package import KioskSimulatedPaper

/// The glyphs of the simulated printer, from fonts that Debian installs: Terminus (SIL Open Font License), whose 12×24
/// dots are exactly a receipt printer's font A (the bold cut, whose strokes are two dots, as thermal heads print), and
/// GNU Unifont (GPL with the font exception, or the Open Font License), whose 8×16 dots fit font B and whose 16×16 dots
/// cover nearly every script. The fonts are not part of this program.
package struct PrinterFonts: GlyphSource {
    package static let folder = "/usr/share/fonts/X11/misc"

    private let large: FontFile
    private let small: FontFile

    package struct Missing: Error, CustomStringConvertible {
        package var description: String
    }

    package init(folder: String = PrinterFonts.folder) throws {
        large = try Self.font("ter-u24b_unicode.pcf.gz", package: "xfonts-terminus", in: folder)
        small = try Self.font("unifont.pcf.gz", package: "xfonts-unifont", in: folder)
    }

    private static func font(_ name: String, package: String, in folder: String) throws -> FontFile {
        let path = "\(folder)/\(name)"
        guard access(path, R_OK) == 0 else {
            throw Missing(
                description:
                    "Drawing paper needs the font \(path); install it: apt-get install xfonts-terminus xfonts-unifont")
        }
        return try FontFile(path: path)
    }

    package func glyph(_ scalar: Unicode.Scalar, width: Int, height: Int) -> Bitmap? {
        if height >= 24, width == 12, let glyph = large.glyph(scalar) {
            return cell(glyph, width, height, ascent: large.ascent, padding: 0)
        }
        guard let glyph = small.glyph(scalar) else { return nil }
        // 16 rows, centred in a taller cell.
        return cell(glyph, width, height, ascent: small.ascent, padding: max(0, (height - 16) / 2))
    }

    /// The glyph in its cell; a wider glyph is cropped.
    private func cell(
        _ glyph: (picture: Bitmap, left: Int, ascent: Int, advance: Int), _ width: Int, _ height: Int, ascent: Int,
        padding: Int
    ) -> Bitmap {
        var cell = Bitmap(width: width, height: height)
        let x = max(0, (width - glyph.advance) / 2) + glyph.left
        cell.draw(glyph.picture, x: x, y: padding + ascent - glyph.ascent)
        return cell
    }
}

/// Decodes East Asian character sets with the C library's iconv.
package struct IconvText: WideTextDecoder {
    package init() {}

    package func scalar(_ bytes: [UInt8], in set: WideCharacterSet) -> Unicode.Scalar? {
        // JIS X 0208 is EUC-JP without the high bits.
        let encoded = set == .jis ? bytes.map { $0 | 0x80 } : bytes
        let descriptor = iconv_open("UTF-32LE", set == .jis ? "EUC-JP" : set.rawValue)
        guard let descriptor, descriptor != iconv_t(bitPattern: -1) else { return nil }
        defer { iconv_close(descriptor) }
        var input = encoded.map(CChar.init(bitPattern:))
        var output = [CChar](repeating: 0, count: 8)
        let (inputCount, outputCount) = (input.count, output.count)
        var left = (input: inputCount, output: outputCount)
        let result = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                var (from, to) = (source.baseAddress, target.baseAddress)
                return iconv(descriptor, &from, &left.input, &to, &left.output)
            }
        }
        guard result == 0, left.input == 0, left.output == outputCount - 4 else { return nil }
        return Unicode.Scalar(output.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(UInt8(bitPattern: $1)) })
    }
}

/// Unpacks with the system's zlib.
package struct ZLibData: DataUnpacker {
    package init() {}

    package func unpacked(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        guard limit > 0, limit <= 1 << 24 else { return nil }
        var isWhole = false
        let unpacked = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            var size = uLong(limit)
            isWhole = uncompress(buffer.baseAddress, &size, bytes, uLong(bytes.count)) == Z_OK
            count = isWhole ? Int(size) : 0
        }
        return isWhole ? unpacked : nil
    }
}

extension PaperPrinter {
    /// A printer with the system's fonts, libzint, iconv and zlib. Throws where a font is missing.
    package init(_ model: PaperModel) throws {
        self.init(
            model, glyphs: try PrinterFonts(), symbols: ZintSymbols(), wideText: IconvText(), unpacker: ZLibData())
    }
}
