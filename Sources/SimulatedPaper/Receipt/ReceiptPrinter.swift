/// A receipt printer that understands ESC/POS, as in Epson's "ESC/POS Command Reference", or Star Line Mode and
/// StarPRNT, as in Star's "Command Specifications". It turns bytes into paper and a list of events. Its memory for
/// graphics lasts from one call to the next; everything else begins anew, as after a power cycle.
///
/// No input can harm it: paper, events and memory are bounded, and a command whose bytes never come is listed as cut
/// short.
package struct ReceiptPrinter {
    /// `escPOS` or `star`.
    private let language: PaperLanguage
    let model: PaperModel
    let symbols: any SymbolSource
    private let wideText: any WideTextDecoder
    private var painter: GlyphPainter

    /// The settings of commands.
    var state = ReceiptState()
    /// The stored pictures.
    var memory = GraphicsMemory()

    private var roll: PaperRoll
    private var log = EventLog()
    /// The items of the current line, which is not printed yet.
    private var line: [LineItem] = []
    /// The position of the next character, from the left margin.
    private(set) var column = 0
    /// The page that is composed in page mode.
    private var page: PageCanvas?
    /// The offset of the command or character that is being read.
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
        while !reader.isAtEnd { readNext(&reader) }
        if !line.isEmpty { addFault("the last line is never printed: no line feed follows") }
        if page != nil { addFault("the page is never printed") }
        if roll.isTooLong {
            addFault("the paper is longer than \(model.maximumPaperLength) dots; the rest isn't drawn")
        }
        log.endText()
        return PrintedPaper(events: log.events, picture: roll.picture(), cuts: roll.cuts, red: roll.redPicture())
    }

    /// Carries out `ESC @`.
    mutating func initialize() -> CommandOutcome {
        let isLost = !line.isEmpty
        reset()
        return CommandOutcome("initialize" + (isLost ? "; the unprinted line is lost" : ""), isFault: isLost)
    }

    /// Restores the state after power-on.
    private mutating func reset() {
        clearLine()
        page = nil
        state = ReceiptState(model, language)
        memory.clearWorkingMemory()
    }

    // MARK: - Reading

    private var table: ReceiptCommandTable {
        language != .star ? .escPOS : state.raster == nil ? .star : .starRaster
    }

    private mutating func readNext(_ reader: inout ByteReader) {
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
            // A printer that does not know the command skips two bytes and prints what follows as text.
            reader.skip(1)
            log.add(unknown: [byte, next], at: offset)
        } else {
            log.add(unknown: [byte], at: offset)
        }
    }

    private mutating func readText(_ first: UInt8, _ reader: inout ByteReader) {
        if let picture = state.userCharacters.picture(first, state.style.font) {
            // U+FFFC stands for what is no character.
            log.add(text: "\u{FFFC}", at: offset)
            let font = state.style.font
            let style = state.printedStyle(isInPageMode: isInPageMode)
            return place(painter.cell(picture, style, cell: font), descent: font.descent, style)
        }
        let (scalar, isWide) = state.decode(first, &reader, wideText: wideText)
        log.add(text: scalar, at: offset)
        place(scalar, isWide: isWide)
    }

    /// Logs a fault that no command caused.
    private mutating func addFault(_ meaning: String) {
        log.add(
            PaperEvent(offset: offset, kind: .command(name: "", parameters: "", meaning: meaning), isFault: true))
    }

    // MARK: - The line

    /// Dots from the left margin to the end of the printable area.
    var areaWidth: Int { page?.width ?? min(state.areaWidth, max(0, model.width - state.leftMargin)) }

    /// Whether the line is empty, which some commands require.
    var isAtLineStart: Bool { line.isEmpty && column == 0 }

    /// Whether a picture may be printed now: at the start of a line, or anywhere on a page.
    var acceptsPicture: Bool { isAtLineStart || page != nil }

    /// Dots of so many horizontal motion units.
    func across(_ units: Int) -> Int { units * model.dotsPerInch / max(1, state.horizontalUnits) }

    /// Dots of so many vertical motion units.
    func down(_ units: Int) -> Int { units * model.dotsPerInch / max(1, state.verticalUnits) }

    /// The cell of a character in a style.
    mutating func cell(_ scalar: Unicode.Scalar, _ style: TextStyle, font: PrinterFont) -> Bitmap {
        painter.cell(scalar, style, cell: font)
    }

    /// Places a character at the current position; where it does not fit, the line is printed first.
    private mutating func place(_ scalar: Unicode.Scalar, isWide: Bool) {
        var style = state.printedStyle(isInPageMode: isInPageMode)
        var font = style.font
        if isWide {
            font = .kanji
            style.spacing = state.kanjiSpacing.right
            if let underline = state.kanjiUnderline { style.underline = underline }
            column += state.kanjiSpacing.left * style.widthScale
        }
        place(cell(scalar, style, font: font), descent: font.descent, style)
    }

    private mutating func place(_ cell: Bitmap, descent: Int, _ style: TextStyle) {
        if column + cell.width > areaWidth, column > 0 { printLine(feeding: state.lineSpacing) }
        add(cell, descent: descent * style.heightScale)
    }

    /// Places a picture at the current position, and moves the position behind it.
    mutating func add(_ picture: Bitmap, descent: Int) {
        let room = max(0, areaWidth - column)
        let visible = picture.cropped(width: room, height: picture.height)
        if visible.width > 0 {
            line.append(LineItem(x: column, picture: visible, descent: descent, isRed: state.isRed))
        }
        column = min(areaWidth, column + picture.width)
    }

    mutating func clearLine() {
        line = []
        column = 0
    }

    /// Moves to the next tab stop (`HT`).
    mutating func moveToTabStop() -> CommandOutcome {
        guard let stop = state.tabs.first(where: { $0 > column }) else {
            return .refused("no further tab stop: ignored")
        }
        // Beyond the end, the next character begins the next line.
        column = min(stop, areaWidth)
        return "to \(column)"
    }

    /// Moves to a position on the line. `description` begins the event's meaning.
    mutating func move(to position: Int, _ description: String) -> CommandOutcome {
        guard position >= 0, position <= areaWidth else {
            return .refused("\(description)to \(position): outside the print area, ignored")
        }
        column = position
        return "\(description)to \(position)"
    }

    /// Prints the line and feeds so many dots, but at least the line's height.
    mutating func printLine(feeding rows: Int) {
        let ascent = line.reduce(0) { max($0, $1.ascent) }
        let descent = line.reduce(0) { max($0, $1.descent) }
        if page != nil {
            page?.print(line, feeding: max(0, rows))
        } else {
            for isRed in [false, true] where line.contains(where: { $0.isRed == isRed }) {
                roll.draw(
                    linePicture(ascent: ascent, descent: descent, isRed: isRed), x: state.leftMargin, isRed: isRed)
            }
            roll.feed(max(rows, ascent + descent))
        }
        clearLine()
    }

    /// The items of a line in one colour.
    private func linePicture(ascent: Int, descent: Int, isRed: Bool) -> Bitmap {
        var picture = Bitmap(width: areaWidth, height: ascent + descent)
        let end = line.reduce(column) { max($0, $1.x + $1.picture.width) }
        let start = state.justification.start(of: end, in: areaWidth)
        for item in line where item.isRed == isRed {
            picture.draw(item.picture, x: start + item.x, y: ascent - item.ascent)
        }
        return state.isUpsideDown ? picture.turnedUpsideDown : picture
    }

    /// Prints a picture that does not belong to a line, such as a logo or a barcode. The paper is fed by its height,
    /// whatever the line spacing is. `red` is a second plane of the same size. `isTurned`: in upside-down mode it is
    /// turned as lines are, which raster graphics are not (Epson, ESC {).
    mutating func printPicture(_ picture: Bitmap, red: Bitmap? = nil, isTurned: Bool = true) {
        let visible = picture.cropped(width: areaWidth, height: model.maximumPaperLength)
        if page != nil {
            page?.place(visible, x: column)
            if let red = red?.cropped(width: areaWidth, height: model.maximumPaperLength) {
                page?.place(red, x: column)
            }
            column = min(areaWidth, column + visible.width)
        } else {
            let isTurned = isTurned && state.isUpsideDown
            let offset = state.justification.start(of: visible.width, in: areaWidth)
            let start = state.leftMargin + (isTurned ? areaWidth - offset - visible.width : offset)
            roll.draw(isTurned ? visible.turnedUpsideDown : visible, x: start, isRed: state.isRed)
            if let red = red?.cropped(width: areaWidth, height: model.maximumPaperLength) {
                roll.draw(isTurned ? red.turnedUpsideDown : red, x: start, isRed: true)
            }
            roll.feed(visible.height)
        }
    }

    // MARK: - The paper

    mutating func feed(_ rows: Int) { roll.feed(rows) }

    mutating func feedBack(_ rows: Int) { roll.reverse(rows) }

    /// Draws a row of raster graphics at the current position of the paper.
    mutating func drawRow(_ row: Bitmap, x: Int) { roll.draw(row, x: x, isRed: state.raster?.isRed == true) }

    /// Cuts at the current position of the cutter, which may be within the last printed lines.
    mutating func cutHere(isPartial: Bool) -> CommandOutcome {
        guard page == nil else { return .refused("not in page mode") }
        guard line.isEmpty else { return .refused("amid a line: no cut") }
        let cut = roll.cut(isPartial: isPartial)
        return "\(isPartial ? "partial" : "full") cut at row \(cut.row)"
    }

    /// Feeds the last printed line past the cutter, and so many dots more, and cuts.
    mutating func cut(after rows: Int, isPartial: Bool) -> CommandOutcome {
        guard page == nil else { return .refused("not in page mode") }
        guard line.isEmpty else { return .refused("amid a line: no cut") }
        roll.feed(model.cutterDistance + rows)
        let cut = roll.cut(isPartial: isPartial)
        return "feed past the blade and \(rows) dots more, \(isPartial ? "partial" : "full") cut at row \(cut.row)"
    }

    // MARK: - Page mode

    var isInPageMode: Bool { page != nil }

    mutating func beginPage() {
        page = PageCanvas(model)
        if language == .escPOS { exchangeSpaces() }
    }

    /// Changes to the spaces of the other mode. Those of page mode are as at first until they are set.
    private mutating func exchangeSpaces() {
        let now = ReceiptState.Spaces(
            spacing: state.style.spacing, kanjiSpacing: state.kanjiSpacing, lineSpacing: state.lineSpacing)
        let other = state.otherSpaces ?? ReceiptState.Spaces(lineSpacing: model.lineSpacing)
        (state.style.spacing, state.kanjiSpacing, state.lineSpacing) = (
            other.spacing, other.kanjiSpacing, other.lineSpacing
        )
        state.otherSpaces = now
    }

    /// Returns to standard mode; the page is dropped.
    mutating func endPage() {
        if page != nil, language == .escPOS { exchangeSpaces() }
        page = nil
    }

    mutating func clearPage() {
        page?.clear()
        clearLine()
    }

    /// Prints the page, which remains for another print.
    mutating func printPage() {
        endPageLine()
        guard let picture = page?.finished() else { return }
        roll.draw(picture, x: 0)
        roll.feed(picture.height)
    }

    mutating func turnPage(to direction: PageCanvas.Direction) {
        endPageLine()
        page?.turn(to: direction)
    }

    /// Returns false where the area is outside the page.
    mutating func setPageArea(x: Int, y: Int, width: Int, height: Int) -> Bool {
        endPageLine()
        return page?.setArea(x: x, y: y, width: width, height: height) == true
    }

    /// Moves the baseline to the position that `position` returns for the current one.
    mutating func movePageBaseline(to position: (Int) -> Int) -> CommandOutcome {
        guard let page else { return .refused("not in page mode") }
        let baseline = position(page.baseline)
        guard (0...page.height).contains(baseline) else { return .refused("to \(baseline): outside the area, ignored") }
        let column = column
        endPageLine()
        self.column = column
        self.page?.baseline = baseline
        return "baseline at \(baseline)"
    }

    /// Draws a line of page mode; a refusal where it is not within the area.
    mutating func drawPageLine(
        from start: (x: Int, y: Int), to end: (x: Int, y: Int), thickness: Int
    ) -> Bool { page?.drawLine(from: start, to: end, thickness: thickness) == true }

    /// Draws the line's items where they are; the next line would be below.
    private mutating func endPageLine() { printLine(feeding: 0) }
}
