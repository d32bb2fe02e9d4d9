import Testing

@testable import KioskReceipts

/// Toggles and escapes in text.
@Suite struct MarkupTextTests {
    /// The spans of a cell with their styles, such as `u<text>`.
    private static func spans(_ text: String) -> [String] {
        MarkupText.spans(Array(text.utf8)[...]).map { span in
            let style = span.style
            let flags = (style.underline ? "u" : "") + (style.emphasis ? "b" : "") + (style.invert ? "i" : "")
            let scale = style.width == 1 && style.height == 1 ? "" : "\(style.width)x\(style.height)"
            return flags + scale + "<" + span.text + ">"
        }
    }

    @Test(
        arguments: [
            ("plain", ["<plain>"]), ("_u_ \"b\" `i`", ["u<u>", "< >", "b<b>", "< >", "i<i>"]),
            ("_\"`all`\"_", ["ubi<all>"]),
            ("_never closed", ["u<never closed>"]), ("a__b", ["<ab>"]), ("", []), ("__", []),
            ("^wide^ normal", ["2x1<wide>", "< normal>"]), ("^^high", ["1x2<high>"]), ("^^^two", ["2x2<two>"]),
            ("^^^^three", ["3x3<three>"]),
            ("^^^^^four", ["4x4<four>"]), ("^^^^^^five", ["5x5<five>"]), ("^^^^^^^six", ["6x6<six>"]),
            ("^^^^^^^^^^six", ["6x6<six>"]),
            // Only the same run of carets undoes it. A different run replaces it.
            ("^a^^b^^c", ["2x1<a>", "1x2<b>", "<c>"]), ("^^^^^^^a^^^^^^^^b", ["6x6<a>", "<b>"]),
        ] as [(String, [String])])
    func `toggles`(_ text: String, _ expected: [String]) { #expect(Self.spans(text) == expected) }

    @Test(arguments: [
        ("a~b", "a b"), ("\\~\\_\\\"\\`\\^\\-\\=", "~_\"`^-="), ("\\\\\\{\\|\\}", "\\{|}"), ("a\\nb", "a\nb"),
        ("\\x41\\x7e\\xe4", "A~ä"),
        ("a\\zb", "ab"), ("a\\äb", "ab"), ("a\\", "a"), ("\u{1}a\u{7F}b\tc", "abc"), ("\\x0a\\x1Fa\\x7f", "a"),
        ("\\x80\u{85}a", "a"),
        ("a\\x4", "a"), ("a\\x", "a"), ("a\\xg1b", "ab"), ("a\\x4gb", "ab"), ("a\\xääb", "ab"), ("a\\x\\x41", "aA"),
        ("\\\\n", "\\n"), ("\\\\x41", "\\x41"),
        ("€ ¥ 日本 שלום", "€ ¥ 日本 שלום"),
    ])
    func `escapes`(_ text: String, _ expected: String) {
        #expect(MarkupText.spans(Array(text.utf8)[...]).map(\.text).joined() == expected)
    }

    @Test func `a broken code takes no toggle with it`() { #expect(Self.spans("\\x_a") == ["u<a>"]) }
}
