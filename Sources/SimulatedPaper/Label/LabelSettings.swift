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
    /// `^PM`: the label is mirrored. `^LR`: fields are reversed.
    private(set) var isMirrored = false
    private(set) var isReversed = false
    /// The shift of the whole label to the left and down (`^LS`, `^LT`).
    private(set) var shift = (left: 0, down: 0)
    private(set) var quantity = 1
    /// The names of fonts that stand for downloaded ones (`^CW`).
    private var assignedFonts: [Character: String] = [:]

    /// Carries out a command that sets something; nil for others.
    mutating func perform(_ name: String, _ parameters: ZPLParameters, _ model: PaperModel) -> CommandOutcome? {
        // Read only where it is a number.
        var first: Int? { parameters.number(0) }
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
            let remark = substitution(for: font.name)
            return CommandOutcome(
                "font \(font.name) where none is said\(remark.map { "; \($0)" } ?? "")", isFault: remark != nil)
        case "^CW":
            guard let name = parameters.letter(0), let file = parameters.text(1) else { return .refused("no font") }
            assignedFonts[name] = file
            return "font \(name) is \(PaperEvent.quoted(file))"
        case "^BY":
            module = min(max(first ?? module, 1), 10)
            ratio = min(max(parameters.decimal(1) ?? ratio, 2), 3)
            barHeight = max(1, parameters.number(2) ?? barHeight)
            return "barcodes' modules \(module) dots wide, height \(barHeight)"
        case "^CI": return setEncoding(first ?? 0)
        case "^PM":
            isMirrored = parameters.letter(0) == "Y"
            return isMirrored ? "the label is mirrored" : "the label is as it is"
        case "^LR":
            isReversed = parameters.letter(0) == "Y"
            return isReversed ? "fields white on black, black on white" : "fields as they are"
        case "^LS":
            shift.left = first ?? 0
            return "\(shift.left) dots to the left"
        case "^LT":
            guard let first = parameters.number(0) else { return .refused("no distance") }
            shift.down = min(max(first, -120), 120)
            return "\(shift.down) dots down"
        case "^MU":
            let isDots = parameters.letter(0).map { $0 == "D" } ?? true
            return CommandOutcome(
                isDots ? "units are dots" : "other units than dots: what follows is drawn too small",
                isFault: !isDots)
        case "^JM":
            let isWhole = parameters.letter(0) != "B"
            return CommandOutcome(
                isWhole ? "dots as the head has them" : "half as many dots per millimetre: not drawn so",
                isFault: !isWhole)
        case "^MC":
            let clears = parameters.letter(0) != "N"
            return CommandOutcome(
                clears ? "clear the label after it was printed" : "keep the label for the next one: not drawn so",
                isFault: !clears)
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

    /// What is drawn instead of a font that this printer lacks.
    func substitution(for name: Character) -> String? {
        if let file = assignedFonts[name] { return "\(PaperEvent.quoted(file)) is drawn as the scalable font" }
        return LabelFont.isResident(name) ? nil : "no such font here: drawn as the scalable one"
    }

    /// The font of a name at a size. One that was assigned is drawn as the scalable one.
    func labelFont(_ name: Character, _ orientation: LabelOrientation, height: Int?, width: Int?) -> LabelFont {
        LabelFont(assignedFonts[name] == nil ? name : "0", orientation, height: height, width: width)
    }

    mutating func resetQuantity() { quantity = 1 }

    /// Commands for the mechanism, without effect on the label.
    private static let mechanismCommands = [
        "^MM": "what happens to a printed label", "^MN": "how labels are told apart", "^MT": "kind of paper",
        "^MD": "darkness", "^PR": "speed",
        "^JU": "keep the settings",
        "^ML": "longest label", "^SD": "darkness", "^CV": "check barcodes", "^PN": "peel off", "^PF": "feed",
        "^XB": "no feeding back", "^CN": "cut now",
    ]
}
