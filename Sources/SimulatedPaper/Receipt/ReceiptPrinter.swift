/// A receipt printer that understands ESC/POS, as Epson's "ESC/POS Command Reference" describes it, or Star Line Mode
/// and StarPRNT, by Star's "Command Specifications": bytes in, paper and a list of what it read out. Its memory for
/// graphics lasts from one call to the next, all else begins anew, as after a power cycle.
///
/// Nothing of what it is sent can harm it: paper, events and memory are bounded, and a command whose bytes never come
/// is listed as cut short.
package struct ReceiptPrinter {
    /// `escPOS` or `star`.
    let language: PaperLanguage
    let model: PaperModel
    let symbols: any SymbolSource
    let wideText: any WideTextDecoder
    var painter: GlyphPainter
    var memory = GraphicsMemory()

    var roll: PaperRoll
    var log = EventLog()
    var state = ReceiptState()
    /// What was placed on the line that isn't printed yet.
    var line: [LineItem] = []
    /// Where the next character goes, from the left margin.
    var column = 0
    /// The page that is composed in page mode.
    var page: PageCanvas?
    /// The first byte of what is read now.
    private var offset = 0

    package init(
        _ language: PaperLanguage, _ model: PaperModel, glyphs: any GlyphSource, symbols: any SymbolSource,
        wideText: any WideTextDecoder
    ) {
        self.language = language
        self.model = model
        self.symbols = symbols
        self.wideText = wideText
        painter = GlyphPainter(glyphs)
        roll = PaperRoll(model)
        state = ReceiptState(model, language)
    }

    package mutating func print(_ bytes: [UInt8]) -> PrintedPaper {
        roll = PaperRoll(model)
        log = EventLog()
        reset()
        var reader = ByteReader(bytes)
        while !reader.isAtEnd { step(&reader) }
        if !line.isEmpty { note("", "the last line is never printed: no line feed follows", isFault: true) }
        if page != nil { note("", "the page is never printed", isFault: true) }
        if roll.isOver {
            note("", "the paper is longer than \(model.longestPaper) dots; the rest isn't drawn", isFault: true)
        }
        log.endText()
        return PrintedPaper(events: log.events, picture: roll.picture(), cuts: roll.cuts)
    }

    /// `ESC @`, and what a printer is like after power-on.
    mutating func reset() {
        line = []
        column = 0
        page = nil
        state = ReceiptState(model, language)
        memory.forgetWorkingMemory()
    }

    private var table: ReceiptCommandTable {
        language != .star ? .escPOS : state.raster == nil ? .star : .starRaster
    }

    private mutating func step(_ reader: inout ByteReader) {
        offset = reader.position
        if let command = table.next(in: &reader) {
            log.endText()
            guard let bytes = command.parameters(from: &reader) else {
                return log.add(
                    PaperEvent(
                        offset: offset,
                        kind: .command(name: command.name, parameters: "", meaning: "cut short: its bytes end here"),
                        isFault: true))
            }
            let arguments = CommandArguments(bytes[...])
            let outcome = command.action(&self, arguments)
            log.add(
                PaperEvent(
                    offset: offset,
                    kind: .command(name: command.name, parameters: arguments.description, meaning: outcome.meaning),
                    isFault: outcome.isFault))
            return
        }
        guard let byte = reader.next() else { return }
        if byte >= 0x20, byte != 0x7F || !state.isUTF8, state.raster == nil {
            readText(byte, &reader)
        } else if byte != 0, let next = reader.peek(), [0x1B, 0x1C, 0x1D, 0x10, 0x1F].contains(byte) {
            // Two bytes, and whatever follows them prints as text: as a printer does that does not know the command.
            reader.skip(1)
            log.add(unknown: [byte, next], at: offset)
        } else {
            log.add(unknown: [byte], at: offset)
        }
    }

    private mutating func readText(_ first: UInt8, _ reader: inout ByteReader) {
        let (scalar, isWide) = decode(first, &reader)
        log.add(text: scalar, at: offset)
        place(scalar, isWide: isWide)
    }

    /// Something that no byte stands for.
    mutating func note(_ name: String, _ meaning: String, isFault: Bool) {
        log.add(
            PaperEvent(offset: offset, kind: .command(name: name, parameters: "", meaning: meaning), isFault: isFault))
    }
}
