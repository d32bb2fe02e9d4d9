package import KioskPrintModel

/// The capabilities of a printer of plain text: characters in columns and nothing else.
package struct PlainTextCapabilities: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var characters: Characters
    package var lineEnd: LineEnd
    /// The number of empty lines that replace a cut, so that paper can be torn off.
    package var tearLines: Int

    package enum Characters: Hashable, Sendable {
        case ascii
        case codePage(CodePage)
        case utf8
    }

    package enum LineEnd: String, Hashable, Sendable {
        case lf = "\n"
        case crlf = "\r\n"
    }

    package init(paper: ReceiptPaper, characters: Characters = .ascii, lineEnd: LineEnd = .crlf, tearLines: Int = 4) {
        self.paper = paper
        self.characters = characters
        self.lineEnd = lineEnd
        self.tearLines = max(tearLines, 0)
    }

    /// The capabilities that a profile describes.
    init(_ settings: PrintingSettings) {
        let paper = ReceiptPaper(settings)
        self.init(
            paper: paper, characters: settings.initialCodePage.map { .codePage($0) } ?? .ascii,
            tearLines: settings.tearFeed / max(paper.fontA.height + paper.lineGap, 1))
    }

    /// Nil where the printer lacks the character.
    func bytes(of character: Character) -> [UInt8]? {
        switch characters {
        case .ascii:
            character.asciiValue.flatMap { (0x20..<0x7F).contains($0) ? [$0] : nil }
                ?? (character == "\u{A0}" ? [0x20] : nil)
        case .codePage(let page): page.bytes(of: character)
        case .utf8: Array(String(character).utf8)
        }
    }
}

/// Encodes a layout as plain text. `PlainTextRewriter` has replaced codes with text and left pictures out before.
struct PlainTextEncoder {
    let capabilities: PlainTextCapabilities

    func commands(_ layout: ReceiptLayout) throws(ReceiptError) -> [EncodedCommand] {
        let paper = capabilities.paper
        var commands: [EncodedCommand] = []
        for line in layout.lines {
            switch line.content {
            case .text(let text):
                // Large letters are as high as others, and a box has its sides once.
                let rows = TextPreview.rows(of: text, columns: paper.columns(of: text.font))
                commands.append(try command(rows.last ?? ""))
            case .feed:
                for _ in 0..<max(line.height / max(paper.fontA.height + paper.lineGap, 1), 1) {
                    commands.append(try command(""))
                }
            case .cut: for _ in 0..<capabilities.tearLines { commands.append(try command("")) }
            case .command(let bytes): commands.append(EncodedCommand(raw: bytes))
            case .code, .image, .logo, .drawer, .buzzer, .turned: break
            }
        }
        return commands
    }

    private func command(_ row: String) throws(ReceiptError) -> EncodedCommand {
        var (bytes, text): ([UInt8], String) = ([], "")
        for character in row where TextCluster.cells(of: character) > 0 {
            let isKnown = capabilities.bytes(of: character) != nil
            let printed = isKnown ? character : Self.boxCharacters[character] ?? character
            guard let known = capabilities.bytes(of: printed) else {
                throw ReceiptError(
                    .unprintable, "the printer prints plain text only, and has no \"\(character)\"",
                    instead: "the text in Latin letters")
            }
            bytes += known
            text.append(printed)
        }
        return EncodedCommand(bytes + Array(capabilities.lineEnd.rawValue.utf8), text)
    }

    /// ASCII in place of box-drawing characters.
    private static let boxCharacters: [Character: Character] = [
        "│": "|", "─": "-", "┘": "+", "┐": "+", "┤": "+", "└": "+", "┌": "+", "├": "+", "┴": "+", "┬": "+", "┼": "+",
    ]
}

/// Rewrites a receipt for a printer that cannot print pictures. It replaces characters that the printer lacks with
/// others, codes that it lacks with their data, and leaves pictures out. It works before the layout, so that columns
/// stay columns.
struct PlainTextRewriter {
    private let symbologies: Set<Symbology>
    /// Whether the printer turns lines upside down.
    private let turnsLines: Bool
    private let has: (Character) -> Bool
    private var replaced: Set<Character> = []
    private var (codes, images) = (0, 0)
    private var (hasTurned, hasOtherRules) = (false, false)
    private var settings = LineSettings(widths: [], border: .space(1))

    /// `symbologies` are the codes that the printer draws itself; `has` tells whether it has a character.
    init(symbologies: Set<Symbology>, turnsLines: Bool = false, has: @escaping (Character) -> Bool) {
        self.symbologies = symbologies
        self.turnsLines = turnsLines
        self.has = has
    }

    /// Throws where nothing can replace a character.
    mutating func rewritten(_ receipt: Receipt) throws(ReceiptError) -> Receipt {
        var elements: [ReceiptElement] = []
        for element in receipt.elements {
            switch element {
            case .row(var row):
                for cell in row.cells.indices {
                    for span in row.cells[cell].spans.indices {
                        row.cells[cell].spans[span].text = try rewritten(row.cells[cell].spans[span].text)
                    }
                }
                elements.append(.row(row))
            case .code(let code) where !symbologies.contains(code.symbology): elements += try data(of: code)
            case .image: images += 1
            case .rule(let style) where !style.characters.allSatisfy(has):
                hasOtherRules = hasOtherRules || style != .single
                elements.append(.rule)
            case .settings(var change):
                if let turn = change.turn, turn != .upright, !turnsLines || turn.rotation != .half {
                    hasTurned = true
                    change.turn = turnsLines ? .upright : nil
                }
                settings.widths = change.widths ?? settings.widths
                settings.border = change.border ?? settings.border
                elements.append(.settings(change))
            default: elements.append(element)
            }
        }
        return Receipt(elements)
    }

    /// What was changed, as sentences without a full stop. The job reports it.
    var remarks: [String] {
        var remarks: [String] = []
        if !replaced.isEmpty {
            let list = replaced.sorted().prefix(20).map { String($0) }.joined(separator: " ")
            remarks.append(
                "the printer lacks these characters, and printed others for them: \(list)\(replaced.count > 20 ? " …" : "")"
            )
        }
        if codes > 0 { remarks.append("the printer draws no such codes: they were printed as what they say") }
        if images > 0 { remarks.append("the printer prints no pictures: they were left out") }
        if hasTurned { remarks.append("the printer turns no lines: they were printed upright") }
        if hasOtherRules { remarks.append("the printer has no such rules: single ones were printed") }
        return remarks
    }

    private mutating func rewritten(_ text: String) throws(ReceiptError) -> String {
        var rewritten = ""
        for character in text {
            if character == "\n" || TextCluster.cells(of: character) == 0 || has(character) {
                rewritten.append(character)
                continue
            }
            guard let other = Transliteration.text(for: character), other.allSatisfy(has) else {
                throw ReceiptError(
                    .unprintable,
                    "the printer prints plain text only, and has neither \"\(character)\" nor letters that stand for it",
                    instead: "the text in Latin letters, or choose a printer that can draw")
            }
            rewritten += other
            replaced.insert(character)
        }
        return rewritten
    }

    /// The code's data on a line as wide as the paper, whatever the columns are.
    private mutating func data(of code: ReceiptCode) throws(ReceiptError) -> [ReceiptElement] {
        codes += 1
        let data = try CheckedCode(code).readableText
        let text = String(
            String.UnicodeScalarView(data.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        return [
            .settings(LineSettings(widths: [], border: .space(1))),
            .row(ReceiptRow([ReceiptCell(try rewritten(text), alignment: code.alignment)])), .settings(settings),
        ]
    }
}

extension RuleStyle {
    /// The characters of a rule in this style, and of its ends at the sides of a box.
    fileprivate var characters: [Character] {
        (1..<16).map { PlacedStroke.Joint(rawValue: $0) }.filter { $0.contains(.left) || $0.contains(.right) }.map {
            $0.character(self)
        }
    }
}

/// Replaces characters with ASCII, for printers that have nothing else.
enum Transliteration {
    /// ASCII that replaces the character; nil in scripts that have no transliteration here.
    static func text(for character: Character) -> String? {
        if let known = signs[character] ?? scripts[character] ?? letters[character] { return known }
        let printed = EmojiSequence.printed(character)
        if printed.count > 1, printed.allSatisfy({ $0.isASCII }) { return String(printed) }
        // A letter with marks that no table has becomes the letter, a keycap what stands on it.
        let scalars = character.unicodeScalars
        guard scalars.count > 1, let first = scalars.first, first.isASCII || text(for: Character(first)) != nil,
            scalars.dropFirst().allSatisfy({
                [.nonspacingMark, .enclosingMark].contains($0.properties.generalCategory)
            })
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
