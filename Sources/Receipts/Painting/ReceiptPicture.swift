/// A layout as dots, whatever a printer's language: what previews show, and what printers get that take pictures only.
package struct ReceiptPicture: Hashable, Sendable {
    package let layout: ReceiptLayout
    private let painter: LinePainter

    package init(_ layout: ReceiptLayout, dithering: Dithering = .floydSteinberg) {
        self.layout = layout
        painter = LinePainter(paper: layout.paper, dithering: dithering)
    }

    package var drawings: Set<Drawing> { Set(layout.lines.flatMap { painter.drawings(of: $0) }) }

    /// All of it, across cuts. Throws where something was not drawn, or no picture is so long.
    package func matrix(with drawn: Drawn) throws(ReceiptError) -> DotMatrix {
        try matrix(of: layout.lines[...], with: drawn)
    }

    /// A piece of paper: what is printed up to a cut, or to the end.
    package struct Page: Hashable, Sendable {
        package var matrix: DotMatrix
        /// How it is parted from what follows; nil where the receipt does not say.
        package var end: CutMode?
        /// Bytes for the printer that stand before it.
        package var commands: [UInt8]
    }

    /// What has no height is none.
    package func pages(with drawn: Drawn) throws(ReceiptError) -> [Page] {
        var pages: [Page] = []
        for piece in pieces where piece.height > 0 {
            pages.append(
                Page(
                    matrix: try matrix(of: layout.lines[piece.lines], with: drawn), end: piece.end,
                    commands: piece.commands))
        }
        return pages
    }

    /// Of the longest page, in dots.
    var longestPage: Int { pieces.map(\.height).max() ?? 0 }

    /// How each page is parted from what follows.
    var pageEnds: [CutMode?] { pieces.filter { $0.height > 0 }.map(\.end) }

    /// Lines up to a cut, or to the end.
    private struct Piece {
        var lines: Range<Int>
        var height: Int
        var end: CutMode?
        var commands: [UInt8]
    }

    /// Commands of what has no height stand before the next.
    private var pieces: [Piece] {
        var pieces: [Piece] = []
        var (start, commands): (Int, [UInt8]) = (0, [])
        for (index, line) in layout.lines.enumerated() {
            var end: CutMode?
            switch line.content {
            case .cut(let mode): end = mode
            case .command(let bytes): commands += bytes
            default: break
            }
            guard end != nil || index == layout.lines.count - 1 else { continue }
            let height = line.top + line.height - layout.lines[start].top
            pieces.append(
                Piece(lines: start..<index + 1, height: height, end: end, commands: height > 0 ? commands : []))
            if height > 0 { commands = [] }
            start = index + 1
        }
        return pieces
    }

    private func matrix(of lines: ArraySlice<LayoutLine>, with drawn: Drawn) throws(ReceiptError) -> DotMatrix {
        guard let first = lines.first, let last = lines.last else {
            return DotMatrix(width: layout.paper.dots, height: 0)
        }
        let height = last.top + last.height - first.top
        guard height <= DotMatrix.longest else {
            throw ReceiptError(
                .tooLarge, "the receipt is longer than \(DotMatrix.longest) dots, which no picture may be",
                instead: "cuts in between, or several receipts")
        }
        var matrix = DotMatrix(width: layout.paper.dots, height: height)
        for line in lines { try painter.paint(line, with: drawn, onto: &matrix, from: line.top - first.top) }
        return matrix
    }
}
