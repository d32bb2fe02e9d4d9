/// The settings of a label printer, which last from label to label.
struct LabelSettings {
    /// The size of the label (`^PW`, `^LL`); nil until it is set.
    private(set) var width: Int?
    private(set) var length: Int?
    /// The label home (`^LH`).
    private(set) var homeX = 0
    private(set) var homeY = 0
    /// The orientation of fields (`^FW`).
    private(set) var orientation = LabelOrientation.normal
    /// The default font (`^CF`).
    private(set) var font: (name: Character, height: Int?, width: Int?) = ("A", nil, nil)
    /// The defaults of barcodes (`^BY`).
    private(set) var module = 2
    private(set) var ratio = 3.0
    private(set) var barHeight = 10
    /// Whether text is UTF-8 (`^CI` 28 to 30); else it is in the code page.
    private(set) var isUTF8 = false
    private(set) var codePage = CodePage.pc850
    /// The print orientation (`^PO`).
    private(set) var isUpsideDown = false
    private(set) var quantity = 1

    /// Carries out a command that sets something; nil for others.
    mutating func perform(_ name: String, _ parameters: ZPLParameters, _ model: PaperModel) -> CommandOutcome? {
        let first = parameters.number(0)
        switch name {
        case "^PW":
            width = min(max(first ?? model.width, 2), ZPLPrinter.maximumWidth)
            return "label \(width ?? 0) dots wide"
        case "^LL":
            length = min(max(first ?? 1, 1), ZPLPrinter.maximumHeight)
            return "label \(length ?? 0) dots long"
        case "^LH":
            (homeX, homeY) = (max(0, first ?? 0), max(0, parameters.number(1) ?? 0))
            return "home at \(homeX), \(homeY)"
        case "^FW":
            guard let orientation = parameters.letter(0).flatMap(LabelOrientation.init) else {
                return .refused("no such orientation")
            }
            self.orientation = orientation
            return "fields are \(orientation)"
        case "^CF":
            font = (parameters.letter(0) ?? font.name, parameters.number(1), parameters.number(2))
            return "font \(font.name) where none is said"
        case "^BY":
            module = min(max(first ?? module, 1), 10)
            ratio = min(max(parameters.decimal(1) ?? ratio, 2), 3)
            barHeight = max(1, parameters.number(2) ?? barHeight)
            return "barcodes' modules \(module) dots wide, height \(barHeight)"
        case "^CI": return setEncoding(first ?? 0)
        case "^PO":
            isUpsideDown = parameters.letter(0) == "I"
            return isUpsideDown ? "the label is upside down" : "the label is upright"
        case "^PQ":
            quantity = max(1, first ?? 1)
            return "\(quantity) labels"
        default: return Self.mechanismCommands[name].map { CommandOutcome($0) }
        }
    }

    private mutating func setEncoding(_ number: Int) -> CommandOutcome {
        isUTF8 = (28...30).contains(number)
        switch number {
        case 28...30: return "text is UTF-8"
        case 27: codePage = .wpc1252
        case 31: codePage = .wpc1250
        case 33: codePage = .wpc1251
        case 34: codePage = .wpc1253
        case 35: codePage = .wpc1254
        case 0...13: codePage = .pc850
        default: return .refused("no such encoding")
        }
        return "text is \(codePage.name)"
    }

    /// Decodes the text of a field.
    func text(_ data: [UInt8]) -> String {
        if isUTF8 { return String(decoding: data, as: UTF8.self) }
        var scalars = String.UnicodeScalarView()
        for byte in data { scalars.append(codePage[byte]) }
        return String(scalars)
    }

    mutating func resetQuantity() { quantity = 1 }

    /// Commands for the mechanism, without effect on the label.
    private static let mechanismCommands = [
        "^MM": "what happens to a printed label", "^MN": "how labels are told apart", "^MT": "kind of paper",
        "^MD": "darkness", "^PR": "speed",
        "^PM": "mirror", "^LR": "reverse", "^LS": "shift", "^LT": "top", "^MU": "units", "^JM": "dots per millimetre",
        "^JU": "keep the settings",
        "^ML": "longest label", "^SD": "darkness", "^CV": "check barcodes", "^PN": "peel off", "^PF": "feed",
        "^MC": "clear the label",
        "^XB": "no feeding back", "^CN": "cut now",
    ]
}
