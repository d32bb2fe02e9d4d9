/// Draws characters in a style, and caches them.
struct GlyphPainter {
    private struct Key: Hashable {
        var scalar: Unicode.Scalar
        var style: TextStyle
        var cell: PrinterFont
    }

    private static let cacheLimit = 2000

    private let glyphs: any GlyphSource
    private var cache: [Key: Bitmap] = [:]

    init(_ glyphs: any GlyphSource) { self.glyphs = glyphs }

    /// The whole cell with the space to its right. A character that the font lacks is drawn as a frame.
    mutating func cell(_ scalar: Unicode.Scalar, _ style: TextStyle, cell: PrinterFont) -> Bitmap {
        let key = Key(scalar: scalar, style: style, cell: cell)
        if let picture = cache[key] { return picture }
        let picture = paint(scalar, style, cell)
        if cache.count >= Self.cacheLimit { cache = [:] }
        cache[key] = picture
        return picture
    }

    /// The whole cell of a character that a job defined.
    func cell(_ picture: Bitmap, _ style: TextStyle, cell: PrinterFont) -> Bitmap { paint(picture, style, cell) }

    private func paint(_ scalar: Unicode.Scalar, _ style: TextStyle, _ cell: PrinterFont) -> Bitmap {
        paint(glyphs.glyph(scalar, width: cell.width, height: cell.height) ?? Self.frame(cell), style, cell)
    }

    private func paint(_ glyph: Bitmap, _ style: TextStyle, _ cell: PrinterFont) -> Bitmap {
        var glyph = glyph
        if style.isBold { glyph = glyph.emboldened }
        var picture = Bitmap(width: cell.width + (style.isTurned ? 0 : style.spacing), height: cell.height)
        picture.draw(glyph, x: 0, y: 0)
        picture = picture.scaled(style.widthScale, style.heightScale)
        if style.isTurned {
            // What is wide then is high, and the space is beside the character on the paper (Epson, ESC V, ESC SP).
            let turned = picture.turnedClockwise
            picture = Bitmap(width: turned.width + style.spacing * style.widthScale, height: turned.height)
            picture.draw(turned, x: 0, y: 0)
        }
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

/// A resident font of a printer: the size of its cells in dots.
struct PrinterFont: Hashable, Sendable {
    var name: String
    var width: Int
    var height: Int
    /// Rows of the cell below the baseline.
    var descent: Int

    /// The fonts of Epson's TM-T and TM-m series.
    static let a = PrinterFont(name: "A", width: 12, height: 24, descent: 3)
    static let b = PrinterFont(name: "B", width: 9, height: 17, descent: 2)
    static let kanji = PrinterFont(name: "Kanji A", width: 24, height: 24, descent: 3)

    /// Star's font B is as high as A.
    static let starB = PrinterFont(name: "B", width: 9, height: 24, descent: 3)

    /// The font of `ESC M` and `GS f`; nil where this printer has none of that number.
    static func numbered(_ number: Int) -> PrinterFont? {
        switch number {
        case 0, 48: .a
        case 1, 49: .b
        default: nil
        }
    }
}

/// The style of characters, as commands have set it.
struct TextStyle: Hashable, Sendable {
    var font = PrinterFont.a
    var isEmphasized = false
    var isDoubleStruck = false
    /// The thickness of the underline, in dots; 0 is none.
    var underline = 0
    var isInverted = false
    /// Each character is turned by a quarter clockwise.
    var isTurned = false
    /// The magnification, 1 to 8.
    var widthScale = 1
    var heightScale = 1
    /// Dots to the right of each character, before scaling.
    var spacing = 0

    var isBold: Bool { isEmphasized || isDoubleStruck }
}
