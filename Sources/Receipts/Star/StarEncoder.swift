import PrintModel

/// Says a layout in Star's commands, and no more than the printer needs to hear.
struct StarEncoder {
    let printer: StarPrinter
    let painter: LinePainter
    let drawn: Drawn
    private(set) var steps: [EncodedStep] = []
    private let native: NativeLines
    private var line = 0
    private var speech: NativeSpeech
    /// Drawers that were kicked: each once.
    private var kicked: Set<Int> = []
    /// What the printer is known to have on; nil where a raw command may have changed it.
    private var style: TextStyle?
    private var font: ReceiptFont?
    private var justification: HorizontalAlignment?
    var isInRasterMode = false

    init(_ layout: ReceiptLayout, _ printer: StarPrinter, _ drawn: Drawn, _ dithering: Dithering) throws(ReceiptError) {
        self.printer = printer
        self.drawn = drawn
        painter = LinePainter(paper: layout.paper, dithering: dithering)
        let pages = CodePage.allCases.filter { printer.codePages[$0] != nil }
        native = try NativeLines(
            layout, pages: pages, current: printer.initialCodePage,
            largest: printer.hasText ? StarPrinter.largestScale : 0)
        speech = NativeSpeech(native.plan, current: printer.initialCodePage)
        steps = [EncodedStep([0x1B, 0x40], "ESC @")]
        (style, font, justification) = (TextStyle(), .a, .left)
    }

    func drawings(of layout: ReceiptLayout) -> Set<Drawing> {
        Set(
            zip(layout.lines, native.pieces).flatMap { line, pieces in
                isNative(line, pieces) ? [] : painter.drawings(of: line)
            })
    }

    private func isNative(_ line: LayoutLine, _ pieces: [NativePiece]?) -> Bool {
        switch line.content {
        case .text: printer.hasText && pieces != nil
        case .code(let code): isNative(code)
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
        case .drawer(let kick): if kicked.insert(kick.connector).inserted { self.kick(kick) }
        case .command(let bytes):
            leaveRasterMode()
            append(EncodedStep(raw: bytes))
            (style, font, justification) = (nil, nil, nil)
            speech.forgetPage()
        }
    }

    mutating func finish() { leaveRasterMode() }

    mutating func append(_ step: EncodedStep) { steps.append(step) }

    mutating func justify(_ alignment: HorizontalAlignment) {
        guard justification != alignment else { return }
        justification = alignment
        append(
            EncodedStep(
                [0x1B, 0x1D, 0x61, alignment == .left ? 0 : alignment == .center ? 1 : 2],
                "ESC GS a \(alignment.rawValue)"))
    }

    private mutating func add(_ line: TextLine, _ pieces: [NativePiece], height: Int) {
        leaveRasterMode()
        justify(.left)
        let width = printer.paper.cell(of: line.font).width
        var position = 0
        for piece in pieces {
            select(line.font, piece.style)
            let start = piece.column * width
            if start != position {
                append(
                    EncodedStep(
                        [0x1B, 0x1D, 0x41, UInt8(truncatingIfNeeded: start), UInt8(clamping: start >> 8)],
                        "ESC GS A \(start)"))
            }
            say(piece)
            position = start + piece.width * width
        }
        feed(height)
    }

    private mutating func select(_ font: ReceiptFont, _ style: TextStyle) {
        let font: ReceiptFont = printer.paper.fontB == nil ? .a : font
        if self.font != font {
            append(EncodedStep([0x1B, 0x1E, 0x46, font == .b ? 1 : 0], "ESC RS F \(font == .b ? 1 : 0)"))
        }
        if self.style?.emphasis != style.emphasis {
            append(style.emphasis ? EncodedStep([0x1B, 0x45], "ESC E") : EncodedStep([0x1B, 0x46], "ESC F"))
        }
        if self.style?.underline != style.underline {
            append(EncodedStep([0x1B, 0x2D, style.underline ? 1 : 0], "ESC - \(style.underline ? 1 : 0)"))
        }
        if self.style?.invert != style.invert {
            append(style.invert ? EncodedStep([0x1B, 0x34], "ESC 4") : EncodedStep([0x1B, 0x35], "ESC 5"))
        }
        if self.style?.width != style.width || self.style?.height != style.height {
            append(
                EncodedStep(
                    [0x1B, 0x69, UInt8(clamping: style.height - 1), UInt8(clamping: style.width - 1)],
                    "ESC i \(style.width)×\(style.height)"))
        }
        (self.font, self.style) = (font, style)
    }

    private mutating func say(_ piece: NativePiece) {
        for word in speech.say(piece) {
            switch word {
            case .page(let page):
                guard let number = printer.codePages[page] else { break }
                append(EncodedStep([0x1B, 0x1D, 0x74, number], "ESC GS t \(number)  \(page.name)"))
            case .text(let bytes, let shown): append(EncodedStep(bytes, "\"\(shown)\""))
            }
        }
    }
}
