import CKioskPango

/// Shapes lines of text with Pango, which does it with HarfBuzz. Only one thread may use it at a time.
package final class LineShaper {
    private let fonts: FontMap
    private let isHinted: Bool
    private var contexts: [TextLanguage: OpaquePointer] = [:]

    /// Finds the system's fonts, which takes some hundredths of a second. `isHinted`: letters are fitted to dots.
    package init(isHinted: Bool) throws(TextShapingError) {
        fonts = try FontMap()
        self.isHinted = isHinted
    }

    deinit { for context in contexts.values { g_object_unref(UnsafeMutableRawPointer(context)) } }

    /// Does what takes a thread of its own, so that a program that gives up threads can make a shaper later.
    package static func prepare() { FontMap.prepare() }

    /// Shapes a line of `drawable` text.
    package func line(
        _ text: String, _ direction: TextDirection, emphasis: Bool = false
    ) throws(TextShapingError) -> ShapedLine {
        ShapedLine(text, direction, emphasis: emphasis, try context(TextLanguage(of: text)))
    }

    /// The text without control characters, which Pango would draw as boxes, and without the emoji modifiers for skin
    /// tones, which a single ink cannot show. The emoji selector in a keycap would have Pango look for a font of emoji.
    package static func drawable(_ text: String) -> String {
        var drawable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isSkinTone = (0x1F3FB...0x1F3FF).contains(scalar.value) && !drawable.isEmpty
            if scalar.value == 0x20E3, drawable.last?.value == 0xFE0F { drawable.removeLast() }
            if !isSkinTone, scalar.properties.generalCategory != .control { drawable.append(scalar) }
        }
        return String(drawable)
    }

    private func context(_ language: TextLanguage) throws(TextShapingError) -> OpaquePointer {
        if let context = contexts[language] { return context }
        guard let context = pango_font_map_create_context(fonts.map) else {
            throw TextShapingError(description: "Pango could not be started")
        }
        pango_context_set_language(context, pango_language_from_string(language.rawValue))
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, isHinted ? CAIRO_HINT_STYLE_FULL : CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
        pango_context_set_round_glyph_positions(context, 0)
        contexts[language] = context
        return context
    }
}
