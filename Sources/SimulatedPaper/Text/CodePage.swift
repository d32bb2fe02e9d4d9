/// What bytes from 80h on stand for.
struct CodePage: Hashable, Sendable {
    /// As Epson's tables call it.
    let name: String
    private let scalars: [Unicode.Scalar]

    /// Eight rows of sixteen characters.
    init(_ name: String, _ rows: [String]) {
        self.name = name
        scalars = rows.flatMap(\.unicodeScalars)
    }

    /// U+FFFD where the table has none.
    subscript(byte: UInt8) -> Unicode.Scalar {
        guard byte >= 0x80 else { return Unicode.Scalar(byte) }
        let index = Int(byte) - 0x80
        return index < scalars.count ? scalars[index] : "\u{FFFD}"
    }

    /// The parameter of `ESC t`, as Epson's TM printers number their tables (ESC/POS Command Reference, ESC t); nil for
    /// numbers that this printer has no table for.
    static func numbered(_ number: Int) -> CodePage? { epson[number] }

    private static let epson: [Int: CodePage] = [
        0: pc437, 1: katakana, 2: pc850, 3: pc860, 4: pc863, 5: pc865, 13: pc857, 14: pc737, 15: iso7, 16: wpc1252,
        17: pc866, 18: pc852,
        19: pc858, 21: thai, 32: pc720, 33: pc775, 34: pc855, 35: pc861, 36: pc862, 37: pc864, 38: pc869, 39: iso2,
        40: iso15, 44: pc1125,
        45: wpc1250, 46: wpc1251, 47: wpc1253, 48: wpc1254, 49: wpc1255, 50: wpc1256, 51: wpc1257, 52: wpc1258,
        53: kz1048,
    ]

    /// Half-width Katakana as JIS X 0201 has them, between box drawing characters.
    static let katakana = CodePage(
        "Katakana",
        [
            "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉┼", "┴┬┤├▔─│▕┌┐└┘╭╮╰╯",
            "\u{A0}｡｢｣､･ｦｧｨｩｪｫｬｭｮｯ", "ｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿ", "ﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏ", "ﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ",
            "═╞╪╡◢◣◥◤♠♥♦♣●○╱╲", "╳円年月日時分秒〒市区町村人▒\u{A0}",
        ])
}
