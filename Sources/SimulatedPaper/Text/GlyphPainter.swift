/// Draws characters in a style. Keeps what it drew, as receipts repeat themselves.
struct GlyphPainter {
    private struct Key: Hashable {
        var scalar: Unicode.Scalar
        var style: TextStyle
        var cell: PrinterFont
    }

    private static let mostKept = 2000

    private let glyphs: any GlyphSource
    private var kept: [Key: Bitmap] = [:]

    init(_ glyphs: any GlyphSource) { self.glyphs = glyphs }

    /// The whole cell with the space to its right. A character that no font has is a frame.
    mutating func cell(_ scalar: Unicode.Scalar, _ style: TextStyle, cell: PrinterFont) -> Bitmap {
        let key = Key(scalar: scalar, style: style, cell: cell)
        if let picture = kept[key] { return picture }
        let picture = paint(scalar, style, cell)
        if kept.count >= Self.mostKept { kept = [:] }
        kept[key] = picture
        return picture
    }

    private func paint(_ scalar: Unicode.Scalar, _ style: TextStyle, _ cell: PrinterFont) -> Bitmap {
        var glyph = glyphs.glyph(scalar, width: cell.width, height: cell.height) ?? Self.frame(cell)
        if style.isBold { glyph = glyph.emboldened }
        var picture = Bitmap(width: cell.width + style.spacing, height: cell.height)
        picture.draw(glyph, x: 0, y: 0)
        if style.isTurned { picture = picture.turnedClockwise }
        picture = picture.scaled(style.widthScale, style.heightScale)
        // Neither inverted nor turned characters are underlined (Epson, ESC -).
        if style.underline > 0, !style.isInverted, !style.isTurned {
            picture.fill(x: 0, y: picture.height - style.underline, width: picture.width, height: style.underline)
        }
        return style.isInverted ? picture.inverted : picture
    }

    private static func frame(_ cell: PrinterFont) -> Bitmap {
        var picture = Bitmap(width: cell.width, height: cell.height)
        picture.fill(x: 1, y: 2, width: cell.width - 2, height: cell.height - 4)
        picture.invert(x: 2, y: 3, width: cell.width - 4, height: cell.height - 6)
        return picture
    }
}
