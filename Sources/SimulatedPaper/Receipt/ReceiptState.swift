/// The settings of a receipt printer that commands change and `ESC @` resets.
struct ReceiptState {
    var style = TextStyle()
    var codePage = CodePage.pc437
    var international: [Unicode.Scalar] = []
    /// `FS ( C`: text is UTF-8.
    var isUTF8 = false

    /// Text has two-byte characters (`FS &`).
    var isKanji = false
    /// Text has two-byte characters because their lead bytes are no others: `FS C 1`.
    var isShiftJIS = false
    var wideSet = WideCharacterSet.shiftJIS
    /// Dots to the left and the right of each two-byte character.
    var kanjiSpacing = (left: 0, right: 0)
    /// The underline of two-byte characters in dots (`FS -`); nil where it is that of the others.
    var kanjiUnderline: Int?

    var userCharacters = UserCharacters()

    /// What is printed is red, on paper of two colours.
    var isRed = false
    /// Star's mode of two colours (`ESC RS C`), without which nothing is red.
    var isTwoColour = false

    var justification = Justification.left
    var isUpsideDown = false
    var lineSpacing = 30
    var leftMargin = 0
    /// The width of the print area from the left margin, in dots.
    var areaWidth = 576
    /// The tab stops from the left margin, in ascending order.
    var tabs: [Int] = []

    /// Where printing starts on the next page.
    var pageDirection = PageCanvas.Direction.upperLeft
    /// The spaces of the mode that does not last now: page mode and standard mode have their own (Epson, ESC L).
    var otherSpaces: Spaces?

    struct Spaces {
        var spacing = 0
        var kanjiSpacing = (left: 0, right: 0)
        var lineSpacing: Int
    }

    /// The horizontal and vertical motion units, in parts of an inch.
    var horizontalUnits = 203
    var verticalUnits = 203

    var barcode = BarcodeStyle()
    var symbolStyle = SymbolStyle()
    /// A macro is being defined (`GS :`).
    var isRecordingMacro = false

    /// Star's raster mode, while it lasts.
    var raster: RasterMode?

    init() {}

    init(_ model: PaperModel, _ language: PaperLanguage) {
        // Star's lines are 4 mm apart.
        lineSpacing = language == .star ? (40 * model.dotsPerInch + 127) / 254 : model.lineSpacing
        areaWidth = model.width
        horizontalUnits = model.horizontalUnits
        verticalUnits = model.verticalUnits
        tabs = Self.defaultTabs
    }

    /// A tab stop every eight characters of font A.
    private static let defaultTabs = (1...40).map { $0 * 8 * PrinterFont.a.width }

    /// The style in which characters are printed. On a page no single one is turned: the page's direction is (Epson,
    /// ESC V).
    func printedStyle(isInPageMode: Bool) -> TextStyle {
        var style = style
        if isInPageMode { style.isTurned = false }
        return style
    }

    // MARK: - Decoding text

    /// Decodes the character that begins with the byte, and takes its further bytes. Returns the character, and whether
    /// its cell is wide.
    func decode(
        _ first: UInt8, _ reader: inout ByteReader, wideText: any WideTextDecoder
    ) -> (Unicode.Scalar, isWide: Bool) {
        if isUTF8, first >= 0x80 { return decodeUTF8(first, &reader) }
        if isKanji || isShiftJIS, let second = reader.peek(), isLeadByte(first) {
            reader.skip(1)
            // U+3013, the geta mark, is the Japanese sign for a missing character.
            return (wideText.scalar([first, second], in: wideSet) ?? "\u{3013}", true)
        }
        if !international.isEmpty, first < 0x80 {
            return (InternationalSet.scalar(first, in: international), false)
        }
        return (codePage[first], false)
    }

    private func isLeadByte(_ byte: UInt8) -> Bool {
        switch wideSet {
        case .jis: (0x21...0x7E).contains(byte)
        case .shiftJIS: (0x81...0x9F).contains(byte) || (0xE0...0xFC).contains(byte)
        case .gb18030, .big5, .korean: (0x81...0xFE).contains(byte)
        }
    }

    private func decodeUTF8(_ first: UInt8, _ reader: inout ByteReader) -> (Unicode.Scalar, isWide: Bool) {
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        let bytes = [first] + (0..<length - 1).compactMap { reader.peek($0) }
        guard let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first else {
            return ("\u{FFFD}", false)
        }
        reader.skip(length - 1)
        return (scalar, Self.isWide(scalar))
    }

    /// Whether a character is East Asian Wide or Fullwidth, by its block (UAX #11).
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

/// The justification of a line (`ESC a`).
enum Justification: Int, Sendable {
    case left, centre, right

    /// The position where something of this width begins.
    func start(of width: Int, in area: Int) -> Int {
        switch self {
        case .left: 0
        case .centre: max(0, (area - width) / 2)
        case .right: max(0, area - width)
        }
    }
}

/// The settings of barcodes: `GS w`, `GS h`, `GS H` and `GS f`.
struct BarcodeStyle {
    /// Dots per module.
    var module = 3
    var height = 162
    var text = HumanReadableText.none
    var font = PrinterFont.a
}

/// The position of a barcode's human-readable text.
enum HumanReadableText: Int {
    case none, above, below, both

    var isAbove: Bool { self == .above || self == .both }
    var isBelow: Bool { self == .below || self == .both }
}

/// The settings of `GS ( k` for each two-dimensional symbology, and its stored data.
struct SymbolStyle {
    var qr = QR()
    var pdf417 = PDF417()
    var dataMatrix = DataMatrix()
    var aztec = Aztec()
    var dataBar = DataBar()
    var maxiCode = MaxiCode()
    /// The height of PDF417's rows in dots, as Seiko's printers take it.
    var seikoRowHeight = 7

    struct QR {
        var isMicro = false
        var module = 3
        /// 1 (L) to 4 (H).
        var level = 1
        var data: [UInt8]?
    }

    struct PDF417 {
        var columns = 0
        var module = 3
        /// A row's height in modules.
        var rowHeight = 3
        var level: Level = .share(1)
        var isTruncated = false
        var data: [UInt8]?

        enum Level {
            /// 0 to 8.
            case fixed(Int)
            /// Tenths of the data.
            case share(Int)
        }

        /// The level for so much data (AIM USS-PDF417: 2 to the power of level + 1 codewords).
        func levelNumber(dataCount: Int) -> Int {
            switch level {
            case .fixed(let level): return level
            case .share(let tenths):
                let codewords = max(1, dataCount * 10 / 17) * tenths / 10
                return (0...8).first { 2 << $0 >= codewords } ?? 8
            }
        }
    }

    struct DataMatrix {
        var isSquare = true
        var module = 3
        var data: [UInt8]?
    }

    struct Aztec {
        var module = 3
        /// The least error correction in percent, and the layers where they are fixed.
        var percent = 23
        var layers = 0
        var isCompact = false
        var size: MatrixSymbol.AztecSize {
            layers == 0
                ? .automatic(percent: percent) : isCompact ? .compact(layers: layers) : .fullRange(layers: layers)
        }
        var data: [UInt8]?
    }

    struct MaxiCode {
        var mode = 2
        var data: [UInt8]?
    }

    struct DataBar {
        var module = 2
        /// The greatest width of Expanded Stacked, in dots.
        var maximumWidth = 141
        var kind: MatrixSymbol.Kind?
        var data: [UInt8]?
    }
}
