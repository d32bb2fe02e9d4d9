import Glibc
package import SimulatedPaper

/// The characters of the simulated printer, from fonts that Debian installs: Terminus (SIL Open Font License), whose
/// 12×24 dots are exactly a receipt printer's font A (the bold cut, whose strokes are two dots, as thermal heads
/// print), and GNU Unifont (GPL with the font exception, or the Open Font License), whose 8×16 dots fit font B and
/// whose 16×16 dots cover nearly every script. Nothing of them is part of this program.
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
        // 16 rows amid a taller cell.
        return cell(glyph, width, height, ascent: small.ascent, padding: max(0, (height - 16) / 2))
    }

    /// Wider glyphs than the cell lose their edge.
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
