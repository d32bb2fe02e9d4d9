/// What holds from label to label.
struct LabelSettings {
    /// `^PW` and `^LL`; nil until they are said.
    var width: Int?
    var length: Int?
    /// `^LH`.
    var homeX = 0
    var homeY = 0
    /// `^FW`.
    var orientation = LabelOrientation.normal
    /// `^CF`.
    var font: (name: Character, height: Int?, width: Int?) = ("A", nil, nil)
    /// `^BY`.
    var module = 2
    var ratio = 3.0
    var barHeight = 10
    /// `^CI` 28 to 30; else text is by code page.
    var isUTF8 = false
    var codePage = CodePage.pc850
    /// `^PO`.
    var isUpsideDown = false
    var quantity = 1
}

extension LabelPrinter {
    /// Commands that set something; nil for others.
    mutating func set(_ name: String, _ parameters: ZPLParameters) -> CommandOutcome? {
        let first = parameters.number(0)
        switch name {
        case "^PW":
            settings.width = min(max(first ?? model.width, 2), Self.widest)
            return "label \(settings.width ?? 0) dots wide"
        case "^LL":
            settings.length = min(max(first ?? 1, 1), Self.tallest)
            return "label \(settings.length ?? 0) dots long"
        case "^LH":
            (settings.homeX, settings.homeY) = (max(0, first ?? 0), max(0, parameters.number(1) ?? 0))
            return "home at \(settings.homeX), \(settings.homeY)"
        case "^FW":
            guard let orientation = parameters.letter(0).flatMap(LabelOrientation.init) else {
                return .refused("no such orientation")
            }
            settings.orientation = orientation
            return "fields are \(orientation)"
        case "^CF":
            settings.font = (parameters.letter(0) ?? settings.font.name, parameters.number(1), parameters.number(2))
            return "font \(settings.font.name) where none is said"
        case "^BY":
            settings.module = min(max(first ?? settings.module, 1), 10)
            settings.ratio = min(max(parameters.decimal(1) ?? settings.ratio, 2), 3)
            settings.barHeight = max(1, parameters.number(2) ?? settings.barHeight)
            return "barcodes' modules \(settings.module) dots wide, height \(settings.barHeight)"
        case "^CI": return setEncoding(first ?? 0)
        case "^PO":
            settings.isUpsideDown = parameters.letter(0) == "I"
            return settings.isUpsideDown ? "the label is upside down" : "the label is upright"
        case "^PQ":
            settings.quantity = max(1, first ?? 1)
            return "\(settings.quantity) labels"
        default: return Self.silent[name].map { CommandOutcome($0) }
        }
    }

    private mutating func setEncoding(_ number: Int) -> CommandOutcome {
        settings.isUTF8 = (28...30).contains(number)
        switch number {
        case 28...30: return "text is UTF-8"
        case 27: settings.codePage = .wpc1252
        case 31: settings.codePage = .wpc1250
        case 33: settings.codePage = .wpc1251
        case 34: settings.codePage = .wpc1253
        case 35: settings.codePage = .wpc1254
        case 0...13: settings.codePage = .pc850
        default: return .refused("no such encoding")
        }
        return "text is \(settings.codePage.name)"
    }

    /// Settings of the mechanism, which a label doesn't show.
    private static let silent = [
        "^MM": "what happens to a printed label", "^MN": "how labels are told apart", "^MT": "kind of paper",
        "^MD": "darkness", "^PR": "speed",
        "^PM": "mirror", "^LR": "reverse", "^LS": "shift", "^LT": "top", "^MU": "units", "^JM": "dots per millimetre",
        "^JU": "keep the settings",
        "^ML": "longest label", "^SD": "darkness", "^CV": "check barcodes", "^PN": "peel off", "^PF": "feed",
        "^MC": "clear the label",
        "^XB": "no feeding back", "^CN": "cut now",
    ]
}
