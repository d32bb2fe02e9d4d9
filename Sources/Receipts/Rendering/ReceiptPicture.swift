/// A layout rendered as dots, for previews and for printers that take only pictures: label printers, and printers of
/// PWG or Apple Raster.
package struct ReceiptPicture: Hashable, Sendable {
    package let layout: ReceiptLayout
    private let renderer: LineRenderer
    /// What is longer, in dots, is several pages; nil where a page may have any length.
    private let maximumPageLength: Int?

    package init(_ layout: ReceiptLayout, dithering: Dithering = .floydSteinberg, maximumPageLength: Int? = nil) {
        self.layout = layout
        self.maximumPageLength = maximumPageLength.map { max($0, 1) }
        renderer = LineRenderer(paper: layout.paper, dithering: dithering)
    }

    package var drawings: Set<Drawing> { Set(layout.lines.flatMap { renderer.drawings(of: $0) }) }

    /// The whole receipt, across cuts. Throws where a drawing is missing, or the receipt is too long for a picture.
    package func matrix(with drawn: RenderedDrawings) throws(ReceiptError) -> DotMatrix {
        try matrix(of: layout.lines[...], with: drawn)
    }

    /// A piece of paper: everything up to a cut, or to the end.
    package struct Page: Hashable, Sendable {
        package var matrix: DotMatrix
        /// How the page is separated from what follows; nil where the receipt does not say.
        package var end: CutMode?
        /// Raw commands of the receipt, sent before the page: those before it, and those amid it, since it is one
        /// picture.
        package var commands: [UInt8]
    }

    /// The pages, without those that have no height.
    package func pages(with drawn: RenderedDrawings) throws(ReceiptError) -> [Page] {
        var pages: [Page] = []
        for piece in pieces.pages {
            let matrix = try matrix(of: layout.lines[piece.lines], with: drawn)
            let sheets = split(matrix)
            for (index, sheet) in sheets.enumerated() {
                pages.append(
                    Page(
                        matrix: sheet, end: index == sheets.count - 1 ? piece.end : nil,
                        commands: index == 0 ? piece.commands : []))
            }
        }
        return pages
    }

    /// The error of a receipt without pages, for a printer that takes nothing else.
    static let nothingToPrint = ReceiptError(
        .unsupported, "the receipt is empty, and an empty page or label cannot be printed",
        instead: "at least one line, code or picture")

    /// A single line, such as a picture, may be longer than a page.
    private func split(_ matrix: DotMatrix) -> [DotMatrix] {
        guard let maximumPageLength, matrix.height > maximumPageLength else { return [matrix] }
        return stride(from: 0, to: matrix.height, by: maximumPageLength).map { top in
            var sheet = DotMatrix(width: matrix.width, height: min(maximumPageLength, matrix.height - top))
            sheet.paint(matrix, x: 0, y: -top)
            return sheet
        }
    }

    /// Raw commands of the receipt that stand behind everything printed, sent after the last page.
    package var commandsAfterPages: [UInt8] { pieces.commandsAfterPages }

    /// The length of the longest page, in dots.
    var longestPage: Int {
        let longest = pieces.pages.map(\.height).max() ?? 0
        return maximumPageLength.map { min($0, longest) } ?? longest
    }

    /// The number of pages beyond those that the receipt's cuts make.
    var addedPageCount: Int {
        let pages = pieces.pages
        let asked = pages.count { $0.end != nil || $0.lines.upperBound == layout.lines.count }
        return pages.reduce(0) { $0 + sheetCount(of: $1) } - asked
    }

    private func sheetCount(of piece: Piece) -> Int {
        maximumPageLength.map { (piece.height + $0 - 1) / $0 } ?? 1
    }

    /// How each page is separated from what follows.
    var pageEnds: [CutMode?] {
        pieces.pages.flatMap { [CutMode?](repeating: nil, count: sheetCount(of: $0) - 1) + [$0.end] }
    }

    /// The lines up to a cut, or to the end.
    private struct Piece {
        var lines: Range<Int>
        var height: Int
        var end: CutMode?
        var commands: [UInt8]
    }

    /// The pieces that have a height, and so are pages. The commands of a piece without height are sent before the next
    /// page, or after the last.
    private var pieces: (pages: [Piece], commandsAfterPages: [UInt8]) {
        var (pages, start): ([Piece], Int) = ([], 0)
        // The commands that some content of the page follows, and those behind all of it.
        var (commands, commandsBehind): ([UInt8], [UInt8]) = ([], [])
        for (index, line) in layout.lines.enumerated() {
            var end: CutMode?
            switch line.content {
            case .cut(let mode): end = mode
            case .command(let bytes): commandsBehind += bytes
            default: break
            }
            // A line that no longer fits begins the next page.
            if let maximumPageLength, line.height > 0, index > start,
                line.top + line.height - layout.lines[start].top > maximumPageLength
            {
                let height = line.top - layout.lines[start].top
                if height > 0 {
                    pages.append(Piece(lines: start..<index, height: height, end: nil, commands: commands))
                    commands = []
                    start = index
                }
            }
            if line.height > 0 {
                commands += commandsBehind
                commandsBehind = []
            }
            guard end != nil || index == layout.lines.count - 1 else { continue }
            let height = line.top + line.height - layout.lines[start].top
            if height > 0 {
                // The cut is the page's own, so that commands between its content and the cut go before both.
                if end != nil {
                    commands += commandsBehind
                    commandsBehind = []
                }
                pages.append(Piece(lines: start..<index + 1, height: height, end: end, commands: commands))
                commands = []
            }
            start = index + 1
        }
        return (pages, commandsBehind)
    }

    private func matrix(
        of lines: ArraySlice<LayoutLine>, with drawn: RenderedDrawings
    ) throws(ReceiptError) -> DotMatrix {
        guard let first = lines.first, let last = lines.last else {
            return DotMatrix(width: layout.paper.dots, height: 0)
        }
        let height = last.top + last.height - first.top
        guard height <= DotMatrix.maximumSide else {
            throw ReceiptError(
                .tooLarge, "the receipt is longer than \(DotMatrix.maximumSide) dots, which no picture may be",
                instead: "cuts in between, or several receipts")
        }
        var matrix = DotMatrix(width: layout.paper.dots, height: height)
        for line in lines { try renderer.render(line, with: drawn, onto: &matrix, from: line.top - first.top) }
        return matrix
    }
}

/// Renders lines of a layout as dots, from the drawings of their text, codes and pictures.
struct LineRenderer: Hashable {
    private let paper: ReceiptPaper
    private let dithering: Dithering

    init(paper: ReceiptPaper, dithering: Dithering) { (self.paper, self.dithering) = (paper, dithering) }

    /// A step of a line's rendering. Steps are done in their order.
    private enum Step {
        case drawing(Drawing, x: Int, y: Int)
        case rectangle(x: Range<Int>, y: Range<Int>)
        /// Turns black to white and white to black.
        case inversion(x: Range<Int>, y: Range<Int>)
    }

    /// The drawings that the line consists of.
    func drawings(of line: LayoutLine) -> [Drawing] {
        if case .turned(let turned) = line.content {
            let renderer = LineRenderer(paper: turned.paper, dithering: dithering)
            return turned.lines.flatMap { renderer.drawings(of: $0) }
        }
        return steps(of: line).compactMap { if case .drawing(let drawing, _, _) = $0 { drawing } else { nil } }
    }

    /// Renders the line onto the matrix, starting at a row. Throws where a drawing is missing.
    func render(
        _ line: LayoutLine, with drawn: RenderedDrawings, onto matrix: inout DotMatrix, from top: Int
    ) throws(ReceiptError) {
        if case .turned(let turned) = line.content {
            let renderer = LineRenderer(paper: turned.paper, dithering: dithering)
            var upright = DotMatrix(width: turned.paper.dots, height: turned.uprightHeight)
            for line in turned.lines { try renderer.render(line, with: drawn, onto: &upright, from: line.top) }
            matrix.paint(upright.turned(turned.rotation), x: turned.left, y: top)
            return
        }
        for step in steps(of: line) {
            switch step {
            case .drawing(let drawing, let x, let y): matrix.paint(try drawn[drawing], x: x, y: top + y)
            case .rectangle(let x, let y): matrix.paint(x: x, y: y.moved(by: top))
            case .inversion(let x, let y): matrix.paint(x: x, y: y.moved(by: top), .reversed)
            }
        }
    }

    /// The dots of the line alone, without the empty dots below it.
    func matrix(of line: LayoutLine, with drawn: RenderedDrawings) throws(ReceiptError) -> DotMatrix {
        var matrix = DotMatrix(width: paper.dots, height: height(of: line))
        try render(line, with: drawn, onto: &matrix, from: 0)
        return matrix
    }

    private func height(of line: LayoutLine) -> Int {
        guard case .text(let text) = line.content else { return line.height }
        return min(text.scale * paper.cell(of: text.font).height, line.height)
    }

    /// The steps, with distances from the line's top.
    private func steps(of line: LayoutLine) -> [Step] {
        switch line.content {
        case .text(let text):
            text.strokes.flatMap { steps(of: $0, of: text) } + text.runs.flatMap { steps(of: $0, of: text) }
        case .code(let code): steps(of: code)
        case .image(let image): [step(of: image)]
        case .logo(let logo): logo.image.map { [step(of: $0)] } ?? frame(of: logo)
        // Turned lines are drawings of their own.
        case .turned, .feed, .cut, .drawer, .buzzer, .command: []
        }
    }

    private func step(of image: PlacedImage) -> Step {
        .drawing(
            Drawing(
                width: image.width, height: image.height,
                .picture(DrawnPicture(image.image.file, dithering: image.image.dithering ?? dithering))),
            x: image.left, y: 0)
    }

    /// A frame with the logo's name in its middle.
    private func frame(of logo: PlacedLogo) -> [Step] {
        let (x, y) = (logo.left..<logo.left + logo.width, 0..<logo.height)
        let cell = paper.cell(of: .a)
        let text = String(logo.label.prefix(max(logo.width / cell.width - 2, 0)))
        var steps: [Step] = [
            .rectangle(x: x, y: 0..<strokeWidth), .rectangle(x: x, y: y.upperBound - strokeWidth..<y.upperBound),
            .rectangle(x: x.lowerBound..<x.lowerBound + strokeWidth, y: y),
            .rectangle(x: x.upperBound - strokeWidth..<x.upperBound, y: y),
        ]
        guard !text.isEmpty, cell.height <= logo.height else { return steps }
        let label = DrawnText(text, cellWidth: cell.width, cellHeight: cell.height)
        let width = text.utf8.count * cell.width
        steps.append(
            .drawing(
                Drawing(width: width, height: cell.height, .text(label)), x: logo.left + (logo.width - width) / 2,
                y: (logo.height - cell.height) / 2))
        return steps
    }

    /// Two dots at 203 dots per inch, as in printers' own fonts.
    private var strokeWidth: Int { max(paper.dotsPerMillimetre / 4, 1) }

    private func steps(of run: PlacedRun, of line: TextLine) -> [Step] {
        let cell = paper.cell(of: line.font)
        let x = run.column * cell.width..<(run.column + run.width) * cell.width
        let baseline = line.scale * cell.height
        let y = baseline - run.style.height * cell.height..<baseline
        guard !x.isEmpty else { return [] }
        var steps: [Step] = []
        if run.text.contains(where: { $0 != " " && $0 != "\u{A0}" }) {
            let text = DrawnText(
                run.text, isRightToLeft: run.isRightToLeft, emphasis: run.style.emphasis, cellWidth: cell.width,
                cellHeight: cell.height,
                scaleWidth: run.style.width, scaleHeight: run.style.height)
            steps.append(
                .drawing(Drawing(width: x.count, height: y.count, .text(text)), x: x.lowerBound, y: y.lowerBound))
        }
        if run.style.underline {
            let thickness = run.style.thickUnderline ? 2 * strokeWidth : strokeWidth
            steps.append(.rectangle(x: x, y: max(baseline - thickness, 0)..<baseline))
        }
        if run.style.invert { steps.append(.inversion(x: x, y: y)) }
        return steps
    }

    /// Lines go through the middle of their cells. Beside tall letters a box has tall sides.
    private func steps(of stroke: PlacedStroke, of line: TextLine) -> [Step] {
        let cell = paper.cell(of: line.font)
        let height = line.scale * cell.height
        let (left, top) = ((cell.width - strokeWidth) / 2, (height - strokeWidth) / 2)
        guard stroke.style == .single else { return steps(ofRule: stroke, cell: cell, height: height) }
        var steps: [Step] = []
        /// Where the current horizontal line started; nil outside of one.
        var start: Int?
        for (offset, joint) in stroke.joints.enumerated() {
            let cellStart = (stroke.column + offset) * cell.width
            let middle = cellStart + left
            if joint.contains(.right), start == nil { start = joint.contains(.left) ? cellStart : middle }
            if joint.contains(.left), !joint.contains(.right) {
                steps.append(.rectangle(x: (start ?? cellStart)..<middle + strokeWidth, y: top..<top + strokeWidth))
                start = nil
            }
            if joint.contains(.up) {
                steps.append(.rectangle(x: middle..<middle + strokeWidth, y: 0..<top + strokeWidth))
            }
            if joint.contains(.down) { steps.append(.rectangle(x: middle..<middle + strokeWidth, y: top..<height)) }
        }
        if let start {
            steps.append(
                .rectangle(x: start..<(stroke.column + stroke.joints.count) * cell.width, y: top..<top + strokeWidth))
        }
        return steps
    }

    /// A rule in another style than a single line. Beside it a box has its sides as usual.
    private func steps(ofRule stroke: PlacedStroke, cell: ReceiptPaper.Cell, height: Int) -> [Step] {
        let (width, middle) = (strokeWidth, (height - strokeWidth) / 2)
        let rows: [Range<Int>] =
            switch stroke.style {
            case .double: [middle - width..<middle, middle + width..<middle + 2 * width]
            case .thick: [middle - width..<middle + 2 * width]
            case .single, .dashed, .dotted: [middle..<middle + width]
            }
        var steps: [Step] = []
        for (offset, joint) in stroke.joints.enumerated() {
            let start = (stroke.column + offset) * cell.width
            let center = start + (cell.width - width) / 2
            let first = joint.contains(.left) ? start : center
            let end = joint.contains(.right) ? start + cell.width : center + width
            let line = first..<end
            // What is left out of each cell makes dashes and dots.
            let parts: [Range<Int>] =
                switch stroke.style {
                case .dashed: [start + cell.width / 6..<start + cell.width - cell.width / 6]
                case .dotted: [center..<center + width]
                case .single, .double, .thick: [line]
                }
            if joint.contains(.left) || joint.contains(.right) {
                for row in rows { steps += parts.map { .rectangle(x: $0.clamped(to: line), y: row) } }
            }
            let sides = center..<center + width
            if joint.contains(.up) { steps.append(.rectangle(x: sides, y: 0..<middle + width)) }
            if joint.contains(.down) { steps.append(.rectangle(x: sides, y: middle..<height)) }
        }
        return steps
    }

    /// The code, and below a barcode's bars its text.
    private func steps(of code: PlacedCode) -> [Step] {
        let drawn = DrawnCode(code)
        let bars = Step.drawing(
            Drawing(width: code.width, height: code.height, .code(drawn)), x: code.left, y: code.offset)
        guard code.textHeight > 0 else { return [bars] }
        let text = String(
            String.UnicodeScalarView(
                code.checked.readableText.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        let cells = max(text.unicodeScalars.count, 1)
        // Letters are narrow enough for all of them to fit on the paper.
        let cell = ReceiptPaper.Cell(width: min(paper.fontA.width, paper.dots / cells), height: code.textHeight)
        let width = min(cells * cell.width, paper.dots)
        let x = min(max(code.left + (code.width - width) / 2, 0), paper.dots - width)
        let label = DrawnText(text, cellWidth: cell.width, cellHeight: cell.height)
        return [
            bars,
            .drawing(Drawing(width: width, height: cell.height, .text(label)), x: x, y: code.offset + code.height),
        ]
    }
}

extension Range<Int> {
    fileprivate func moved(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
