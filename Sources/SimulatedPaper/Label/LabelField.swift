/// A field of a label, from where it begins (`^FO`, `^FT`) to its end (`^FS`).
struct LabelField {
    enum Kind {
        case text(LabelFont)
        case barcode(LabelBarcode)
        /// The symbols of `^GS`, which letters choose.
        case symbols(LabelFont)
        /// A picture that needs no data: a box, a stored picture.
        case picture(Bitmap, isWhite: Bool)
    }

    var x = 0
    var y = 0
    /// The position is that of the baseline (`^FT`).
    var isTypeset = false
    /// The position is that of the right edge (`^FO`, third parameter 1).
    var isRightAligned = false
    var kind: Kind?
    var data: [UInt8]?
    var isReversed = false
    /// The byte that precedes two hexadecimal digits (`^FH`).
    var hexadecimal: UInt8?
    var block: Block?
    /// The number of its data, which may come with another field (`^FN`).
    var number: Int?

    /// A block of lines (`^FB`).
    struct Block {
        var width: Int
        var lines: Int
        var spacing: Int
        var justification: Character
        /// The indent of the second and further lines, in dots.
        var indent = 0

        /// The text in lines of as many words as fit; `\&` breaks a line. Further lines would overprint the last one,
        /// so they are dropped.
        func wrapped(_ text: String, _ font: LabelFont) -> [[Unicode.Scalar]] {
            var result: [[Unicode.Scalar]] = []
            for part in text.split(separator: "\\&", omittingEmptySubsequences: false) {
                var line: [Unicode.Scalar] = []
                for word in part.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false) {
                    let room = max(1, (width - (result.isEmpty ? 0 : indent)) / max(1, font.width))
                    if !line.isEmpty, line.count + 1 + word.count > room {
                        result.append(line)
                        line = []
                    }
                    line += (line.isEmpty ? [] : [" "]) + word
                }
                result.append(line)
            }
            return Array(result.prefix(lines))
        }
    }

    /// The data without line ends, and with the digits of `^FH` as bytes; nil where there is none.
    var decodedData: [UInt8]? {
        guard let data else { return nil }
        var reader = ByteReader(data)
        var bytes: [UInt8] = []
        while let byte = reader.next() {
            if byte == hexadecimal, let high = reader.peek(), let low = reader.peek(1),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            {
                reader.skip(2)
                bytes.append(value)
            } else if byte != 0x0A, byte != 0x0D {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

/// The orientation of a field.
enum LabelOrientation: Character {
    case normal = "N", clockwise = "R", inverted = "I", upwards = "B"

    var quarters: Int {
        switch self {
        case .normal: 0
        case .clockwise: 1
        case .inverted: 2
        case .upwards: 3
        }
    }
}

/// A font at a size: the cell of a character in dots.
struct LabelFont {
    var name: Character
    var orientation: LabelOrientation
    var width: Int
    var height: Int

    private static let maximumCharacterSize = 1000
    /// Zebra's bitmap fonts at 203 dpi, with the gap between their characters (ZPL II Programming Guide, "Standard
    /// Printer Fonts").
    private static let matrices: [Character: (height: Int, width: Int)] = [
        "A": (9, 6), "B": (11, 9), "C": (18, 12), "D": (18, 12), "E": (28, 20), "F": (26, 16), "G": (60, 48),
        "H": (21, 19), "P": (20, 18), "Q": (28, 24), "R": (35, 31), "S": (40, 35), "T": (48, 42), "U": (59, 53),
        "V": (80, 71),
    ]
    /// The cell of `^GS`.
    private static let symbolSize = 24

    /// A bitmap font is magnified by whole numbers; the scalable one (0) has any size. A missing size follows the other
    /// one.
    init(_ name: Character, _ orientation: LabelOrientation, height: Int?, width: Int?) {
        self.name = name
        self.orientation = orientation
        guard let matrix = Self.matrices[name] else {
            let tall = min(max(height ?? width ?? 15, 10), Self.maximumCharacterSize)
            self.height = tall
            // On average its letters are half as wide as the given width.
            self.width = max(4, min(width ?? tall, Self.maximumCharacterSize) / 2)
            return
        }
        let down = height.map { max(1, ($0 + matrix.height / 2) / matrix.height) }
        let across = width.map { max(1, ($0 + matrix.width / 2) / matrix.width) }
        self.height = min(matrix.height * (down ?? across ?? 1), Self.maximumCharacterSize)
        self.width = min(matrix.width * (across ?? down ?? 1), Self.maximumCharacterSize)
    }

    /// The font of `^GS`, which has any size.
    static func symbols(_ orientation: LabelOrientation, height: Int?, width: Int?) -> LabelFont {
        var font = LabelFont("0", orientation, height: nil, width: nil)
        font.height = min(max(height ?? width ?? symbolSize, 10), maximumCharacterSize)
        font.width = min(max(width ?? height ?? symbolSize, 10), maximumCharacterSize)
        return font
    }

    /// Whether the printer has a font of its own of this name.
    static func isResident(_ name: Character) -> Bool { name == "0" || matrices[name] != nil }

    /// Rows above the baseline.
    var ascent: Int { height - height / 8 }

    /// The glyph of a character, scaled to the cell; nil where no font has it.
    func glyph(_ scalar: Unicode.Scalar, _ glyphs: any GlyphSource) -> Bitmap? {
        let cell = height <= PrinterFont.b.height ? PrinterFont.b : .a
        return glyphs.glyph(scalar, width: cell.width, height: cell.height)?.resized(width: width, height: height)
    }
}
