import PrintModel

/// Says a layout in ESC/POS, and no more than the printer needs to hear: what is set already is not set again.
struct EscPosEncoder {
    let printer: EscPosPrinter
    let painter: LinePainter
    let drawn: Drawn
    private(set) var commands: [EscPosCommand] = []
    private let native: NativeLines
    private var line = 0
    var speech: NativeSpeech
    /// Drawers that were kicked: each once.
    private var kicked: Set<Int> = []
    /// What the printer is known to have on; nil where a raw command may have changed it.
    var font: UInt8?
    var emphasis: Bool?
    var underline: Bool?
    var invert: Bool?
    var scale: TextStyle?
    private var spacing: Int?
    private var justification: HorizontalAlignment?

    init(
        _ layout: ReceiptLayout, _ printer: EscPosPrinter, _ native: NativeLines, _ drawn: Drawn, _ dithering: Dithering
    ) {
        self.printer = printer
        self.drawn = drawn
        painter = LinePainter(paper: layout.paper, dithering: dithering)
        self.native = native
        speech = NativeSpeech(native.plan, current: printer.initialCodePage)
        commands.reserveCapacity(layout.lines.count * 4)
        commands.append(.initialize)
        if printer.isMultiByte { commands.append(.singleBytes) }
        if let unit = printer.motionUnit { commands.append(.motionUnits(unit)) }
        (font, emphasis, underline, invert, scale, justification) = (0, false, false, false, TextStyle(), .left)
    }

    func drawings(of layout: ReceiptLayout) -> Set<Drawing> {
        Set(
            zip(layout.lines, native.pieces).flatMap { line, pieces in
                isNative(line, pieces) ? [] : painter.drawings(of: line)
            })
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
            if kicked.insert(kick.connector).inserted {
                commands.append(.pulse(connector: kick.connector, milliseconds: kick.milliseconds))
            }
        case .command(let bytes):
            commands.append(.raw(bytes))
            (font, emphasis, underline, invert, scale, spacing, justification) = (nil, nil, nil, nil, nil, nil, nil)
            speech.forgetPage()
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
}
