/// A label printer that understands ZPL II (Zebra, "ZPL II Programming Guide"). It prints a picture for each format
/// from `^XA` to `^XZ`. No input can harm it: sizes, fields and events are bounded.
package struct ZPLPrinter {
    private let model: PaperModel
    private let symbols: any SymbolSource
    private let glyphs: any GlyphSource

    private var log = EventLog()
    private var settings = LabelSettings()
    private var graphics: LabelGraphics
    private var formats = LabelFormats()
    private var field = LabelField()
    /// Where the last text ended, on its baseline: `^FT` without a place goes on there.
    private var textEnd: (x: Int, y: Int)?
    /// How deep stored formats recall others; 0 is outside of them.
    private var recallDepth = 0
    private var canvas = Bitmap(width: 0, height: 0)
    private var isInFormat = false
    /// Whether nothing was drawn on the canvas.
    private var isClean = false

    /// The largest label, in dots: half a metre at 203 dpi.
    static let maximumHeight = 4000
    static let maximumWidth = 4000
    private static let maximumLabels = 200
    private static let maximumRecallDepth = 3

    package init(
        _ model: PaperModel, glyphs: any GlyphSource, symbols: any SymbolSource, unpacker: any DataUnpacker
    ) {
        self.model = model
        self.glyphs = glyphs
        self.symbols = symbols
        graphics = LabelGraphics(unpacker)
    }

    package mutating func print(_ bytes: [UInt8]) -> [PrintedPaper] {
        var reader = ZPLReader(bytes)
        var labels: [PrintedPaper] = []
        settings = LabelSettings()
        log = EventLog()
        formats.beginJob()
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
            if command.name == "^XZ", isInFormat {
                if formats.recordedName == nil {
                    labels.append(finishLabel())
                } else {
                    formats.endRecording()
                    isInFormat = false
                }
            }
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
        if let name = formats.recordedName, command.name != "^XZ" {
            return formats.record(command) ? "kept" : .refused("not kept: \(name) is too long")
        }
        switch command.name {
        case "^XA":
            isInFormat = true
            field = LabelField()
            textEnd = nil
            formats.beginLabel()
            clearCanvas()
            return "begin a label"
        case "^XZ": return endFormat()
        case "^FX": return ""
        case "~DG": return graphics.store(command)
        case "^CC", "~CC", "^CT", "~CT", "^CD", "~CD":
            let role = ["C": "begins commands of labels", "T": "begins other commands", "D": "separates parameters"]
            return command.parameters.isEmpty
                ? .refused("no character") : "the character that \(role[String(command.name.suffix(1))] ?? "")"
        default: break
        }
        if command.name.hasPrefix("~") {
            return Self.immediateCommands[command.name].map { CommandOutcome($0) } ?? .refused("unknown")
        }
        guard isInFormat else { return .refused("outside of a label: ignored") }
        let parameters = ZPLParameters(command)
        var outcome =
            settings.perform(command.name, parameters, model) ?? performFormat(command.name, parameters)
            ?? performField(command, parameters) ?? .refused("unknown")
        if !parameters.remarks.isEmpty {
            outcome = .refused(([outcome.meaning] + parameters.remarks).joined(separator: "; "))
        }
        return outcome
    }

    private mutating func endFormat() -> CommandOutcome {
        guard isInFormat else { return .refused("no label was begun") }
        if let name = formats.recordedName { return "end of \(name): kept, not printed" }
        let faults = formats.remaining().compactMap { field -> String? in
            guard field.data != nil else { return nil }
            self.field = field
            self.field.number = nil
            let outcome = finishField()
            return outcome.isFault ? outcome.meaning : nil
        }
        field = LabelField()
        let meaning = "print the label\(settings.quantity > 1 ? " \(settings.quantity) times" : "")"
        return CommandOutcome(([meaning] + faults).joined(separator: "; "), isFault: !faults.isEmpty)
    }

    /// Carries out a command of stored formats and pictures; nil for others.
    private mutating func performFormat(_ name: String, _ parameters: ZPLParameters) -> CommandOutcome? {
        let file = parameters.text(0) ?? "UNKNOWN"
        switch name {
        case "^DF": return formats.beginRecording(file)
        case "^XF":
            guard recallDepth < Self.maximumRecallDepth, let commands = formats.recall(file) else {
                return .refused("no such format was stored")
            }
            recallDepth += 1
            defer { recallDepth -= 1 }
            let faults = commands.compactMap { command -> String? in
                let outcome = perform(command)
                return outcome.isFault ? "\(command.name): \(outcome.meaning)" : nil
            }
            let meaning = "\(commands.count) stored commands"
            return CommandOutcome(([meaning] + faults.prefix(3)).joined(separator: "; "), isFault: !faults.isEmpty)
        case "^ID":
            let wasThere = graphics.delete(file)
            let wasStored = formats.delete(file)
            return CommandOutcome(
                wasThere || wasStored ? "delete \(file)" : "nothing of that name",
                isFault: !wasThere && !wasStored)
        default: return nil
        }
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
        if settings.isMirrored { picture = picture.mirrored }
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
        case "^FO":
            field.x = max(0, parameters.number(0) ?? 0)
            field.y = max(0, parameters.number(1) ?? 0)
            field.isTypeset = false
            field.isRightAligned = parameters.number(2) == 1
            return "field at \(field.x), \(field.y)\(field.isRightAligned ? " by its right edge" : "")"
        case "^FT": return setTypesetPlace(parameters)
        case "^A": return setFont(parameters)
        case "^GS":
            let orientation = parameters.letter(0).flatMap(LabelOrientation.init) ?? settings.orientation
            let font = LabelFont.symbols(
                orientation, height: parameters.number(1) ?? settings.font.height,
                width: parameters.number(2) ?? settings.font.width)
            field.kind = .symbols(font)
            return "symbols of \(font.width)×\(font.height) dots, \(orientation)"
        case "^FD", "^FV":
            field.data = command.parameters
            return ""
        case "^SN":
            field.data = Array((parameters.text(0) ?? "").utf8)
            return "a serial number: that of the first label is drawn"
        case "^FN":
            // A prompt in quotes may follow the number.
            let digits = command.parameters.prefix { (0x30...0x39).contains($0) }
            guard let number = Int(String(decoding: digits, as: UTF8.self)), number <= 9999 else {
                return .refused("no number")
            }
            field.number = number
            return "field \(number)"
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
                justification: parameters.letter(3) ?? "L", indent: max(0, parameters.number(4) ?? 0))
            return field.block?.justification == "J"
                ? .refused("block \(field.block?.width ?? 0) dots wide; its lines aren't stretched")
                : "block \(field.block?.width ?? 0) dots wide"
        case "^FS":
            defer { field = LabelField() }
            return finishField()
        default:
            if let barcode = LabelBarcode(command.name, parameters, settings) {
                field.kind = .barcode(barcode)
                let meaning = "\(barcode.symbology.rawValue), \(barcode.orientation)"
                return CommandOutcome(
                    ([meaning] + barcode.remarks).joined(separator: "; "), isFault: !barcode.remarks.isEmpty)
            }
            guard let drawn = graphics.draw(command, parameters) else { return nil }
            if let kind = drawn.kind { field.kind = kind }
            return drawn.outcome
        }
    }

    /// `^FTx,y`: the place of the baseline. What is missing is where the last text ended.
    private mutating func setTypesetPlace(_ parameters: ZPLParameters) -> CommandOutcome {
        let (x, y) = (parameters.number(0), parameters.number(1))
        field.x = max(0, x ?? textEnd?.x ?? 0)
        field.y = max(0, y ?? textEnd?.y ?? 0)
        field.isTypeset = true
        field.isRightAligned = false
        guard (x != nil && y != nil) || textEnd != nil else { return .refused("no place, and no text before it") }
        return "field at \(field.x), \(field.y) by its baseline\(x == nil || y == nil ? ", after the last text" : "")"
    }

    /// `^Afo,h,w`, and `^A@o,h,w,file`.
    private mutating func setFont(_ parameters: ZPLParameters) -> CommandOutcome {
        let letters = Array((parameters.text(0) ?? "").uppercased())
        guard let name = letters.first else { return .refused("no font") }
        let orientation = letters.dropFirst().first.flatMap(LabelOrientation.init) ?? settings.orientation
        let font = settings.labelFont(name, orientation, height: parameters.number(1), width: parameters.number(2))
        field.kind = .text(font)
        let meaning = "font \(name), characters \(font.width)×\(font.height) dots, \(orientation)"
        return settings.substitution(for: name).map { .refused("\(meaning); \($0)") } ?? CommandOutcome(meaning)
    }

    private mutating func finishField() -> CommandOutcome {
        if let number = field.number { return finishNumberedField(number) }
        return finishField(field.decodedData)
    }

    /// Ends a field with a number (`^FN`): its data may be that of another field, and may fill others.
    private mutating func finishNumberedField(_ number: Int) -> CommandOutcome {
        if recallDepth > 0 {
            return formats.wait(field, number) ? "waits for its data" : .refused("too many fields wait for their data")
        }
        guard let data = field.decodedData else {
            if let value = formats.value(number) { return finishField(value) }
            return formats.wait(field, number) ? "waits for its data" : .refused("too many fields wait for their data")
        }
        let filled = formats.fill(number, data)
        guard !filled.isEmpty else { return finishField(data) }
        let outcomes = filled.map { waiting -> CommandOutcome in
            field = waiting
            return finishField(data)
        }
        return CommandOutcome(
            outcomes.prefix(3).map(\.meaning).joined(separator: "; "), isFault: outcomes.contains(where: \.isFault))
    }

    private mutating func finishField(_ data: [UInt8]?) -> CommandOutcome {
        if case .picture(let picture, let isWhite)? = field.kind {
            let top = field.isTypeset ? field.y - picture.height : field.y
            place(picture, x: field.isRightAligned ? field.x - picture.width : field.x, y: top, isWhite: isWhite)
            return ""
        }
        guard let data else { return "" }
        if case .barcode(let barcode)? = field.kind { return draw(barcode, data) }
        if case .symbols(let font)? = field.kind { return drawSymbols(data, font) }
        var font = settings.labelFont(
            settings.font.name, settings.orientation, height: settings.font.height, width: settings.font.width)
        if case .text(let chosen)? = field.kind { font = chosen }
        let text = settings.text(data)
        let missing = draw(text, font)
        let description = "text \(PaperEvent.quoted(text))"
        return missing.isEmpty
            ? CommandOutcome(description)
            : .refused("\(description); no font here has \(PaperEvent.quoted(missing))")
    }

    /// The symbols of `^GS`: A is ®, B ©, C ™, D and E the marks of UL and CSA, which are drawn as their letters.
    private mutating func drawSymbols(_ data: [UInt8], _ font: LabelFont) -> CommandOutcome {
        let symbols = ["A": "®", "B": "©", "C": "™", "D": "UL", "E": "CSA"]
        let letters = String(decoding: data, as: UTF8.self).map(String.init)
        guard letters.allSatisfy({ symbols[$0] != nil }), !letters.isEmpty else {
            return .refused("symbols are the letters A to E")
        }
        let text = letters.compactMap { symbols[$0] }.joined()
        _ = draw(text, font)
        let isWhole = letters.allSatisfy { $0 < "D" }
        return CommandOutcome(
            "symbols \(PaperEvent.quoted(text))\(isWhole ? "" : ": marks of approval, drawn as letters")",
            isFault: !isWhole)
    }

    private mutating func draw(_ barcode: LabelBarcode, _ data: [UInt8]) -> CommandOutcome {
        let description = "\(barcode.symbology.rawValue) \(PaperEvent.quoted(String(decoding: data, as: UTF8.self)))"
        do {
            let (picture, ascent, remark) = try barcode.picture(
                data, symbols, glyphs, dotsPerInch: model.dotsPerInch)
            guard picture.width <= Self.maximumWidth, picture.height <= Self.maximumHeight else {
                return .refused("\(description): too large")
            }
            placeTurned(picture, barcode.orientation, ascent: ascent)
            return CommandOutcome(
                "\(description), \(picture.width)×\(picture.height) dots\(remark.map { "; \($0)" } ?? "")",
                isFault: remark != nil)
        } catch {
            return .refused("\(description): \(error.reason)")
        }
    }

    /// Draws the text of a field. Returns the characters that no font has.
    private mutating func draw(_ text: String, _ font: LabelFont) -> String {
        let lines = field.block.map { $0.wrapped(text, font) } ?? [text.unicodeScalars.map(\.self)]
        let rowHeight = font.height + max(-font.height + 1, field.block?.spacing ?? 0)
        let widest = field.block?.width ?? (lines.map(\.count).max() ?? 0) * font.width
        var picture = Bitmap(
            width: min(widest, Self.maximumWidth),
            height: min(rowHeight * (lines.count - 1) + font.height, Self.maximumHeight))
        var missing = String.UnicodeScalarView()
        for (row, line) in lines.enumerated() {
            let indent = row == 0 ? 0 : field.block?.indent ?? 0
            let free = max(0, picture.width - indent - line.count * font.width)
            let start =
                switch field.block?.justification {
                case "C": indent + free / 2;
                case "R": indent + free;
                default: indent
                }
            for (column, scalar) in line.enumerated() where start + column * font.width < picture.width {
                if let glyph = font.glyph(scalar, glyphs) {
                    picture.draw(glyph, x: start + column * font.width, y: row * rowHeight)
                } else if missing.count < 20 {
                    missing.append(scalar)
                }
            }
        }
        let length = (lines.last?.count ?? 0) * font.width
        let corner = placeTurned(picture, font.orientation, ascent: font.ascent)
        textEnd = end(of: picture, at: corner, font.orientation, ascent: font.ascent, length: length)
        return String(missing)
    }

    /// The end of a text's baseline, where the text's upright picture was placed turned at the corner.
    private func end(
        of picture: Bitmap, at corner: (x: Int, y: Int), _ orientation: LabelOrientation, ascent: Int, length: Int
    ) -> (x: Int, y: Int) {
        let below = picture.height - ascent
        return switch orientation {
        case .normal: (corner.x + length, corner.y + ascent)
        case .clockwise: (corner.x + below, corner.y + length)
        case .inverted: (corner.x + picture.width - length, corner.y + below)
        case .upwards: (corner.x + ascent, corner.y + picture.width - length)
        }
    }

    /// Places a picture by its upper left corner, or by its baseline. Returns the corner.
    @discardableResult
    private mutating func placeTurned(
        _ picture: Bitmap, _ orientation: LabelOrientation, ascent: Int
    ) -> (x: Int, y: Int) {
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
        if field.isRightAligned { x -= turned.width }
        place(turned, x: x, y: y)
        return (x, y)
    }

    /// Draws a finished field onto the label.
    private mutating func place(_ picture: Bitmap, x: Int, y: Int, isWhite: Bool = false) {
        let (x, y) = (x + settings.homeX - settings.shift.left, y + settings.homeY + settings.shift.down)
        if field.isReversed || settings.isReversed {
            canvas.draw(picture, x: x, y: y, .reversed)
        } else {
            canvas.draw(picture, x: x, y: y, isWhite ? .white : .black)
        }
        isClean = false
    }
}
