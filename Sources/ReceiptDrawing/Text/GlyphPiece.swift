import CPango
import Receipts

/// Glyphs that stand in cells of their own: a character's, or those of a run whose letters join or stack.
struct GlyphPiece {
    private var font: UnsafeMutablePointer<PangoFont>?
    /// From left to right.
    private var glyphs: [PangoGlyphInfo]
    private(set) var cells: Int
    private var kind: ScriptKind

    /// Of a run, from left to right.
    static func pieces(of run: UnsafeMutablePointer<PangoGlyphItem>, _ characters: CharacterPlaces) -> [GlyphPiece] {
        let item = run.pointee.item.pointee
        let kind = ScriptKind(GUnicodeScript(rawValue: Int32(item.analysis.script)))
        let string = run.pointee.glyphs.pointee
        var pieces: [(piece: GlyphPiece, character: Int)] = []
        for index in 0..<Int(string.num_glyphs) {
            let byte = Int(item.offset) + Int(string.log_clusters[index])
            guard characters.character.indices.contains(byte) else { continue }
            let character = characters.character[byte]
            // The last piece itself must not be held: its glyphs would be copied for each that is added.
            if let last = pieces.last?.character, kind.isFlowing || last == character {
                pieces[pieces.count - 1].piece.glyphs.append(string.glyphs[index])
            } else {
                // A character that two fonts share has its cells where it begins.
                let begins = byte == 0 || characters.character[byte - 1] != character
                let piece = GlyphPiece(
                    font: item.analysis.font, glyphs: [string.glyphs[index]],
                    cells: begins ? characters.cells[character] : 0, kind: kind)
                pieces.append((piece, character))
            }
        }
        if kind.isFlowing, !pieces.isEmpty {
            let bytes = Int(item.offset)..<min(Int(item.offset + item.length), characters.character.count)
            pieces[0].piece.cells = bytes.filter { $0 == 0 || characters.character[$0 - 1] != characters.character[$0] }
                .reduce(0) { $0 + characters.cells[characters.character[$1]] }
        }
        return pieces.map(\.piece)
    }

    /// `left` is unscaled.
    func draw(on surface: InkSurface, scale: (x: Double, y: Double), left: Double, isRightToLeft: Bool) {
        guard let string = pango_glyph_string_new() else { return }
        defer { pango_glyph_string_free(string) }
        pango_glyph_string_set_size(string, Int32(glyphs.count))
        for (index, glyph) in glyphs.enumerated() { string.pointee.glyphs[index] = glyph }
        var (ink, logical) = (PangoRectangle(), PangoRectangle())
        pango_glyph_string_extents(string, font, &ink, &logical)
        let unit = Double(PANGO_SCALE)
        let natural = max(Double(logical.width) / unit * kind.scale, 0.1)
        let room = Double(cells) * TextDrawer.cell.width
        let squeeze = cells == 0 ? 1 : min(1, room / natural)
        let spare = cells == 0 ? 0 : room - natural * squeeze
        let start = left + (kind.isFlowing ? (isRightToLeft ? spare : 0) : spare / 2)

        // What reaches beyond the cell is moved into it, and made lower where it is higher than the cell.
        let (top, bottom) = (-Double(ink.y) / unit * kind.scale, Double(ink.y + ink.height) / unit * kind.scale)
        let flatten = min(1, TextDrawer.cell.height / max(top + bottom, 1))
        var ground = kind.ground
        ground = max(ground, top * flatten)
        ground = min(ground, TextDrawer.cell.height - bottom * flatten)

        let cairo = surface.context
        cairo_save(cairo)
        cairo_translate(cairo, (start * scale.x).rounded(), (ground * scale.y).rounded())
        cairo_scale(cairo, scale.x * squeeze * kind.scale, scale.y * flatten * kind.scale)
        pango_cairo_show_glyph_string(cairo, font, string)
        cairo_restore(cairo)
    }
}

/// How a script's letters stand in cells.
struct ScriptKind {
    /// Letters join, stack or change places: they keep the distances that their font gives them.
    var isFlowing: Bool
    /// Of the usual size.
    var scale = 1.0
    /// From a cell's top.
    var ground = TextDrawer.ground

    private static let onGrid: Set<UInt32> = Set(
        [
            G_UNICODE_SCRIPT_COMMON, G_UNICODE_SCRIPT_INHERITED, G_UNICODE_SCRIPT_LATIN, G_UNICODE_SCRIPT_GREEK,
            G_UNICODE_SCRIPT_CYRILLIC,
            G_UNICODE_SCRIPT_ARMENIAN, G_UNICODE_SCRIPT_GEORGIAN, G_UNICODE_SCRIPT_HEBREW, G_UNICODE_SCRIPT_ETHIOPIC,
            G_UNICODE_SCRIPT_CHEROKEE,
            G_UNICODE_SCRIPT_UNKNOWN,
        ].map { UInt32(bitPattern: Int32($0.rawValue)) })

    private static let wide: Set<UInt32> = Set(
        [
            G_UNICODE_SCRIPT_HAN, G_UNICODE_SCRIPT_HIRAGANA, G_UNICODE_SCRIPT_KATAKANA, G_UNICODE_SCRIPT_HANGUL,
            G_UNICODE_SCRIPT_BOPOMOFO,
            G_UNICODE_SCRIPT_YI,
        ].map { UInt32(bitPattern: Int32($0.rawValue)) })

    init(_ script: GUnicodeScript) {
        let script = UInt32(bitPattern: Int32(script.rawValue))
        if Self.wide.contains(script) {
            // Two cells are 24 dots wide.
            (isFlowing, scale) = (false, 1.1)
        } else {
            isFlowing = !Self.onGrid.contains(script)
        }
    }
}
