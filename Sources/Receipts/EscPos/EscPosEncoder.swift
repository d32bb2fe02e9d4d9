/// Says a layout in ESC/POS, and no more than the printer needs to hear: what is set already is not set again.
struct EscPosEncoder {
    let printer: EscPosPrinter
    let painter: LinePainter
    let drawn: Drawn
    private(set) var commands: [EscPosCommand] = []
    private let native: NativeLines
    private var line = 0
    private var plan: CodePagePlan
    /// Characters of the plan that were said: all but ASCII.
    private var said = 0
    /// Drawers that were kicked: each once.
    private var kicked: Set<Int> = []
    /// What the printer is known to have on; nil where a raw command may have changed it.
    private var font: UInt8?
    private var emphasis: Bool?
    private var underline: Bool?
    private var invert: Bool?
    private var scale: TextStyle?
    private var spacing: Int?
    private var justification: HorizontalAlignment?
    /// The code page that the plan is at, and whether the printer is.
    private var page: CodePage?
    private var isPageSet = true

    init(_ layout: ReceiptLayout, _ printer: EscPosPrinter, _ drawn: Drawn, _ dithering: Dithering) throws(ReceiptError) {
        self.printer = printer
        self.drawn = drawn
        painter = LinePainter(paper: layout.paper, dithering: dithering)
        let pages = CodePage.allCases.filter { printer.codePages[$0] != nil }
        native = try NativeLines(layout, pages: pages, current: printer.initialCodePage, largest: TextStyle.scales.upperBound)
        plan = native.plan
        page = printer.initialCodePage
        commands = [.initialize]
        if let unit = printer.motionUnit { commands.append(.motionUnits(unit)) }
        (font, emphasis, underline, invert, scale, justification) = (0, false, false, false, TextStyle(), .left)
    }

    func drawings(of layout: ReceiptLayout) -> Set<Drawing> {
        Set(zip(layout.lines, native.pieces).flatMap { line, pieces in isNative(line, pieces) ? [] : painter.drawings(of: line) })
    }

    private func isNative(_ line: LayoutLine, _ pieces: [NativePiece]?) -> Bool {
        switch line.content {
        case .text: pieces != nil
        case .code(let code): printer.symbologies.contains(code.code.symbology)
        case .image: false
        case .feed, .cut, .drawer, .command: true
        }
    }

    /// The layout's lines in their order.
    mutating func add(_ line: LayoutLine) throws(ReceiptError) {
        defer { self.line += 1 }
        let pieces = native.pieces[self.line]
        guard isNative(line, pieces) else { return try addDrawn(line) }
        switch line.content {
        case .text(let text): add(text, pieces ?? [], height: line.height)
        case .code(let code): add(code)
        case .image: break
        case .feed: feed(line.height)
        case .cut(let mode): cut(mode)
        case .drawer(let kick):
            if kicked.insert(kick.connector).inserted { commands.append(.pulse(connector: kick.connector, milliseconds: kick.milliseconds)) }
        case .command(let bytes):
            commands.append(.raw(bytes))
            (font, emphasis, underline, invert, scale, spacing, justification) = (nil, nil, nil, nil, nil, nil, nil)
            isPageSet = false
        }
    }

    mutating func append(_ command: EscPosCommand) { commands.append(command) }

    /// One byte says how far.
    private static let longestFeed = 255

    mutating func feed(_ dots: Int) {
        var rest = dots
        while rest > 0 {
            commands.append(.feed(dots: min(rest, Self.longestFeed)))
            rest -= Self.longestFeed
        }
    }

    /// A printer without this cut does the other one; one without a cutter feeds to where paper is torn off.
    private mutating func cut(_ mode: CutMode) {
        let others: [CutMode] = mode == .full ? [.full, .partial] : [.partial, .full]
        if mode != .feed, let mode = others.first(where: printer.cuts.contains) {
            commands.append(.cut(mode))
        } else {
            feed(printer.tearFeed)
        }
    }

    mutating func justify(_ alignment: HorizontalAlignment) {
        guard justification != alignment else { return }
        justification = alignment
        commands.append(.justify(alignment))
    }

    /// Says how far a line feed goes; what is beyond a byte has to be fed by itself, and is returned.
    mutating func space(_ height: Int) -> Int {
        let step = min(height, Self.longestFeed)
        if spacing != step {
            spacing = step
            commands.append(.lineSpacing(step))
        }
        return height - step
    }

    private mutating func add(_ line: TextLine, _ pieces: [NativePiece], height: Int) {
        justify(.left)
        let width = printer.paper.cell(of: line.font).width
        let rest = space(height)
        var position = 0
        for piece in pieces {
            select(line.font, piece.style)
            let start = piece.column * width
            if start != position { commands.append(.position(start)) }
            say(piece.text)
            position = start + piece.width * width
        }
        commands.append(.lineFeed)
        feed(rest)
    }

    private mutating func select(_ font: ReceiptFont, _ style: TextStyle) {
        let number: UInt8 = font == .b && printer.paper.fontB != nil ? 1 : 0
        if self.font != number { commands.append(.font(number)) }
        if emphasis != style.emphasis { commands.append(.emphasis(style.emphasis)) }
        if underline != style.underline { commands.append(.underline(style.underline)) }
        if invert != style.invert { commands.append(.invert(style.invert)) }
        let plain = TextStyle(width: style.width, height: style.height)
        if scale != plain { commands.append(.scale(width: style.width, height: style.height)) }
        (self.font, emphasis, underline, invert, scale) = (number, style.emphasis, style.underline, style.invert, plain)
    }

    private mutating func say(_ text: NativePiece.Text) {
        switch text {
        case .ascii(let text):
            if !isPageSet { select(page) }
            commands.append(.text(Array(text.utf8), text))
        case .other(let characters): say(characters)
        }
    }

    /// Switches the code page where the plan says so.
    private mutating func say(_ characters: [Character]) {
        var (bytes, shown): ([UInt8], String) = ([], "")
        for character in characters {
            if let next = plan.page(at: said) { (page, isPageSet) = (next, false) }
            if !isPageSet {
                if !bytes.isEmpty { commands.append(.text(bytes, shown)) }
                (bytes, shown) = ([], "")
                select(page)
            }
            said += 1
            bytes += (page ?? .cp437).bytes(of: character) ?? []
            shown.append(character)
        }
        commands.append(.text(bytes, shown))
    }

    private mutating func select(_ page: CodePage?) {
        if let page, let number = printer.codePages[page] { commands.append(.codePage(number, page)) }
        isPageSet = true
    }
}
