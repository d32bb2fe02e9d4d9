import Testing

@testable import KioskReceipts

/// Where the text of a cell breaks.
@Suite struct TextWrapperTests {
    private static func lines(
        _ text: String, _ width: Int, _ wrapping: TextWrapping, _ style: TextStyle = TextStyle()
    ) -> [String] {
        TextWrapper.lines([TextSpan(text, style)], width: width, wrapping: wrapping).map {
            $0.runs.map(\.text).joined()
        }
    }

    @Test(arguments: [
        ("abcdef", 4, ["abcd", "ef"]), ("abcd", 4, ["abcd"]), ("ab cd ef", 4, ["ab c", "d ef"]),
        ("a\nb", 4, ["a", "b"]), ("abcd\nef", 4, ["abcd", "ef"]), ("\n\n", 4, ["", ""]), ("a\n", 4, ["a"]),
        ("日本語", 4, ["日本", "語"]), ("日本語", 5, ["日本", "語"]), ("a日本", 4, ["a日", "本"]),
        ("e\u{301}e\u{301}e", 2, ["e\u{301}e\u{301}", "e"]), ("日a", 1, ["a"]),
    ])
    func `by character`(_ text: String, _ width: Int, _ expected: [String]) {
        #expect(Self.lines(text, width, .character) == expected)
    }

    @Test(arguments: [
        ("ab cd ef", 5, ["ab cd", "ef"]), ("ab cd ef", 4, ["ab", "cd", "ef"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a bcdefgh", 4, ["a", "bcde", "fgh"]), ("ab   cd", 3, ["ab", "cd"]),
        ("well-known fact", 7, ["well-", "known", "fact"]), ("  ab cd", 5, ["  ab", "cd"]), ("ab ", 2, ["ab"]),
        ("", 3, [""]), ("日本語の本。", 10, ["日本語の", "本。"]), ("12.50 EUR", 5, ["12.50", "EUR"]),
        ("a\n b", 4, ["a", " b"]), ("tea 日本", 6, ["tea 日", "本"]),
    ])
    func `by word`(_ text: String, _ width: Int, _ expected: [String]) {
        #expect(Self.lines(text, width, .word) == expected)
    }

    @Test func `without wrapping the first line is all`() { #expect(Self.lines("abcdef\ng", 4, .none) == ["abcd"]) }

    @Test func `large letters count as often as they are wide, and become narrower where they must`() {
        #expect(Self.lines("abcd", 4, .character, .double) == ["ab", "cd"])
        #expect(
            TextWrapper.lines([TextSpan("a", TextStyle(width: 6, height: 6))], width: 4, wrapping: .character).map(
                \.width) == [4])
        #expect(
            TextWrapper.lines([TextSpan("日", TextStyle(width: 6, height: 6))], width: 5, wrapping: .character).map(
                \.width) == [4])
    }
}

/// Lines of both directions, in visual order from left to right.
@Suite struct BidiParagraphTests {
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
        // Brackets are mirrored.
        ("שלום (12)", "(12) םולש"), ("(שלום)", "(םולש)"), ("abc (שלום) d", "abc (םולש) d"),
        ("سعر 12", "12 رعس"), ("ريال 15%", "%15 لاير"), ("٣٤ ريال", "لاير ٣٤"), ("الفا \u{64B}ب", "ب \u{64B}افلا"),
        // Blanks at the end of a line stay there.
        ("שלום  ", "  םולש"), ("abc ", "abc "),
    ])
    func `are reordered`(_ text: String, _ expected: String) { #expect(Self.visual(text) == expected) }
}
