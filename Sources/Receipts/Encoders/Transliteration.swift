/// Replaces characters with ASCII, for printers that have nothing else.
enum Transliteration {
    /// ASCII that replaces the character; nil in scripts that have no transliteration here.
    static func text(for character: Character) -> String? {
        if let known = signs[character] ?? scripts[character] ?? letters[character] { return known }
        // A letter with marks that no table has becomes the letter.
        let scalars = character.unicodeScalars
        guard scalars.count > 1, let first = scalars.first, first.isASCII || text(for: Character(first)) != nil,
            scalars.dropFirst().allSatisfy({ $0.properties.generalCategory == .nonspacingMark })
        else { return fullWidth(character) }
        return first.isASCII ? String(first) : text(for: Character(first))
    }

    /// The ASCII of East Asian full-width forms.
    private static func fullWidth(_ character: Character) -> String? {
        guard character.unicodeScalars.count == 1, let value = character.unicodeScalars.first?.value else { return nil }
        if value == 0x3000 { return "  " }
        guard (0xFF01...0xFF5E).contains(value) else { return nil }
        return Unicode.Scalar(value - 0xFEE0).map { String($0) }
    }

    /// Latin letters with one mark or two, composed or decomposed: both are equal as characters.
    private static let letters: [Character: String] = {
        let marks = [
            "\u{300}", "\u{301}", "\u{302}", "\u{303}", "\u{304}", "\u{306}", "\u{307}", "\u{308}", "\u{309}",
            "\u{30A}", "\u{30B}", "\u{30C}", "\u{31B}", "\u{323}", "\u{326}", "\u{327}", "\u{328}", "\u{331}",
        ]
        let tones = ["", "\u{300}", "\u{301}", "\u{303}", "\u{309}", "\u{323}"]
        var letters: [Character: String] = [:]
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" {
            for mark in marks {
                for tone in tones { letters[Character(String(letter) + mark + tone)] = String(letter) }
            }
        }
        return letters
    }()

    private static let signs: [Character: String] = [
        "€": "EUR", "£": "GBP", "¥": "JPY", "¢": "c", "₹": "INR", "₽": "RUB", "₴": "UAH", "₺": "TRY", "₩": "KRW",
        "₪": "ILS", "₫": "VND", "₱": "PHP", "฿": "THB", "₣": "F", "ƒ": "f",
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "“": "\"", "”": "\"", "„": "\"", "«": "\"", "»": "\"", "‹": "'",
        "›": "'", "′": "'", "″": "\"", "´": "'",
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "…": "...", "•": "*", "·": "*", "●": "*",
        "○": "o", "×": "x", "÷": "/", "±": "+-",
        "°": "deg", "№": "No.", "™": "TM", "®": "(R)", "©": "(C)", "½": "1/2", "¼": "1/4", "¾": "3/4", "²": "2",
        "³": "3", "¹": "1", "µ": "u", "μ": "u", "§": "Par. ", "¿": "", "¡": "",
        "ª": "a", "º": "o", "✓": "v", "✔": "v", "✗": "x", "✘": "x", "★": "*", "☆": "*", "→": "->", "←": "<-", "↑": "^",
        "↓": "v", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~",
        "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
        "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",
        "ŋ": "ng", "Ŋ": "NG", "ħ": "h", "Ħ": "H", "\u{202F}": " ", "\u{2009}": " ", "\u{A0}": " ", "█": "#", "▓": "#",
        "▒": "#", "░": "#", "■": "#", "□": "o",
    ]

    /// Cyrillic as in passports (ICAO 9303), Greek by ISO 843.
    private static let scripts: [Character: String] = {
        let lower: [Character: String] = [
            "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "e", "ж": "zh", "з": "z", "и": "i",
            "й": "i", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o",
            "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh",
            "щ": "shch", "ъ": "ie", "ы": "y", "ь": "", "э": "e",
            "ю": "iu", "я": "ia", "є": "ie", "і": "i", "ї": "i", "ґ": "g", "ў": "u", "ђ": "d", "ј": "j", "љ": "lj",
            "њ": "nj", "ћ": "c", "џ": "dz", "ѓ": "g", "ќ": "k", "ѕ": "dz",
            "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i", "κ": "k",
            "λ": "l", "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p",
            "ρ": "r", "σ": "s", "ς": "s", "τ": "t", "υ": "y", "φ": "f", "χ": "ch", "ψ": "ps", "ω": "o", "ά": "a",
            "έ": "e", "ή": "i", "ί": "i", "ό": "o", "ύ": "y", "ώ": "o",
            "ϊ": "i", "ΐ": "i", "ϋ": "y", "ΰ": "y",
        ]
        var all = lower
        for (letter, text) in lower {
            guard let upper = letter.uppercased().first, letter.uppercased().count == 1, upper != letter else {
                continue
            }
            all[upper] = text.prefix(1).uppercased() + text.dropFirst()
        }
        return all
    }()
}
