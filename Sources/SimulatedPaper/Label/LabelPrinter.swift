/// A label printer that understands ZPL II (Zebra, "ZPL II Programming Guide"): a picture for each format from `^XA` to
/// `^XZ`. Nothing of what it is sent can harm it: sizes, fields and events are bounded.
package struct LabelPrinter {
    let model: PaperModel
    let symbols: any SymbolSource
    let glyphs: any GlyphSource

    var log = EventLog()
    var settings = LabelSettings()
    var field = LabelField()
    var canvas = Bitmap(width: 0, height: 0)
    /// `~DG`, until the printer is switched off.
    var stored: [String: Bitmap] = [:]
    private var isInFormat = false
    /// Nothing was drawn on the canvas.
    private var isClean = false

    /// A square metre at 203 dpi is 64 million dots; a label has some.
    static let tallest = 4000
    static let widest = 4000
    private static let mostLabels = 200

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
        while let next = reader.next(), labels.count < Self.mostLabels {
            if !next.skipped.isEmpty { log.add(unknown: next.skipped, at: next.place) }
            guard let command = next.command else { continue }
            let outcome = perform(command)
            log.add(
                PaperEvent(
                    offset: command.offset,
                    kind: .command(name: command.name, parameters: Self.shown(command), meaning: outcome.meaning),
                    isFault: outcome.isFault))
            if command.name == "^XZ", isInFormat { labels.append(finish()) }
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

    private static func shown(_ command: ZPLReader.Command) -> String {
        let longest = 60
        var parameters = command.parameters.prefix(longest)
        while let last = parameters.last, last == 0x0A || last == 0x0D { parameters.removeLast() }
        let text = PaperEvent.quoted(String(decoding: parameters, as: UTF8.self)).dropFirst().dropLast()
        return command.parameters.count > longest ? text + " … (\(command.parameters.count) bytes)" : String(text)
    }

    private mutating func perform(_ command: ZPLReader.Command) -> CommandOutcome {
        switch command.name {
        case "^XA":
            isInFormat = true
            field = LabelField()
            clear()
            return "begin a label"
        case "^XZ":
            return isInFormat
                ? "print the label\(settings.quantity > 1 ? " \(settings.quantity) times" : "")"
                : .refused("no label was begun")
        case "^FX": return ""
        case "~DG": return store(command.parameters)
        default: break
        }
        if command.name.hasPrefix("~") {
            return Self.immediate[command.name].map { CommandOutcome($0) } ?? .refused("unknown")
        }
        guard isInFormat else { return .refused("outside of a label: ignored") }
        let parameters = ZPLParameters(command.parameters)
        return set(command.name, parameters) ?? beginField(command, parameters) ?? .refused("unknown")
    }

    /// What is done at once and shows nothing on a label.
    private static let immediate = [
        "~HS": "asks for its status", "~HI": "asks for its model", "~HM": "asks for its memory", "~JA": "cancel all",
        "~JC": "measure the labels",
        "~SD": "darkness", "~TA": "tear-off place", "~JS": "when to feed back", "~JR": "reset", "~PR": "reprint",
        "~PS": "go on",
    ]

    private mutating func clear() {
        if !isClean {
            canvas = Bitmap(width: min(Self.widest, model.longestPaper), height: min(Self.tallest, model.longestPaper))
        }
        isClean = true
    }

    private mutating func finish() -> PrintedPaper {
        isInFormat = false
        let ink = canvas.lastBlackRow.map { $0 + 1 } ?? 1
        let height = settings.length ?? min(Self.tallest, ink + settings.homeY)
        var picture = canvas.cropped(width: settings.width ?? model.width, height: height)
        if picture.height < height { picture.resize(height: height) }
        if settings.isUpsideDown { picture = picture.turnedUpsideDown }
        defer {
            log = EventLog()
            settings.quantity = 1
        }
        return PrintedPaper(events: log.events, picture: picture, cuts: [])
    }

    /// Puts a finished field onto the label.
    mutating func place(_ picture: Bitmap, x: Int, y: Int, isWhite: Bool = false) {
        let (x, y) = (x + settings.homeX, y + settings.homeY)
        if field.isReversed {
            canvas.draw(picture, x: x, y: y, .reversed)
        } else {
            canvas.draw(picture, x: x, y: y, isWhite ? .white : .black)
        }
        isClean = false
    }
}
