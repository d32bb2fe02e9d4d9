/// Paints lines of a layout dot by dot: text, boxes and codes as the layout has them, with what was drawn for them.
struct LinePainter: Hashable {
    let paper: ReceiptPaper
    let dithering: Dithering

    /// What this line needs to be drawn.
    func drawings(of line: LayoutLine) -> [Drawing] {
        steps(of: line).compactMap { if case .drawing(let drawing, _, _) = $0 { drawing } else { nil } }
    }

    /// Onto the matrix, from this row on. Throws where something was not drawn.
    func paint(_ line: LayoutLine, with drawn: Drawn, onto matrix: inout DotMatrix, from top: Int) throws(ReceiptError)
    {
        for step in steps(of: line) {
            switch step {
            case .drawing(let drawing, let x, let y): matrix.paint(try drawn[drawing], x: x, y: top + y)
            case .rectangle(let x, let y): matrix.paint(x: x, y: y.moved(by: top))
            case .inversion(let x, let y): matrix.paint(x: x, y: y.moved(by: top), .reversed)
            }
        }
    }

    /// The line alone, without the empty dots below it.
    func matrix(of line: LayoutLine, with drawn: Drawn) throws(ReceiptError) -> DotMatrix {
        var matrix = DotMatrix(width: paper.dots, height: height(of: line))
        try paint(line, with: drawn, onto: &matrix, from: 0)
        return matrix
    }

    private func height(of line: LayoutLine) -> Int {
        guard case .text(let text) = line.content else { return line.height }
        return min(text.scale * paper.cell(of: text.font).height, line.height)
    }

    /// From the line's top.
    func steps(of line: LayoutLine) -> [PaintStep] {
        switch line.content {
        case .text(let text):
            text.strokes.flatMap { steps(of: $0, of: text) } + text.runs.flatMap { steps(of: $0, of: text) }
        case .code(let code): steps(of: code)
        case .image(let image):
            [
                .drawing(
                    Drawing(
                        width: image.width, height: image.height,
                        .picture(DrawnPicture(image.image.file, dithering: dithering))), x: image.left, y: 0)
            ]
        case .feed, .cut, .drawer, .command: []
        }
    }

    /// Two dots at 203 an inch, as printers draw their own.
    private var strokeWidth: Int { max(paper.dotsPerMillimetre / 4, 1) }

    private func steps(of run: PlacedRun, of line: TextLine) -> [PaintStep] {
        let cell = paper.cell(of: line.font)
        let x = run.column * cell.width..<(run.column + run.width) * cell.width
        let ground = line.scale * cell.height
        let y = ground - run.style.height * cell.height..<ground
        guard !x.isEmpty else { return [] }
        var steps: [PaintStep] = []
        if run.text.contains(where: { $0 != " " && $0 != "\u{A0}" }) {
            let text = DrawnText(
                run.text, isRightToLeft: run.isRightToLeft, emphasis: run.style.emphasis, cellWidth: cell.width,
                cellHeight: cell.height,
                scaleWidth: run.style.width, scaleHeight: run.style.height)
            steps.append(
                .drawing(Drawing(width: x.count, height: y.count, .text(text)), x: x.lowerBound, y: y.lowerBound))
        }
        if run.style.underline { steps.append(.rectangle(x: x, y: max(ground - strokeWidth, 0)..<ground)) }
        if run.style.invert { steps.append(.inversion(x: x, y: y)) }
        return steps
    }

    /// Lines through the middle of their cells; beside tall letters a box has tall sides.
    private func steps(of stroke: PlacedStroke, of line: TextLine) -> [PaintStep] {
        let cell = paper.cell(of: line.font)
        let height = line.scale * cell.height
        let (left, top) = ((cell.width - strokeWidth) / 2, (height - strokeWidth) / 2)
        var steps: [PaintStep] = []
        /// Where a line across began that still goes on.
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
}

extension Range<Int> {
    fileprivate func moved(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
