extension LinePainter {
    /// The code, and below a barcode's bars what it says.
    func steps(of code: PlacedCode) -> [PaintStep] {
        let drawn = DrawnCode(
            code.code.symbology, code.checked.text, scale: code.scale, level: code.code.level, columns: code.columns)
        let bars = PaintStep.drawing(
            Drawing(width: code.width, height: code.height, .code(drawn)), x: code.left, y: code.offset)
        guard code.textHeight > 0 else { return [bars] }
        let text = String(
            String.UnicodeScalarView(
                code.checked.text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        let cells = max(text.unicodeScalars.count, 1)
        // Letters are as narrow as they must be for all to stand on the paper.
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
