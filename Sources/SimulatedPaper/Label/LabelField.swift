/// A field of a label, from where it begins (`^FO`, `^FT`) to its end (`^FS`).
struct LabelField {
    enum Kind {
        case text(LabelFont)
        case barcode(LabelBarcode)
        /// Drawn where it stands, without data: a box, a picture.
        case picture(Bitmap, isWhite: Bool)
    }

    var x = 0
    var y = 0
    /// `^FT`: the place is that of the baseline.
    var isTypeset = false
    var kind: Kind?
    var data: [UInt8]?
    var isReversed = false
    /// `^FH`: two hexadecimal digits behind this byte are a byte.
    var hexadecimal: UInt8?
    var block: Block?

    /// `^FB`.
    struct Block {
        var width: Int
        var lines: Int
        var spacing: Int
        var justification: Character
    }
}

/// How a field is turned.
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

/// A font at a size: the cell of a character, in dots.
struct LabelFont {
    var name: Character
    var orientation: LabelOrientation
    var width: Int
    var height: Int

    private static let tallest = 1000
    /// Zebra's bitmap fonts at 203 dpi, with the gap between their characters (ZPL II Programming Guide, "Standard
    /// Printer Fonts").
    private static let matrices: [Character: (height: Int, width: Int)] = [
        "A": (9, 6), "B": (11, 9), "C": (18, 12), "D": (18, 12), "E": (28, 20), "F": (26, 16), "G": (60, 48),
        "H": (21, 19),
    ]

    /// A bitmap font is magnified by whole numbers, the scalable one (0) has any size; a missing number follows the
    /// other.
    init(_ name: Character, _ orientation: LabelOrientation, height: Int?, width: Int?) {
        self.name = name
        self.orientation = orientation
        guard let matrix = Self.matrices[name] else {
            let tall = min(max(height ?? width ?? 15, 10), Self.tallest)
            self.height = tall
            // Its letters are half as wide as the width says, on average.
            self.width = max(4, min(width ?? tall, Self.tallest) / 2)
            return
        }
        let down = height.map { max(1, ($0 + matrix.height / 2) / matrix.height) }
        let across = width.map { max(1, ($0 + matrix.width / 2) / matrix.width) }
        self.height = min(matrix.height * (down ?? across ?? 1), Self.tallest)
        self.width = min(matrix.width * (across ?? down ?? 1), Self.tallest)
    }

    /// Rows above the baseline.
    var ascent: Int { height - height / 8 }
}

/// A barcode field as its command has it.
struct LabelBarcode {
    enum Symbology: String {
        case code128 = "Code 128", code39 = "Code 39", ean13 = "EAN-13", ean8 = "EAN-8", upcA = "UPC-A", upcE = "UPC-E",
            itf = "ITF",
            code93 = "Code 93", codabar = "Codabar", qr = "QR", pdf417 = "PDF417", dataMatrix = "Data Matrix", aztec =
            "Aztec"
    }

    var symbology: Symbology
    var orientation: LabelOrientation
    /// Dots.
    var height: Int
    var module: Int
    var ratio: Double
    var hasText = false
    var isTextAbove = false
    /// `^BC`: N, U, A or D.
    var mode: Character = "N"
    /// PDF417's level and columns.
    var level = 0
    var columns = 0
}
