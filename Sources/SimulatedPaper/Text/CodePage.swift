/// A code page: the characters of the bytes from 80h on. Lower bytes are ASCII.
struct CodePage: Hashable, Sendable {
    /// The name in Epson's tables.
    let name: String
    private let scalars: [Unicode.Scalar]

    /// `rows` are eight rows of sixteen characters.
    init(_ name: String, _ rows: [String]) {
        self.name = name
        scalars = rows.flatMap(\.unicodeScalars)
    }

    /// The byte's character; U+FFFD where there is none.
    subscript(byte: UInt8) -> Unicode.Scalar {
        guard byte >= 0x80 else { return Unicode.Scalar(byte) }
        let index = Int(byte) - 0x80
        return index < scalars.count ? scalars[index] : "\u{FFFD}"
    }

    /// The code page of `ESC t`, by the numbers of Epson's TM printers (ESC/POS Command Reference, ESC t); nil for
    /// numbers without a table in this printer.
    static func numbered(_ number: Int) -> CodePage? { epson[number] }

    private static let epson: [Int: CodePage] = [
        0: pc437, 1: katakana, 2: pc850, 3: pc860, 4: pc863, 5: pc865, 13: pc857, 14: pc737, 15: iso7, 16: wpc1252,
        17: pc866, 18: pc852,
        19: pc858, 21: thai, 32: pc720, 33: pc775, 34: pc855, 35: pc861, 36: pc862, 37: pc864, 38: pc869, 39: iso2,
        40: iso15, 44: pc1125,
        45: wpc1250, 46: wpc1251, 47: wpc1253, 48: wpc1254, 49: wpc1255, 50: wpc1256, 51: wpc1257, 52: wpc1258,
        53: kz1048,
    ]

    /// The code page of `ESC GS t`, by Star's numbers.
    static func star(_ number: Int) -> CodePage? { starPages[number] }

    private static let starPages: [Int: CodePage] = [
        0: pc437, 1: pc437, 2: katakana, 3: pc437, 4: pc858, 5: pc852, 6: pc860, 7: pc861, 8: pc863, 9: pc865,
        10: pc866, 11: pc855,
        12: pc857, 13: pc862, 14: pc864, 15: pc737, 17: pc869, 21: thai, 32: wpc1252, 33: wpc1250, 34: wpc1251,
    ]

    /// Half-width Katakana of JIS X 0201, and box drawing characters.
    static let katakana = CodePage(
        "Katakana",
        [
            "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉┼", "┴┬┤├▔─│▕┌┐└┘╭╮╰╯",
            "\u{A0}｡｢｣､･ｦｧｨｩｪｫｬｭｮｯ", "ｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿ", "ﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏ", "ﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ",
            "═╞╪╡◢◣◥◤♠♥♦♣●○╱╲", "╳円年月日時分秒〒市区町村人▒\u{A0}",
        ])
}

/// The twelve ASCII characters that `ESC R` replaces (Epson, ESC/POS Command Reference, ESC R).
enum InternationalSet {
    private static let replaced = Array("#$@[\\]^`{|}~".utf8)

    /// The set's name, and its characters in the order of their codes; nil for numbers without a set.
    static func numbered(_ number: Int) -> (name: String, scalars: [Unicode.Scalar])? {
        guard sets.indices.contains(number) else { return nil }
        return (sets[number].0, Array(sets[number].1.unicodeScalars))
    }

    static func scalar(_ byte: UInt8, in set: [Unicode.Scalar]) -> Unicode.Scalar {
        guard let index = replaced.firstIndex(of: byte), index < set.count else { return Unicode.Scalar(byte) }
        return set[index]
    }

    private static let sets: [(String, String)] = [
        ("U.S.A.", "#$@[\\]^`{|}~"), ("France", "#$à°ç§^`éùè¨"), ("Germany", "#$§ÄÖÜ^`äöüß"), ("U.K.", "£$@[\\]^`{|}~"),
        ("Denmark I", "#$@ÆØÅ^`æøå~"), ("Sweden", "#¤ÉÄÖÅÜéäöåü"), ("Italy", "#$@°\\é^ùàòèì"),
        ("Spain I", "₧$@¡Ñ¿^`¨ñ}~"),
        ("Japan", "#$@[¥]^`{|}~"), ("Norway", "#¤ÉÆØÅÜéæøåü"), ("Denmark II", "#$ÉÆØÅÜéæøåü"),
        ("Spain II", "#$á¡Ñ¿é`íñóú"),
        ("Latin America", "#$á¡Ñ¿éüíñóú"), ("Korea", "#$@[₩]^`{|}~"), ("Slovenia/Croatia", "#$ŽŠĐĆČžšđćč"),
        ("China", "#¥@[\\]^`{|}~"),
    ]
}
