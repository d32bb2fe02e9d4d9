import CKioskPango
import KioskReceipts

/// The grid of cells in which text is laid out, before it is scaled.
package enum TextCell {
    /// The extents of a cell.
    package static let (width, height) = (12.0, 24.0)
    /// The distance from a cell's top to the baseline, as in printers' own fonts.
    package static let baseline = height * 4 / 5
    /// The size of an em. With it letters of Noto Sans Mono are as wide as a cell.
    package static let size = 20.0
}

/// The order of a line's characters.
package enum TextDirection: Hashable, Sendable {
    /// All one way, whatever they are: they are in the order in which they stand on paper.
    case forced(isRightToLeft: Bool)
    /// Each its own way, in a paragraph of this direction (Unicode Bidirectional Algorithm).
    case natural(isRightToLeft: Bool)

    /// Whether the line begins at the right end.
    var isRightToLeft: Bool {
        switch self {
        case .forced(let isRightToLeft), .natural(let isRightToLeft): isRightToLeft
        }
    }

    /// The character that has Pango follow it: RIGHT-TO-LEFT OVERRIDE, LEFT-TO-RIGHT OVERRIDE, or a mark, by which
    /// Pango finds the direction of the paragraph.
    fileprivate var mark: String {
        switch self {
        case .forced(let isRightToLeft): isRightToLeft ? "\u{202E}" : "\u{202D}"
        case .natural(let isRightToLeft): isRightToLeft ? "\u{200F}" : "\u{200E}"
        }
    }
}

/// A line of text as Pango shaped it, divided into the groups of glyphs that are placed on the grid of cells.
package struct ShapedLine {
    private var groups: [GlyphGroup] = []
    /// The cells of all groups.
    private var cells = 0
    private let isRightToLeft: Bool
    /// The characters that no font has.
    package private(set) var withoutGlyph: [Unicode.Scalar] = []
    /// Owns the fonts and glyphs of the groups.
    private let layout: PangoLine

    init(_ text: String, _ direction: TextDirection, emphasis: Bool, _ context: OpaquePointer) {
        isRightToLeft = direction.isRightToLeft
        layout = PangoLine(text, direction, emphasis: emphasis, context)
        let characters = CharacterMap(layout.text)
        var reported: Set<UInt32> = []
        for run in layout.runs {
            for index in 0..<Int(run.pointee.glyphs.pointee.num_glyphs) {
                let code = cpango_unknown(run.pointee.glyphs.pointee.glyphs[index].glyph)
                guard code != 0 else { continue }
                run.pointee.glyphs.pointee.glyphs[index].glyph = cpango_empty()
                if let scalar = Unicode.Scalar(code), reported.insert(code).inserted { withoutGlyph.append(scalar) }
            }
            groups += GlyphGroup.groups(of: run, characters)
        }
        cells = groups.reduce(0) { $0 + $1.cells }
    }

    /// Draws with a context of cairo, from the left end of a line of this width. All cells become narrower where they
    /// exceed the width. `hasDots`: the context's unit is a dot, on which glyphs are to begin.
    package func draw(_ cairo: OpaquePointer, scale: (x: Double, y: Double), width: Double, hasDots: Bool = true) {
        let room = width / scale.x / TextCell.width
        let squeeze = min(1, room / Double(max(cells, 1)))
        let scale = (x: scale.x * squeeze, y: scale.y)
        // Right-to-left text begins at the right end.
        var cell = isRightToLeft ? room / squeeze - Double(cells) : 0
        for group in groups {
            group.draw(
                cairo, scale: scale, left: cell * TextCell.width, isRightToLeft: isRightToLeft, hasDots: hasDots)
            cell += Double(group.cells)
        }
    }
}

/// Glyphs that share their cells: those of a character, or of a run whose letters join or stack.
private struct GlyphGroup {
    private var font: UnsafeMutablePointer<PangoFont>?
    /// The glyphs, from left to right.
    private var glyphs: [PangoGlyphInfo]
    private(set) var cells: Int
    private var layout: ScriptLayout

    /// The groups of a run, from left to right.
    static func groups(of run: UnsafeMutablePointer<PangoGlyphItem>, _ characters: CharacterMap) -> [GlyphGroup] {
        let item = run.pointee.item.pointee
        let layout = ScriptLayout(GUnicodeScript(rawValue: Int32(item.analysis.script)))
        let string = run.pointee.glyphs.pointee
        var groups: [(group: GlyphGroup, character: Int)] = []
        for index in 0..<Int(string.num_glyphs) {
            let byte = Int(item.offset) + Int(string.log_clusters[index])
            guard characters.character.indices.contains(byte) else { continue }
            let character = characters.character[byte]
            // The last group is changed in place: a copy of it would copy its glyphs for each one added.
            if let last = groups.last?.character, layout.isFlowing || last == character {
                groups[groups.count - 1].group.glyphs.append(string.glyphs[index])
            } else {
                // A character drawn with two fonts has its cells where it begins.
                let begins = byte == 0 || characters.character[byte - 1] != character
                let group = GlyphGroup(
                    font: item.analysis.font, glyphs: [string.glyphs[index]],
                    cells: begins ? characters.cells[character] : 0, layout: layout)
                groups.append((group, character))
            }
        }
        if layout.isFlowing, !groups.isEmpty {
            let bytes = Int(item.offset)..<min(Int(item.offset + item.length), characters.character.count)
            groups[0].group.cells = bytes.filter { $0 == 0 || characters.character[$0 - 1] != characters.character[$0] }
                .reduce(0) { $0 + characters.cells[characters.character[$1]] }
        }
        return groups.map(\.group)
    }

    /// Draws the glyphs in their cells, which begin at `left` (unscaled).
    func draw(
        _ cairo: OpaquePointer, scale: (x: Double, y: Double), left: Double, isRightToLeft: Bool, hasDots: Bool
    ) {
        guard let string = pango_glyph_string_new() else { return }
        defer { pango_glyph_string_free(string) }
        pango_glyph_string_set_size(string, Int32(glyphs.count))
        for (index, glyph) in glyphs.enumerated() { string.pointee.glyphs[index] = glyph }
        var (ink, logical) = (PangoRectangle(), PangoRectangle())
        pango_glyph_string_extents(string, font, &ink, &logical)
        let unit = Double(PANGO_SCALE)
        let natural = max(Double(logical.width) / unit * layout.scale, 0.1)
        let room = Double(cells) * TextCell.width
        let squeeze = cells == 0 ? 1 : min(1, room / natural)
        let spare = cells == 0 ? 0 : room - natural * squeeze
        let start = left + (layout.isFlowing ? (isRightToLeft ? spare : 0) : spare / 2)

        // Ink beyond the cell is moved into it, and compressed where it is higher than the cell.
        let (top, bottom) = (-Double(ink.y) / unit * layout.scale, Double(ink.y + ink.height) / unit * layout.scale)
        let flatten = min(1, TextCell.height / max(top + bottom, 1))
        var baseline = layout.baseline
        baseline = max(baseline, top * flatten)
        baseline = min(baseline, TextCell.height - bottom * flatten)

        let (x, y) = (start * scale.x, baseline * scale.y)
        cairo_save(cairo)
        cairo_translate(cairo, hasDots ? x.rounded() : x, hasDots ? y.rounded() : y)
        cairo_scale(cairo, scale.x * squeeze * layout.scale, scale.y * flatten * layout.scale)
        pango_cairo_show_glyph_string(cairo, font, string)
        cairo_restore(cairo)
    }
}

/// The placement of a script's letters in cells.
private struct ScriptLayout {
    /// Letters join, stack or change places: they keep the distances of their font.
    var isFlowing: Bool
    /// The size, relative to other scripts.
    var scale = 1.0
    /// The distance from a cell's top to the baseline.
    var baseline = TextCell.baseline

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

/// A Pango layout of one line.
private final class PangoLine {
    private let layout: OpaquePointer
    /// The text after its direction mark.
    let text: String

    init(_ text: String, _ direction: TextDirection, emphasis: Bool, _ context: OpaquePointer) {
        self.text = direction.mark + text
        layout = pango_layout_new(context)
        if case .forced = direction { pango_layout_set_auto_dir(layout, 0) }
        pango_layout_set_single_paragraph_mode(layout, 1)
        let font = pango_font_description_new()
        pango_font_description_set_family(font, FontMap.families(TextLanguage(of: text)))
        pango_font_description_set_weight(font, emphasis ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        pango_font_description_set_absolute_size(font, TextCell.size * Double(PANGO_SCALE))
        pango_layout_set_font_description(layout, font)
        pango_font_description_free(font)
        pango_layout_set_text(layout, self.text, -1)
        setKeycaps()
    }

    /// Sets keycaps in the font whose frame encloses the digit before it: digits of other fonts stand beside it.
    private func setKeycaps() {
        guard text.unicodeScalars.contains("\u{20E3}"), let attributes = pango_attr_list_new() else { return }
        defer { pango_attr_list_unref(attributes) }
        var start = 0
        for character in text {
            let end = start + character.utf8.count
            if character.unicodeScalars.contains("\u{20E3}"), let family = pango_attr_family_new("Symbola") {
                family.pointee.start_index = UInt32(start)
                family.pointee.end_index = UInt32(end)
                pango_attr_list_insert(attributes, family)
            }
            start = end
        }
        pango_layout_set_attributes(layout, attributes)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// The runs, from left to right.
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

/// The characters of a string, by byte, and their cells.
private struct CharacterMap {
    /// The index of the character that each byte belongs to.
    private(set) var character: [Int] = []
    /// The number of cells of each character.
    private(set) var cells: [Int] = []

    init(_ text: String) {
        for (index, character) in text.enumerated() {
            self.character += repeatElement(index, count: character.utf8.count)
            cells.append(character.cells)
        }
    }
}
