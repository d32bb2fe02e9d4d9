import CPango
import Receipts

/// A line of text as Pango shaped it, cut into the pieces that stand on the grid.
struct ShapedLine {
    private var pieces: [GlyphPiece] = []
    /// Of all pieces.
    private var cells = 0
    private let isRightToLeft: Bool
    private(set) var withoutGlyph: [Unicode.Scalar] = []
    /// Whose fonts and glyphs the pieces use.
    private let layout: PangoLayoutBox

    init(_ text: String, _ style: DrawnText, _ context: OpaquePointer) {
        isRightToLeft = style.isRightToLeft
        layout = PangoLayoutBox(text, style, context)
        let characters = CharacterPlaces(layout.text)
        var told: Set<UInt32> = []
        for run in layout.runs {
            for index in 0..<Int(run.pointee.glyphs.pointee.num_glyphs) {
                let code = cpango_unknown(run.pointee.glyphs.pointee.glyphs[index].glyph)
                guard code != 0 else { continue }
                run.pointee.glyphs.pointee.glyphs[index].glyph = cpango_empty()
                if let scalar = Unicode.Scalar(code), told.insert(code).inserted { withoutGlyph.append(scalar) }
            }
            pieces += GlyphPiece.pieces(of: run, characters)
        }
        cells = pieces.reduce(0) { $0 + $1.cells }
    }

    /// From the surface's left. Where there are more cells than it has room for, all are narrower.
    func draw(on surface: InkSurface, scale: (x: Double, y: Double), width: Double) {
        let room = width / scale.x / TextDrawer.cell.width
        let squeeze = min(1, room / Double(max(cells, 1)))
        let scale = (x: scale.x * squeeze, y: scale.y)
        // Text from right to left begins at the right end.
        var cell = isRightToLeft ? room / squeeze - Double(cells) : 0
        for piece in pieces {
            piece.draw(on: surface, scale: scale, left: cell * TextDrawer.cell.width, isRightToLeft: isRightToLeft)
            cell += Double(piece.cells)
        }
    }
}

/// Owns a layout of one line.
final class PangoLayoutBox {
    private let layout: OpaquePointer
    /// With the marks around it.
    let text: String

    init(_ text: String, _ style: DrawnText, _ context: OpaquePointer) {
        // All of it goes in one direction, as the receipt's layout found: RIGHT-TO-LEFT OVERRIDE or LEFT-TO-RIGHT
        // OVERRIDE.
        self.text = (style.isRightToLeft ? "\u{202E}" : "\u{202D}") + text
        layout = pango_layout_new(context)
        pango_layout_set_auto_dir(layout, 0)
        pango_layout_set_single_paragraph_mode(layout, 1)
        let font = pango_font_description_new()
        pango_font_description_set_family(font, FontShelf.families(TextLanguage(of: text)))
        pango_font_description_set_weight(font, style.emphasis ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        pango_font_description_set_absolute_size(font, TextDrawer.size * Double(PANGO_SCALE))
        pango_layout_set_font_description(layout, font)
        pango_font_description_free(font)
        pango_layout_set_text(layout, self.text, -1)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// From left to right.
    var runs: [UnsafeMutablePointer<PangoGlyphItem>] {
        guard let line = pango_layout_get_line(layout, 0) else { return [] }
        var runs: [UnsafeMutablePointer<PangoGlyphItem>] = []
        var entry = line.pointee.runs
        while let current = entry {
            if let run = current.pointee.data { runs.append(run.assumingMemoryBound(to: PangoGlyphItem.self)) }
            entry = current.pointee.next
        }
        return runs
    }
}

/// Where each character begins in a text's bytes, and how many cells it has.
struct CharacterPlaces {
    /// By byte.
    private(set) var character: [Int] = []
    private(set) var cells: [Int] = []
    let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
        for (index, character) in text.enumerated() {
            self.character += repeatElement(index, count: character.utf8.count)
            cells.append(character.cells)
        }
    }
}
