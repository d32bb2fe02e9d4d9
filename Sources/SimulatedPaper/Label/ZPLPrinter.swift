/// A label printer that understands ZPL II (Zebra, "ZPL II Programming Guide"). It prints a picture for each format
/// from `^XA` to `^XZ`. No input can harm it: sizes, fields and events are bounded.
package struct ZPLPrinter {
    private let model: PaperModel
    private let symbols: any SymbolSource
    private let glyphs: any GlyphSource

    private var log = EventLog()
    private var settings = LabelSettings()
    private var graphics = LabelGraphics()
    private var field = LabelField()
    private var canvas = Bitmap(width: 0, height: 0)
    private var isInFormat = false
    /// Whether nothing was drawn on the canvas.
    private var isClean = false

    /// The largest label, in dots: half a metre at 203 dpi.
    static let maximumHeight = 4000
    static let maximumWidth = 4000
    private static let maximumLabels = 200

    package init(_ model: PaperModel, glyphs: any GlyphSource, symbols: any SymbolSource) {
        self.model = model
        self.glyphs = glyphs
        self.symbols = symbols
    }

    package mutating func print(_ bytes: [UInt8]) -> [PrintedPaper] {
        var reader = ZPLReader(bytes)
        var labels: [PrintedPaper] = []
        settings = LabelSettings()
        log = EventLog()
        isInFormat = false
        while let next = reader.next(), labels.count < Self.maximumLabels {
            if !next.skipped.isEmpty { log.add(unknown: next.skipped, at: next.offset) }
            guard let command = next.command else { continue }
            let outcome = perform(command)
            log.add(
                PaperEvent(
                    offset: command.offset,
                    kind: .command(name: command.name, parameters: Self.shown(command), meaning: outcome.meaning),
                    isFault: outcome.isFault))
            if command.name == "^XZ", isInFormat { labels.append(finishLabel()) }
        }
        if isInFormat {
            log.add(
                PaperEvent(
                    offset: bytes.count,
                    kind: .command(name: "", parameters: "", meaning: "a label without its end isn't printed"),
                    isFault: true))
        }
        if !log.events.isEmpty {
            labels.append(PrintedPaper(events: log.events, picture: Bitmap(width: 1, height: 1), cuts: []))
        }
        return labels
    }

    /// The parameters in the dump.
    private static func shown(_ command: ZPLReader.Command) -> String {
        let maximum = 60
        var parameters = command.parameters.prefix(maximum)
        while let last = parameters.last, last == 0x0A || last == 0x0D { parameters.removeLast() }
        let text = PaperEvent.quoted(String(decoding: parameters, as: UTF8.self)).dropFirst().dropLast()
        return command.parameters.count > maximum ? text + " … (\(command.parameters.count) bytes)" : String(text)
    }

    private mutating func perform(_ command: ZPLReader.Command) -> CommandOutcome {
        switch command.name {
        case "^XA":
            isInFormat = true
            field = LabelField()
            clearCanvas()
            return "begin a label"
        case "^XZ":
            return isInFormat
                ? "print the label\(settings.quantity > 1 ? " \(settings.quantity) times" : "")"
                : .refused("no label was begun")
        case "^FX": return ""
        case "~DG": return graphics.store(command.parameters)
        default: break
        }
        if command.name.hasPrefix("~") {
            return Self.immediateCommands[command.name].map { CommandOutcome($0) } ?? .refused("unknown")
        }
        guard isInFormat else { return .refused("outside of a label: ignored") }
        let parameters = ZPLParameters(command.parameters)
        return settings.perform(command.name, parameters, model) ?? performField(command, parameters)
            ?? .refused("unknown")
    }

    /// Commands that are carried out at once, without effect on a label.
    private static let immediateCommands = [
        "~HS": "asks for its status", "~HI": "asks for its model", "~HM": "asks for its memory", "~JA": "cancel all",
        "~JC": "measure the labels",
        "~SD": "darkness", "~TA": "tear-off place", "~JS": "when to feed back", "~JR": "reset", "~PR": "reprint",
        "~PS": "go on",
    ]

    private mutating func clearCanvas() {
        if !isClean {
            canvas = Bitmap(
                width: min(Self.maximumWidth, model.maximumPaperLength),
                height: min(Self.maximumHeight, model.maximumPaperLength))
        }
        isClean = true
    }

    private mutating func finishLabel() -> PrintedPaper {
        isInFormat = false
        let ink = canvas.lastBlackRow.map { $0 + 1 } ?? 1
        let height = settings.length ?? min(Self.maximumHeight, ink + settings.homeY)
        var picture = canvas.cropped(width: settings.width ?? model.width, height: height)
        if picture.height < height { picture.resize(height: height) }
        if settings.isUpsideDown { picture = picture.turnedUpsideDown }
        defer {
            log = EventLog()
            settings.resetQuantity()
        }
        return PrintedPaper(events: log.events, picture: picture, cuts: [])
    }

    // MARK: - Fields

    /// Carries out a command of a field; nil for others.
    private mutating func performField(
        _ command: ZPLReader.Command, _ parameters: ZPLParameters
    ) -> CommandOutcome? {
        switch command.name {
        case "^FO", "^FT":
            field.x = max(0, parameters.number(0) ?? 0)
            field.y = max(0, parameters.number(1) ?? 0)
            field.isTypeset = command.name == "^FT"
            return "field at \(field.x), \(field.y)\(field.isTypeset ? " by its baseline" : "")"
        case "^A": return setFont(parameters)
        case "^FD", "^FV":
            field.data = command.parameters
            return ""
        case "^FH":
            field.hexadecimal = command.parameters.first ?? UInt8(ascii: "_")
            return "hexadecimal digits in the data"
        case "^FR":
            field.isReversed = true
            return "white on black, black on white"
        case "^FB":
            field.block = LabelField.Block(
                width: max(0, parameters.number(0) ?? 0), lines: min(max(1, parameters.number(1) ?? 1), 999),
                spacing: parameters.number(2) ?? 0,
                justification: parameters.letter(3) ?? "L")
            return "block \(field.block?.width ?? 0) dots wide"
        case "^FS":
            defer { field = LabelField() }
            return finishField()
        default:
            if let barcode = LabelBarcode(command.name, parameters, settings) {
                field.kind = .barcode(barcode)
                return "\(barcode.symbology.rawValue), \(barcode.orientation)"
            }
            guard let drawn = graphics.draw(command, parameters) else { return nil }
            if let kind = drawn.kind { field.kind = kind }
            return drawn.outcome
        }
    }

    /// `^Afo,h,w`.
    private mutating func setFont(_ parameters: ZPLParameters) -> CommandOutcome {
        let letters = Array((parameters.text(0) ?? "").uppercased())
        guard let name = letters.first else { return .refused("no font") }
        let orientation = letters.dropFirst().first.flatMap(LabelOrientation.init) ?? settings.orientation
        let font = LabelFont(name, orientation, height: parameters.number(1), width: parameters.number(2))
        field.kind = .text(font)
        return "font \(name), characters \(font.width)×\(font.height) dots, \(orientation)"
    }

    private mutating func finishField() -> CommandOutcome {
        if case .picture(let picture, let isWhite)? = field.kind {
            let top = field.isTypeset ? field.y - picture.height : field.y
            place(picture, x: field.x, y: top, isWhite: isWhite)
            return ""
        }
        guard let data = field.decodedData else { return "" }
        if case .barcode(let barcode)? = field.kind { return draw(barcode, data) }
        var font = LabelFont(
            settings.font.name, settings.orientation, height: settings.font.height, width: settings.font.width)
        if case .text(let chosen)? = field.kind { font = chosen }
        let text = settings.text(data)
        draw(text, font)
        return CommandOutcome("text \(PaperEvent.quoted(text))")
    }

    private mutating func draw(_ barcode: LabelBarcode, _ data: [UInt8]) -> CommandOutcome {
        let description = "\(barcode.symbology.rawValue) \(PaperEvent.quoted(String(decoding: data, as: UTF8.self)))"
        do {
            let (picture, ascent) = try barcode.picture(data, symbols, glyphs)
            guard picture.width <= Self.maximumWidth, picture.height <= Self.maximumHeight else {
                return .refused("\(description): too large")
            }
            placeTurned(picture, barcode.orientation, ascent: ascent)
            return "\(description), \(picture.width)×\(picture.height) dots"
        } catch {
            return .refused("\(description): \(error.reason)")
        }
    }

    private mutating func draw(_ text: String, _ font: LabelFont) {
        let lines = field.block.map { $0.wrapped(text, font) } ?? [text.unicodeScalars.map(\.self)]
        let rowHeight = font.height + max(-font.height + 1, field.block?.spacing ?? 0)
        let widest = field.block?.width ?? (lines.map(\.count).max() ?? 0) * font.width
        var picture = Bitmap(
            width: min(widest, Self.maximumWidth),
            height: min(rowHeight * (lines.count - 1) + font.height, Self.maximumHeight))
        for (row, line) in lines.enumerated() {
            let free = max(0, picture.width - line.count * font.width)
            let start =
                switch field.block?.justification {
                case "C": free / 2;
                case "R": free;
                default: 0
                }
            for (column, scalar) in line.enumerated() where start + column * font.width < picture.width {
                picture.draw(font.glyph(scalar, glyphs), x: start + column * font.width, y: row * rowHeight)
            }
        }
        placeTurned(picture, font.orientation, ascent: font.ascent)
    }

    /// Places a picture by its upper left corner, or by its baseline.
    private mutating func placeTurned(_ picture: Bitmap, _ orientation: LabelOrientation, ascent: Int) {
        let turned = picture.turned(quarters: orientation.quarters)
        var (x, y) = (field.x, field.y)
        if field.isTypeset {
            switch orientation {
            case .normal: y -= ascent
            case .clockwise: x -= picture.height - ascent
            case .inverted: (x, y) = (x - turned.width, y - (picture.height - ascent))
            case .upwards: (x, y) = (x - ascent, y - turned.height)
            }
        }
        place(turned, x: x, y: y)
    }

    /// Draws a finished field onto the label.
    private mutating func place(_ picture: Bitmap, x: Int, y: Int, isWhite: Bool = false) {
        let (x, y) = (x + settings.homeX, y + settings.homeY)
        if field.isReversed {
            canvas.draw(picture, x: x, y: y, .reversed)
        } else {
            canvas.draw(picture, x: x, y: y, isWhite ? .white : .black)
        }
        isClean = false
    }
}
