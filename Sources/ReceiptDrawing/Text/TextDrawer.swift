import CPango
import DrawingMessages
import Receipts

/// Draws lines of text with Pango, which shapes them with HarfBuzz, and cairo. Everything is laid out in a cell of 12 ×
/// 24 and scaled to the font's own: so all sizes share their fonts, and letters are hinted at the size that they have
/// on paper.
final class TextDrawer {
    private let fonts: FontShelf
    private var contexts: [TextLanguage: OpaquePointer] = [:]

    static let cell = (width: 12.0, height: 24.0)
    /// From a cell's top to the ground that letters stand on, as in printers' own fonts.
    static let ground = cell.height * 4 / 5
    /// Of an em: letters of Noto Sans Mono are as wide as a cell then.
    static let size = 20.0

    /// GLib ends the process when it is told so twice.
    private static let silence: Void = cpango_be_silent()

    init() throws(DrawingRefusal) {
        Self.silence
        fonts = try FontShelf()
    }

    deinit { for context in contexts.values { g_object_unref(UnsafeMutableRawPointer(context)) } }

    func draw(
        _ text: DrawnText, width: Int, height: Int
    ) throws(DrawingRefusal) -> (dots: DotMatrix, withoutGlyph: [Unicode.Scalar]) {
        guard width * height <= DrawingLimits.dots else {
            throw DrawingRefusal(.tooLarge, "a line of \(width) × \(height) dots is too large to be drawn")
        }
        guard let surface = InkSurface(width: width, height: height) else {
            throw DrawingRefusal(.drawing, "there is no memory to draw a line of text")
        }
        let shown = Self.shown(text.text)
        let line = ShapedLine(shown, text, try context(TextLanguage(of: shown)))
        let scale = (
            x: Double(text.cellWidth * text.scaleWidth) / Self.cell.width,
            y: Double(text.cellHeight * text.scaleHeight) / Self.cell.height
        )
        line.draw(on: surface, scale: scale, width: Double(width))
        return (surface.dots(), line.withoutGlyph)
    }

    /// Without tabs and the like, of which Pango would make boxes, and without the colours of skin, which one ink does
    /// not have.
    private static func shown(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isColour = (0x1F3FB...0x1F3FF).contains(scalar.value) && !shown.isEmpty
            if !isColour, scalar.properties.generalCategory != .control { shown.append(scalar) }
        }
        return String(shown)
    }

    private func context(_ language: TextLanguage) throws(DrawingRefusal) -> OpaquePointer {
        if let context = contexts[language] { return context }
        guard let context = pango_font_map_create_context(fonts.map) else {
            throw DrawingRefusal(.drawing, "Pango could not be started")
        }
        pango_context_set_language(context, pango_language_from_string(language.rawValue))
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_FULL)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
        pango_context_set_round_glyph_positions(context, 0)
        contexts[language] = context
        return context
    }

    /// A character of each of the scripts that tills need most, in each weight: so their fonts are found and open.
    func warmUp() {
        for emphasis in [false, true] {
            for text in ["Aż€Жλשعไह中☺😀", "あア中", "한中"] {
                let drawn = DrawnText(text, emphasis: emphasis, cellWidth: 12, cellHeight: 24)
                _ = try? draw(drawn, width: 600, height: 24)
            }
        }
    }
}
