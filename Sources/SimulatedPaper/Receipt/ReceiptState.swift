/// What commands have set and `ESC @` takes back.
struct ReceiptState {
    var style = TextStyle()
    var codePage = CodePage.pc437
    var international: [Unicode.Scalar] = []
    /// `FS ( C`: text is UTF-8.
    var isUTF8 = false

    /// Two-byte characters, since `FS &`.
    var isKanji = false
    var wideSet = WideCharacterSet.shiftJIS
    /// Dots to the left and the right of each.
    var kanjiSpacing = (left: 0, right: 0)

    var justification = Justification.left
    var isUpsideDown = false
    var lineSpacing = 30
    var leftMargin = 0
    /// Dots from the left margin on.
    var areaWidth = 576
    /// From the left margin, rising.
    var tabs: [Int] = []

    /// Dots for a horizontal and a vertical motion unit, as a fraction.
    var horizontalUnits = 203
    var verticalUnits = 203

    var barcode = BarcodeStyle()
    var symbolStyle = SymbolStyle()
    /// `GS :` began to record.
    var isRecordingMacro = false

    /// Star's raster mode.
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

    /// Every eight characters of font A.
    static let defaultTabs = (1...40).map { $0 * 8 * PrinterFont.a.width }
}

/// `ESC a`.
enum Justification: Int, Sendable {
    case left, centre, right

    /// Where something of this width begins.
    func start(of width: Int, in area: Int) -> Int {
        switch self {
        case .left: 0
        case .centre: max(0, (area - width) / 2)
        case .right: max(0, area - width)
        }
    }
}
