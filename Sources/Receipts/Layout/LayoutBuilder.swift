/// Lays out elements one after another, with the settings and the box that persist between them.
struct LayoutBuilder {
    let paper: ReceiptPaper
    private(set) var lines: [LayoutLine] = []
    var widths: [ColumnWidth] = []
    var border = ColumnBorder.space(1)
    var alignment = HorizontalAlignment.center
    var wrapping = TextWrapping.character
    var font = ReceiptFont.a
    var spacing = LineSpacing.standard
    var box = BoxState.none
    /// Of the last row, for the next with as many cells.
    private var grid: (cells: Int, RowGrid)?

    /// A box is drawn around the rows that follow each other while the border is a line.
    enum BoxState {
        case none
        /// The next row opens it.
        case ready
        /// Around this row; the next may be parted from it by a rule.
        case open(RowGrid, ruled: Bool)
    }

    init(paper: ReceiptPaper) { self.paper = paper }

    var cell: ReceiptPaper.Cell { paper.cell(of: font) }

    mutating func append(_ content: LayoutLine.Content, height: Int) throws(ReceiptError) {
        guard lines.count < ReceiptLimits.lines else {
            throw ReceiptError(.tooLarge, "the receipt has more than \(ReceiptLimits.lines) lines")
        }
        lines.append(LayoutLine(top: lines.last.map { $0.top + $0.height } ?? 0, height: height, content: content))
    }

    mutating func add(_ element: ReceiptElement) throws(ReceiptError) {
        switch element {
        case .settings(let settings): try change(settings)
        case .row(let row): try add(row)
        case .rule: try rule()
        case .code(let code): try add(code)
        case .image(let image): try add(image)
        case .feed(let count): try append(.feed, height: count * (cell.height + gap))
        case .cut(let mode):
            // Each piece of paper gets a whole box.
            if case .open = box {
                try closeBox()
                box = .ready
            }
            try append(.cut(mode), height: 0)
        case .drawer(let kick): try append(.drawer(kick), height: 0)
        case .command(let bytes): try append(.command(bytes), height: 0)
        }
    }

    mutating func finish() throws(ReceiptError) { try closeBox() }

    /// Below a line, outside boxes.
    var gap: Int {
        switch spacing {
        case .standard: paper.lineGap
        case .dots(let dots): dots
        }
    }

    private mutating func change(_ settings: LineSettings) throws(ReceiptError) {
        // Another font has another grid, which this box does not fit.
        if let font = settings.font, font != self.font, case .open = box {
            try closeBox()
            box = .ready
        }
        if let border = settings.border {
            if border == .line, self.border != .line { box = .ready }
            if border != .line { try closeBox() }
            self.border = border
        }
        grid = nil
        widths = settings.widths ?? widths
        alignment = settings.alignment ?? alignment
        wrapping = settings.wrapping ?? wrapping
        font = settings.font ?? font
        spacing = settings.spacing ?? spacing
    }

    private mutating func closeBox() throws(ReceiptError) {
        if case .open(let grid, _) = box { try append(strokes: BoxStrokes.bottom(grid), isBox: true) }
        box = .none
    }

    mutating func append(strokes: PlacedStroke, isBox: Bool) throws(ReceiptError) {
        let line = TextLine(font: font, scale: 1, runs: [], strokes: [strokes])
        try append(.text(line), height: cell.height + (isBox ? 0 : gap))
    }

    private mutating func rule() throws(ReceiptError) {
        switch box {
        case .none:
            let area = area
            let joints = [PlacedStroke.Joint](repeating: [.left, .right], count: area.count)
            try append(strokes: PlacedStroke(column: area.lowerBound, joints: joints), isBox: false)
        // At a box's edge there is a line already.
        case .ready: break
        case .open(let grid, _): box = .open(grid, ruled: true)
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
        case .open(let above, ruled: true): try append(strokes: BoxStrokes.between(above, grid), isBox: true)
        case .open: break
        }
        if border == .line { box = .open(grid, ruled: false) }
        try add(row, in: grid)
    }

    private mutating func add(_ row: ReceiptRow, in grid: RowGrid) throws(ReceiptError) {
        let columns = grid.columns.map { column in
            TextWrapper.lines(
                column.cell < row.cells.count ? row.cells[column.cell].spans : [], width: column.width,
                wrapping: wrapping)
        }
        let count = wrapping == .none ? 1 : columns.reduce(1) { max($0, $1.count) }
        for index in 0..<count {
            var line = TextLine(font: font, scale: 1, runs: [], strokes: [])
            // Of a wrapped row most lines have fewer.
            if count == 1 { line.runs.reserveCapacity(columns.count) }
            for (column, texts) in zip(grid.columns, columns) where index < texts.count {
                let alignment = column.cell < row.cells.count ? row.cells[column.cell].alignment : .left
                let free = column.width - texts[index].width
                let start = column.start + alignment.part(of: free)
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
}

extension HorizontalAlignment {
    /// What of the free room is left of the content.
    func part(of free: Int) -> Int {
        switch self {
        case .left: 0
        case .center: free / 2
        case .right: free
        }
    }
}
