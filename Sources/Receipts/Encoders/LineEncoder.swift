import KioskPrintModel

/// Encodes a layout line by line in the commands of a receipt printer. It sets nothing that is set already. Lines that
/// need more than the printer's own characters and codes are sent as pictures.
struct LineEncoder<Commands: CommandSet>: Sendable {
    private let layout: ReceiptLayout
    private let commandSet: Commands
    private let native: NativeLines
    private let renderer: LineRenderer

    init(_ layout: ReceiptLayout, _ commandSet: Commands, dithering: Dithering) throws(ReceiptError) {
        let layout = commandSet.turnsLines ? layout.withLinesUpsideDown : layout
        self.layout = layout
        self.commandSet = commandSet
        let capabilities = commandSet.capabilities
        native = try NativeLines(
            layout, codePages: CodePage.allCases.filter { capabilities.codePages[$0] != nil },
            current: capabilities.initialCodePage, maximumScale: commandSet.maximumScale,
            hasThickUnderline: commandSet.hasThickUnderline)
        renderer = LineRenderer(paper: layout.paper, dithering: dithering)
    }

    /// Everything that has to be drawn because the printer has no characters or codes for it.
    var drawings: Set<Drawing> {
        var drawings: Set<Drawing> = []
        for (line, runs) in zip(layout.lines, native.runs) {
            switch line.content {
            case .text where runs == nil, .image, .turned: drawings.formUnion(renderer.drawings(of: line))
            case .code(let code) where !commandSet.prints(code): drawings.formUnion(renderer.drawings(of: line))
            case .logo(let logo) where commandSet.logo(logo.logo.name) == nil:
                drawings.formUnion(renderer.drawings(of: line))
            default: break
            }
        }
        return drawings
    }

    /// Whether a line comes out in black that is to be red.
    var losesColor: Bool {
        zip(layout.lines, native.runs).contains { line, runs in line.hasRed && (!commandSet.hasRed || runs == nil) }
            || layout.lines.contains { if case .turned = $0.content { $0.hasRed } else { false } }
    }

    /// Throws where a drawing is missing, or the printer would need a picture and takes none.
    func commands(with drawn: RenderedDrawings) throws(ReceiptError) -> [Commands.Command] {
        var output = LineOutput(
            commandSet, CodePageEncoder(native.plan, current: commandSet.capabilities.initialCodePage), renderer, drawn)
        output.reserveCapacity(lines: layout.lines.count)
        for (line, runs) in zip(layout.lines, native.runs) { try output.add(line, runs) }
        return output.finished()
    }

    /// The commands of finished dots, from the left edge of the head, and of the cut behind them.
    func commands(for matrix: DotMatrix, then cut: CutMode?) -> [Commands.Command] {
        var output = LineOutput(
            commandSet, CodePageEncoder(native.plan, current: commandSet.capabilities.initialCodePage), renderer,
            .nothing)
        output.add(matrix, then: cut)
        return output.finished()
    }
}

/// The commands so far, and the settings that they leave at the printer.
private struct LineOutput<Commands: CommandSet> {
    private let commandSet: Commands
    private let capabilities: Commands.Capabilities
    private let renderer: LineRenderer
    private let drawn: RenderedDrawings
    private var codePages: CodePageEncoder
    private var commands: [Commands.Command]
    // The printer's settings; nil where a raw command may have changed them.
    private var font: ReceiptFont? = .a
    private var style: TextStyle? = TextStyle()
    private var justification: HorizontalAlignment? = .left
    private var lineSpacing: Int?
    private var color: TextColor? = .black
    private var isUpsideDown: Bool? = false
    private var isInRasterMode = false
    /// The connectors of the drawers that are open already: each is kicked once.
    private var kicked: Set<Int> = []
    private var hasBuzzed = false

    init(_ commandSet: Commands, _ codePages: CodePageEncoder, _ renderer: LineRenderer, _ drawn: RenderedDrawings) {
        self.commandSet = commandSet
        capabilities = commandSet.capabilities
        self.renderer = renderer
        self.drawn = drawn
        self.codePages = codePages
        commands = commandSet.initialize
    }

    mutating func reserveCapacity(lines: Int) { commands.reserveCapacity(lines * 4) }

    mutating func finished() -> [Commands.Command] {
        leaveRasterMode()
        return commands
    }

    /// Adds a finished picture, and the cut behind it.
    mutating func add(_ matrix: DotMatrix, then mode: CutMode?) {
        addPicture(matrix, height: matrix.height)
        if let mode { cut(mode) }
    }

    /// Lines come in the layout's order. `runs` are a text's characters, where the printer has them all.
    mutating func add(_ line: LayoutLine, _ runs: [NativeRun]?) throws(ReceiptError) {
        if commandSet.turnsLines, line.isPrinted, isUpsideDown != line.isUpsideDown {
            isUpsideDown = line.isUpsideDown
            commands += commandSet.upsideDown(line.isUpsideDown)
        }
        switch line.content {
        case .text(let text):
            guard let runs else { return try addPicture(of: line) }
            add(text, runs, height: line.height)
        case .code(let code):
            guard commandSet.prints(code) else { return try addPicture(of: line) }
            add(code)
        case .logo(let logo):
            guard let command = commandSet.logo(logo.logo.name) else { return try addPicture(of: line) }
            leaveRasterMode()
            justify(logo.logo.alignment)
            commands.append(command)
        case .image, .turned: try addPicture(of: line)
        case .feed: feed(line.height)
        case .cut(let mode): cut(mode)
        case .drawer(let kick):
            guard kicked.insert(kick.connector).inserted else { return }
            leaveRasterMode()
            commands += commandSet.pulse(kick)
        case .buzzer(let signal):
            guard !hasBuzzed else { return }
            hasBuzzed = true
            leaveRasterMode()
            commands += commandSet.buzz(signal)
        case .command(let bytes):
            leaveRasterMode()
            commands.append(commandSet.raw(bytes))
            (font, style, justification, lineSpacing, color, isUpsideDown) = (nil, nil, nil, nil, nil, nil)
            codePages.forgetPage()
        }
    }

    /// Text in the printer's own characters, and the lines of boxes.
    private mutating func add(_ line: TextLine, _ runs: [NativeRun], height: Int) {
        leaveRasterMode()
        justify(.left)
        select(line.color)
        let cellWidth = capabilities.paper.cell(of: line.font).width
        let rest = setLineSpacing(height)
        var position = 0
        for run in runs {
            select(line.font, run.style)
            let start = run.column * cellWidth
            if start != position { commands.append(commandSet.position(start)) }
            addText(run)
            position = start + run.width * cellWidth
        }
        endLine(feeding: rest)
    }

    private mutating func select(_ color: TextColor) {
        guard commandSet.hasRed, self.color != color else { return }
        self.color = color
        commands += commandSet.color(color)
    }

    private mutating func select(_ font: ReceiptFont, _ style: TextStyle) {
        let font: ReceiptFont = capabilities.paper.fontB == nil ? .a : font
        if self.font != font { commands.append(commandSet.font(font)) }
        if self.style?.emphasis != style.emphasis { commands.append(commandSet.emphasis(style.emphasis)) }
        if self.style?.underlineThickness != style.underlineThickness {
            commands.append(commandSet.underline(style.underlineThickness))
        }
        if self.style?.invert != style.invert { commands.append(commandSet.invert(style.invert)) }
        if self.style?.width != style.width || self.style?.height != style.height {
            commands.append(commandSet.scale(width: style.width, height: style.height))
        }
        (self.font, self.style) = (font, style)
    }

    private mutating func addText(_ run: NativeRun) {
        for segment in codePages.encode(run) {
            switch segment {
            case .codePage(let page):
                guard let number = capabilities.codePages[page] else { continue }
                commands.append(commandSet.codePage(number, page))
            case .text(let bytes, let text): commands.append(commandSet.text(bytes, text))
            }
        }
    }

    private mutating func justify(_ alignment: HorizontalAlignment) {
        guard justification != alignment else { return }
        justification = alignment
        commands.append(commandSet.justification(alignment))
    }

    /// Sets how far the line feed moves the paper. Returns what has to be fed after it.
    private mutating func setLineSpacing(_ height: Int) -> Int {
        guard let maximum = commandSet.maximumLineSpacing else { return height }
        let dots = min(height, maximum)
        if lineSpacing != dots {
            lineSpacing = dots
            commands += commandSet.lineSpacing(dots)
        }
        return height - dots
    }

    private mutating func endLine(feeding rest: Int) {
        commands += commandSet.lineFeed
        feed(rest)
    }

    /// The code's own commands set everything anew, so they do not depend on earlier codes.
    private mutating func add(_ placed: PlacedCode) {
        leaveRasterMode()
        let paper = 0..<capabilities.paper.dots
        if placed.area != paper { commands += commandSet.printArea(placed.area) }
        justify(placed.code.alignment)
        feed(placed.offset)
        commands += commandSet.code(placed)
        feed(placed.offset)
        if placed.area != paper { commands += commandSet.printArea(paper) }
    }

    private mutating func feed(_ dots: Int) {
        guard dots > 0 else { return }
        if commandSet.isRasterOnly { enterRasterMode() }
        commands += isInRasterMode ? commandSet.rasterFeed(dots) : commandSet.feed(dots)
    }

    /// A printer without this cut does the other one. A printer without a cutter feeds to where paper is torn off.
    private mutating func cut(_ mode: CutMode) {
        let modes: [CutMode] = mode == .full ? [.full, .partial] : [.partial, .full]
        guard mode != .feed, let mode = modes.first(where: capabilities.cuts.contains) else {
            return feed(capabilities.tearFeed)
        }
        if commandSet.isRasterOnly { enterRasterMode() } else { leaveRasterMode() }
        commands += commandSet.cut(mode)
    }

    private mutating func enterRasterMode() {
        guard !isInRasterMode else { return }
        isInRasterMode = true
        commands += commandSet.enterRasterMode
    }

    private mutating func leaveRasterMode() {
        guard isInRasterMode else { return }
        isInRasterMode = false
        commands += commandSet.leaveRasterMode
    }

    /// A picture of the line, which moves the paper by the line's height.
    private mutating func addPicture(of line: LayoutLine) throws(ReceiptError) {
        guard commandSet.pictureFormat != nil else {
            throw ReceiptError(
                .unsupported,
                "the receipt has text, codes or pictures that the printer lacks, and the printer prints no pictures to draw them in"
            )
        }
        addPicture(try renderer.matrix(of: line, with: drawn), height: line.height)
    }

    /// A picture that moves the paper by `height`; nothing where the printer takes none.
    private mutating func addPicture(_ matrix: DotMatrix, height: Int) {
        guard let format = commandSet.pictureFormat else { return }
        select(.black)
        switch format {
        case .bands:
            justify(.left)
            addBands(matrix, height: height)
        case .rasterMode:
            enterRasterMode()
            addBands(matrix, height: height)
        case .strips(let rows):
            justify(.left)
            addStrips(matrix, rows: rows, height: height)
        }
    }

    private mutating func addBands(_ matrix: DotMatrix, height: Int) {
        for band in RasterBand.bands(of: matrix, maximumRows: capabilities.bandRows) {
            switch band {
            case .white(let rows): feed(rows)
            case .rows(let rows, let width):
                commands.append(commandSet.band(matrix, rows: rows, bytesPerRow: width))
            }
        }
        feed(height - matrix.height)
    }

    /// Each strip is a line that moves the paper by the strip's height; the last one moves it by the rest. A picture
    /// may come out longer by less than a strip.
    private mutating func addStrips(_ matrix: DotMatrix, rows: Int, height: Int) {
        var rest = height
        for top in stride(from: 0, to: matrix.height, by: rows) {
            let isLast = top + rows >= matrix.height
            let step = isLast ? max(rest, rows) : rows
            rest -= step
            guard let strip = commandSet.strip(matrix, from: top) else { feed(step); continue }
            let more = setLineSpacing(step)
            commands.append(strip)
            endLine(feeding: more)
        }
    }
}

extension ReceiptLayout {
    /// The layout with lines that are turned by half as lines of their own, each upside down, the last one first.
    fileprivate var withLinesUpsideDown: ReceiptLayout {
        var layout = self
        layout.lines = lines.flatMap { line -> [LayoutLine] in
            guard case .turned(let turned) = line.content, turned.rotation == .half else { return [line] }
            return turned.lines.reversed().map { inner in
                var inner = inner
                inner.top = line.top + turned.uprightHeight - inner.top - inner.height
                inner.isUpsideDown = true
                return inner
            }
        }
        return layout
    }
}

extension LayoutLine {
    /// Whether the line, or one of its turned lines, is red.
    var hasRed: Bool {
        switch content {
        case .text(let line): line.color == .red
        case .turned(let turned): turned.lines.contains(where: \.hasRed)
        default: false
        }
    }
}

extension TextStyle {
    /// 0 without an underline, 2 for a thick one.
    fileprivate var underlineThickness: Int { underline ? thickUnderline ? 2 : 1 : 0 }
}
