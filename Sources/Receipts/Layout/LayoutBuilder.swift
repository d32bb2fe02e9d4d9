/// Lays out the elements of a receipt, one after another. Its state is the settings, and the box around rows, that
/// persist between them.
struct LayoutBuilder {
    private var paper: ReceiptPaper
    private(set) var lines: [LayoutLine] = []
    private var widths: [ColumnWidth] = []
    private var border = ColumnBorder.space(1)
    private var alignment = HorizontalAlignment.center
    private var wrapping = TextWrapping.character
    private var font = ReceiptFont.a
    private var spacing = LineSpacing.standard
    private var color = TextColor.black
    /// The lines that are being turned; nil where lines are upright.
    private var turning: Turning?
    /// What had to be made smaller or left out.
    private(set) var losses = LayoutLosses()
    private var box = BoxState.none
    /// The grid of the last row, for the next row with as many cells.
    private var grid: (cells: Int, RowGrid)?

    /// The state of the box around consecutive rows while the border is a line.
    private enum BoxState {
        case none
        /// The next row opens it.
        case ready
        /// The box is open after a row of this grid. `ruled`: a rule in this style separates it from the next row.
        case open(RowGrid, ruled: RuleStyle?)
    }

    /// What is around lines that are being turned: they are laid out by themselves, on paper of their own.
    private struct Turning {
        var turn: TurnedLines
        var lines: [LayoutLine]
        var paper: ReceiptPaper
    }

    init(paper: ReceiptPaper) { self.paper = paper }

    private var cell: ReceiptPaper.Cell { paper.cell(of: font) }

    private mutating func append(_ content: LayoutLine.Content, height: Int) throws(ReceiptError) {
        guard lines.count + (turning?.lines.count ?? 0) < ReceiptLimits.lines else {
            throw ReceiptError(.tooLarge, "the receipt has more than \(ReceiptLimits.lines) lines")
        }
        lines.append(LayoutLine(top: lines.last.map { $0.top + $0.height } ?? 0, height: height, content: content))
    }

    mutating func add(_ element: ReceiptElement) throws(ReceiptError) {
        switch element {
        case .settings(let settings): try change(settings)
        case .row(let row): try add(row)
        case .rule(let style): try rule(style)
        case .code(let code): try add(code)
        case .image(let image): try add(image)
        case .logo(let logo): try add(logo)
        case .feed(let count): try append(.feed, height: count * (cell.height + gap))
        case .cut(let mode):
            // Each piece of paper gets a closed box.
            if case .open = box {
                try closeBox()
                box = .ready
            }
            let turn = turning?.turn
            try finishTurning()
            try append(.cut(mode), height: 0)
            if let turn { beginTurning(turn) }
        case .drawer(let kick): try append(.drawer(kick), height: 0)
        case .buzzer(let signal): try append(.buzzer(signal), height: 0)
        case .command(let bytes): try append(.command(bytes), height: 0)
        }
    }

    /// Closes the last box.
    mutating func finish() throws(ReceiptError) {
        try closeBox()
        try finishTurning()
    }

    private mutating func beginTurning(_ turn: TurnedLines) {
        guard turn.rotation != .upright else { return }
        turning = Turning(turn: turn, lines: lines, paper: paper)
        lines = []
        if turn.rotation.isSideways, let columns = turn.columns { paper.dots = columns * paper.fontA.width }
        grid = nil
    }

    /// Places the turned lines as one. What moves no paper stands before them.
    private mutating func finishTurning() throws(ReceiptError) {
        guard let turning else { return }
        var placed = PlacedLines(rotation: turning.turn.rotation, lines: [], paper: paper, left: 0)
        let controls = lines.filter { $0.height == 0 && !$0.isPrinted }
        placed.lines = lines.filter { $0.height > 0 || $0.isPrinted }
        self.turning = nil
        (lines, paper, grid) = (turning.lines, turning.paper, nil)
        for line in controls { try append(line.content, height: 0) }
        guard placed.uprightHeight > 0 else { return }
        guard placed.width <= paper.dots else {
            throw ReceiptError(
                .doesNotFit, "the turned lines take \(placed.width) dots across the paper, which has \(paper.dots)",
                instead: "fewer lines between the changes of rotation")
        }
        guard placed.height <= DotMatrix.maximumSide else {
            throw ReceiptError(
                .tooLarge, "the turned lines are longer than \(DotMatrix.maximumSide) dots", instead: "fewer of them")
        }
        placed.left = alignment.leftSpace(of: paper.dots - placed.width)
        try append(.turned(placed), height: placed.height)
    }

    /// The dots below a line, outside boxes.
    private var gap: Int {
        switch spacing {
        case .standard: paper.lineGap
        case .dots(let dots): dots
        }
    }

    private mutating func change(_ settings: LineSettings) throws(ReceiptError) {
        // A different font has a different grid, which this box does not fit.
        if let font = settings.font, font != self.font, case .open = box {
            try closeBox()
            box = .ready
        }
        if let border = settings.border {
            if border == .line, self.border != .line { box = .ready }
            if border != .line { try closeBox() }
            self.border = border
        }
        if let turn = settings.turn, turn != turning?.turn ?? .upright {
            if case .open = box {
                try closeBox()
                box = .ready
            }
            try finishTurning()
            beginTurning(turn)
        }
        grid = nil
        widths = settings.widths ?? widths
        alignment = settings.alignment ?? alignment
        wrapping = settings.wrapping ?? wrapping
        font = settings.font ?? font
        spacing = settings.spacing ?? spacing
        color = settings.color ?? color
    }

    private mutating func closeBox() throws(ReceiptError) {
        if case .open(let grid, _) = box { try append(strokes: BoxStrokes.bottom(grid), isBox: true) }
        box = .none
    }

    private mutating func append(strokes: PlacedStroke, isBox: Bool) throws(ReceiptError) {
        let line = TextLine(font: font, scale: 1, runs: [], strokes: [strokes], color: color)
        try append(.text(line), height: cell.height + (isBox ? 0 : gap))
    }

    private mutating func rule(_ style: RuleStyle) throws(ReceiptError) {
        switch box {
        case .none:
            let area = area
            let joints = [PlacedStroke.Joint](repeating: [.left, .right], count: area.count)
            try append(strokes: PlacedStroke(column: area.lowerBound, joints: joints, style: style), isBox: false)
        // The edge of a box is already a line.
        case .ready: break
        case .open(let grid, _): box = .open(grid, ruled: style)
        }
    }

    private mutating func grid(of cells: Int) -> RowGrid {
        if let grid, grid.cells == cells { return grid.1 }
        let new = RowGrid(
            cells: cells, widths: widths, border: border, alignment: alignment, paper: paper.columns(of: font))
        grid = (cells, new)
        return new
    }

    private mutating func add(_ row: ReceiptRow) throws(ReceiptError) {
        let grid = grid(of: row.cells.count)
        switch box {
        case .none: break
        case .ready: try append(strokes: BoxStrokes.top(grid), isBox: true)
        case .open(let above, ruled: let style?):
            var strokes = BoxStrokes.between(above, grid)
            strokes.style = style
            try append(strokes: strokes, isBox: true)
        case .open: break
        }
        if border == .line { box = .open(grid, ruled: nil) }
        try add(row, in: grid)
    }

    private mutating func add(_ row: ReceiptRow, in grid: RowGrid) throws(ReceiptError) {
        noteLosses(of: row, in: grid)
        let columns = grid.columns.map { column in
            TextWrapper.lines(
                column.cell < row.cells.count ? row.cells[column.cell].spans : [], width: column.width,
                wrapping: wrapping)
        }
        let count = wrapping == .none ? 1 : columns.reduce(1) { max($0, $1.count) }
        for index in 0..<count {
            var line = TextLine(font: font, scale: 1, runs: [], strokes: [], color: color)
            // Most lines of a wrapped row have fewer runs.
            if count == 1 { line.runs.reserveCapacity(columns.count) }
            for (column, texts) in zip(grid.columns, columns) where index < texts.count {
                let alignment = column.cell < row.cells.count ? row.cells[column.cell].alignment : .left
                let free = column.width - texts[index].width
                let start = column.start + alignment.leftSpace(of: free)
                for var run in texts[index].runs {
                    run.column += start
                    line.runs.append(run)
                }
            }
            line.scale = line.runs.reduce(1) { max($0, $1.style.height) }
            let isBox = border == .line
            if isBox { line.strokes = BoxStrokes.sides(grid) }
            try append(.text(line), height: line.scale * cell.height + (isBox ? 0 : gap))
        }
    }

    private mutating func noteLosses(of row: ReceiptRow, in grid: RowGrid) {
        if grid.leftOut.contains(where: { $0 < row.cells.count && !row.cells[$0].spans.isEmpty }) {
            losses.append("columns were left out: the paper is too narrow for all of them")
        }
        for column in grid.columns where column.cell < row.cells.count {
            for span in row.cells[column.cell].spans where span.style.width > 1 || column.width < 2 {
                let widest = span.text.reduce(0) { max($0, $1.cells) }
                if widest > column.width {
                    losses.append("characters were left out: their column is narrower than one of them")
                } else if widest * span.style.width > column.width {
                    losses.append("large letters were made narrower: their column has no room for one of them")
                }
            }
        }
    }

    /// The columns in which rules, codes and pictures are aligned: the whole paper, or as much as columns of fixed
    /// widths take.
    private var area: Range<Int> {
        let columns = paper.columns(of: font)
        let fixed = widths.compactMap { width in
            if case .characters(let count) = width, count > 0 { count } else { nil }
        }
        guard !widths.contains(.share), !fixed.isEmpty else { return 0..<columns }
        let borders = border == .line ? fixed.count + 1 : (fixed.count - 1) * border.width
        let width = min(fixed.reduce(borders, +), columns)
        let start = alignment.leftSpace(of: columns - width)
        return start..<start + width
    }

    /// The same area in dots.
    private var dots: Range<Int> {
        let area = area
        return area.lowerBound * cell.width..<min(area.upperBound * cell.width, paper.dots)
    }

    private mutating func add(_ image: ReceiptImage) throws(ReceiptError) {
        let size = try image.uprightSize()
        let width = min(size.width, paper.dots)
        let height = max(size.height * width / max(size.width, 1), 1)
        if width < size.width {
            losses.append("a picture was made smaller, from \(size.width) to \(width) dots: the paper is no wider")
        }
        let (area, left) = place(width, image.alignment)
        try append(
            .image(PlacedImage(image: image, area: area, left: left, width: width, height: height)), height: height)
    }

    /// The cells of font A in the frame of a logo whose size is not known.
    private static let logoFrame = (columns: 20, rows: 4)

    /// A printer aligns its logos on the whole paper.
    private mutating func add(_ logo: StoredLogo) throws(ReceiptError) {
        let cell = paper.cell(of: .a)
        let size =
            try logo.substitute?.uprightSize()
            ?? ReceiptImage.Size(
                width: Self.logoFrame.columns * cell.width, height: Self.logoFrame.rows * cell.height)
        let width = min(size.width, paper.dots)
        let height = max(size.height * width / max(size.width, 1), 1)
        let left = logo.alignment.leftSpace(of: paper.dots - width)
        try append(.logo(PlacedLogo(logo: logo, left: left, width: width, height: height)), height: height)
    }

    private mutating func add(_ code: ReceiptCode) throws(ReceiptError) {
        let checked = try CheckedCode(code)
        guard let size = checked.size(code, within: paper.dots, dotsPerMillimetre: paper.dotsPerMillimetre) else {
            throw CheckedCode.tooWide
        }
        if let requested = checked.requestedScale(code), size.scale < requested {
            losses.append(
                "a code (\(code.symbology.rawValue)) was made smaller, from \(requested) to \(size.scale) dots a module: the paper is not wide enough"
            )
        }
        let (area, left) = place(size.width, code.alignment)
        let textHeight = code.readable && !code.symbology.isTwoDimensional ? paper.cell(of: .a).height : 0
        let placed = PlacedCode(
            code: code, checked: checked, area: area, left: left, offset: size.margin, width: size.width,
            height: size.height, scale: size.scale, columns: size.columns, textHeight: textHeight)
        try append(.code(placed), height: size.height + 2 * size.margin + textHeight)
    }

    /// Where something of this width stands: aligned in the columns, or beyond them where it is wider than they are.
    /// The area is the one in which a printer aligns it to just there.
    private func place(_ width: Int, _ alignment: HorizontalAlignment) -> (area: Range<Int>, left: Int) {
        let area = dots
        if width <= area.count {
            return (area, area.lowerBound + alignment.leftSpace(of: area.count - width))
        }
        let wanted = area.lowerBound - alignment.leftSpace(of: width - area.count)
        let left = min(max(wanted, 0), paper.dots - width)
        // The columns are in the middle of the paper but for a part of a cell: so is what is wider than they are.
        let onPaper = alignment.leftSpace(of: paper.dots - width)
        return abs(left - onPaper) < cell.width ? (0..<paper.dots, onPaper) : (left..<left + width, left)
    }
}

/// What a layout had to make smaller or leave out, as sentences without a full stop, each of them once.
struct LayoutLosses {
    private(set) var messages: [String] = []

    /// More would be read by nobody.
    private static let maximum = 20

    mutating func append(_ message: String) {
        guard messages.count < Self.maximum, !messages.contains(message) else { return }
        messages.append(message)
    }
}

extension LayoutLine {
    /// Whether the line is print, and no command to the printer.
    var isPrinted: Bool {
        switch content {
        case .text, .code, .image, .logo, .feed, .turned: true
        case .cut, .drawer, .buzzer, .command: false
        }
    }
}

extension HorizontalAlignment {
    /// The part of the free space that is left of the content.
    func leftSpace(of free: Int) -> Int {
        switch self {
        case .left: 0
        case .center: free / 2
        case .right: free
        }
    }
}

/// The columns of a row on the paper, in characters.
struct RowGrid: Hashable {
    struct Column: Hashable {
        /// The index of its cell, which the row may lack.
        var cell: Int
        var start: Int
        var width: Int
    }

    private(set) var columns: [Column] = []
    /// The whole row, including the lines of a box.
    private(set) var area: Range<Int>
    /// The positions of a box's vertical lines.
    private(set) var lines: [Int] = []
    /// The indices of the cells whose columns the paper has no room for.
    private(set) var leftOut: [Int]

    /// Shares the space that the widths leave. Narrows the widest columns where the paper is too narrow, and leaves out
    /// columns for which even one character is too much.
    init(cells: Int, widths: [ColumnWidth], border: ColumnBorder, alignment: HorizontalAlignment, paper: Int) {
        let wanted: [(cell: Int, width: ColumnWidth)] =
            widths.isEmpty
            ? (0..<cells).map { ($0, .share) }
            : widths.enumerated().filter { $0.element != .characters(0) }.map { ($0.offset, $0.element) }
        let room = border == .line ? (paper - 1) / 2 : (paper + border.width) / (border.width + 1)
        let shown = wanted.prefix(max(room, 0))
        leftOut = wanted.dropFirst(shown.count).map(\.cell)
        guard !shown.isEmpty else { area = 0..<0; return }
        let borders = border == .line ? shown.count + 1 : (shown.count - 1) * border.width
        let sizes = Self.sizes(shown.map(\.width), room: paper - borders)
        let total = sizes.reduce(borders, +)
        let start = alignment.leftSpace(of: paper - total)
        area = start..<start + total
        var position = start
        columns.reserveCapacity(shown.count)
        if border == .line {
            lines.append(position)
            position += 1
        }
        for (column, size) in zip(shown, sizes) {
            columns.append(Column(cell: column.cell, start: position, width: size))
            position += size
            if border == .line { lines.append(position) }
            position += border.width
        }
    }

    /// The widths of the columns. Each gets at least one character, and `room` is large enough for that.
    private static func sizes(_ widths: [ColumnWidth], room: Int) -> [Int] {
        let shares = widths.filter { $0 == .share }.count
        let fixed = widths.map { if case .characters(let count) = $0 { count } else { 0 } }
        let limit = room - shares
        var sizes = fixed
        if fixed.reduce(0, +) > limit {
            var cap = fixed.max() ?? 0
            while fixed.reduce(0, { $0 + min($1, cap) }) > limit { cap -= 1 }
            sizes = fixed.map { min($0, cap) }
            // The first of the widest columns get what is left over.
            var rest = limit - sizes.reduce(0, +)
            for index in fixed.indices where fixed[index] > cap && rest > 0 {
                sizes[index] += 1
                rest -= 1
            }
        }
        let free = room - sizes.reduce(0, +)
        var share = 0
        for index in widths.indices where widths[index] == .share {
            sizes[index] = (free + share) / shares
            share += 1
        }
        return sizes
    }
}

/// The strokes of a box, where rows with different columns may meet.
enum BoxStrokes {
    static func top(_ grid: RowGrid) -> PlacedStroke { joined(above: nil, below: grid) }
    static func bottom(_ grid: RowGrid) -> PlacedStroke { joined(above: grid, below: nil) }
    static func between(_ above: RowGrid, _ below: RowGrid) -> PlacedStroke { joined(above: above, below: below) }

    /// The vertical strokes beside the columns of a row.
    static func sides(_ grid: RowGrid) -> [PlacedStroke] {
        grid.lines.map { PlacedStroke(column: $0, joints: [[.up, .down]]) }
    }

    /// A horizontal stroke, as long as the longer row, with joints to the vertical lines above and below.
    private static func joined(above: RowGrid?, below: RowGrid?) -> PlacedStroke {
        let areas = [above?.area, below?.area].compactMap(\.self).filter { !$0.isEmpty }
        guard let start = areas.map(\.lowerBound).min(), let end = areas.map(\.upperBound).max() else {
            return PlacedStroke(column: 0, joints: [])
        }
        var joints = [PlacedStroke.Joint](repeating: [.left, .right], count: end - start)
        joints[0].remove(.left)
        joints[joints.count - 1].remove(.right)
        for line in above?.lines ?? [] { joints[line - start].insert(.up) }
        for line in below?.lines ?? [] { joints[line - start].insert(.down) }
        return PlacedStroke(column: start, joints: joints)
    }
}
