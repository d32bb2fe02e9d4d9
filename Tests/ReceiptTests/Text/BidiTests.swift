import Testing

@testable import Receipts

/// Lines of both directions, as they stand from left to right.
@Suite struct BidiTests {
    private static func visual(_ text: String) -> String {
        TextWrapper.lines([TextSpan(text)], width: 80, wrapping: .character).flatMap(\.runs).map(\.visualText).joined()
    }

    @Test(arguments: [
        ("abc", "abc"), ("שלום", "םולש"), ("שלום עולם", "םלוע םולש"), ("abc שלום def", "abc םולש def"),
        ("שלום abc", "abc םולש"),
        // Numbers keep their order, with their signs.
        ("שלום 12.50", "12.50 םולש"), ("מחיר: ₪12.50", "₪12.50 :ריחמ"), ("abc 12.50 שלום", "abc 12.50 םולש"),
        ("שלום 1,000 + 2", "2 + 1,000 םולש"),
        ("מס 50%", "50% סמ"),
        // Brackets face the other way.
        ("שלום (12)", "(12) םולש"), ("(שלום)", "(םולש)"), ("abc (שלום) d", "abc (םולש) d"),
        ("سعر 12", "12 رعس"), ("ريال 15%", "%15 لاير"), ("٣٤ ريال", "لاير ٣٤"), ("الفا \u{64B}ب", "ب \u{64B}افلا"),
        // Blanks at the line's end stay at its end.
        ("שלום  ", "  םולש"), ("abc ", "abc "),
    ])
    func `are reordered`(_ text: String, _ expected: String) { #expect(Self.visual(text) == expected) }

    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("น้ำ", 2), ("ก็", 1), ("क्ष", 2), ("कि", 2), ("👩‍👩‍👧", 2), ("👍🏽", 2),
            ("✌\u{FE0F}", 2),
            ("✌", 1), ("\u{200B}", 0), ("\u{301}", 0), ("\u{200F}", 0), ("€", 1), ("─", 1), ("🇩🇪", 2), ("𠮷", 2),
            ("。", 2),
        ] as [(String, Int)])
    func `cells of a character`(_ text: String, _ cells: Int) { #expect(text.map(TextCluster.cells(of:)) == [cells]) }
}
