import CKioskPango
import KioskDrawingMessages
import KioskReceipts

/// Renders lines of text with Pango, which shapes them with HarfBuzz, and cairo. Text is laid out in cells of 12 × 24
/// and scaled to the cells of the printer's font: so all sizes share their fonts, and letters are hinted at their size
/// on paper.
final class TextRenderer {
    private let fonts: FontMap
    private var contexts: [TextLanguage: OpaquePointer] = [:]

    static let cell = (width: 12.0, height: 24.0)
    /// The distance from a cell's top to the baseline, as in printers' own fonts.
    static let baseline = cell.height * 4 / 5
    /// The size of an em. With it letters of Noto Sans Mono are as wide as a cell.
    static let size = 20.0

    /// Silences GLib's log, once: GLib ends the process at the second call.
    private static let silenceLog: Void = cpango_be_silent()

    init() throws(DrawingRefusal) {
        Self.silenceLog
        fonts = try FontMap()
    }

    deinit { for context in contexts.values { g_object_unref(UnsafeMutableRawPointer(context)) } }

    func draw(
        _ text: DrawnText, width: Int, height: Int
    ) throws(DrawingRefusal) -> (dots: DotMatrix, withoutGlyph: [Unicode.Scalar]) {
        guard width * height <= DrawingLimits.dots else {
            throw DrawingRefusal(.tooLarge, "a line of \(width) × \(height) dots is too large to be drawn")
        }
        guard let surface = InkSurface(width: width, height: height) else {
            throw DrawingRefusal(.drawing, "there is not enough memory to draw a line of text")
        }
        let drawable = Self.drawable(text.text)
        let line = ShapedLine(drawable, text, try context(TextLanguage(of: drawable)))
        let scale = (
            x: Double(text.cellWidth * text.scaleWidth) / Self.cell.width,
            y: Double(text.cellHeight * text.scaleHeight) / Self.cell.height
        )
        line.draw(on: surface, scale: scale, width: Double(width))
        return (surface.dots(), line.withoutGlyph)
    }

    /// The text without control characters, which Pango would draw as boxes, and without the emoji modifiers for skin
    /// tones, which a single ink cannot show. The emoji selector in a keycap would have Pango look for a font of emoji.
    private static func drawable(_ text: String) -> String {
        var drawable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isSkinTone = (0x1F3FB...0x1F3FF).contains(scalar.value) && !drawable.isEmpty
            if scalar.value == 0x20E3, drawable.last?.value == 0xFE0F { drawable.removeLast() }
            if !isSkinTone, scalar.properties.generalCategory != .control { drawable.append(scalar) }
        }
        return String(drawable)
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

    /// Draws characters of the most frequent scripts in each weight, which finds and opens their fonts.
    func warmUp() {
        for emphasis in [false, true] {
            for text in ["Aż€Жλשعไह中☺😀", "あア中", "한中"] {
                let drawn = DrawnText(text, emphasis: emphasis, cellWidth: 12, cellHeight: 24)
                _ = try? draw(drawn, width: 600, height: 24)
            }
        }
    }
}

/// A surface of cairo that stores coverage only.
final class InkSurface {
    let context: OpaquePointer
    private let surface: OpaquePointer
    private let width: Int
    private let height: Int

    /// Returns nil where there is no memory.
    init?(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(width), Int32(height)) else { return nil }
        self.surface = surface
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let context = cairo_create(surface) else {
            cairo_surface_destroy(surface)
            return nil
        }
        self.context = context
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    /// The coverage, of 255, from which a dot is black: strokes of one and a half dots are not to become one dot wide.
    private static let threshold: UInt8 = 112

    func dots() -> DotMatrix {
        cairo_surface_flush(surface)
        guard let data = cairo_image_surface_get_data(surface) else { return DotMatrix(width: width, height: height) }
        let lineLength = Int(cairo_image_surface_get_stride(surface))
        let stride = (width + 7) / 8
        var bytes = [UInt8](repeating: 0, count: stride * height)
        for y in 0..<height {
            let line = data + y * lineLength
            for x in 0..<width where line[x] >= Self.threshold { bytes[y * stride + x >> 3] |= 0x80 >> UInt8(x & 7) }
        }
        return DotMatrix(width: width, height: height, bytes: bytes) ?? DotMatrix(width: width, height: height)
    }
}
