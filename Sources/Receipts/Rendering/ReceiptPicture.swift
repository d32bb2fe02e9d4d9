/// A layout as dots: what previews show, and what printers get that take only pictures.
package struct ReceiptPicture: Hashable, Sendable {
    package let layout: ReceiptLayout
    private let renderer: LineRenderer

    package init(_ layout: ReceiptLayout, dithering: Dithering = .floydSteinberg) {
        self.layout = layout
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
        /// Bytes for the printer, sent before the page.
        package var commands: [UInt8]
    }

    /// The pages, without those that have no height.
    package func pages(with drawn: RenderedDrawings) throws(ReceiptError) -> [Page] {
        var pages: [Page] = []
        for piece in pieces where piece.height > 0 {
            pages.append(
                Page(
                    matrix: try matrix(of: layout.lines[piece.lines], with: drawn), end: piece.end,
                    commands: piece.commands))
        }
        return pages
    }

    /// The length of the longest page, in dots.
    var longestPage: Int { pieces.map(\.height).max() ?? 0 }

    /// How each page is separated from what follows.
    var pageEnds: [CutMode?] { pieces.filter { $0.height > 0 }.map(\.end) }

    /// The lines up to a cut, or to the end.
    private struct Piece {
        var lines: Range<Int>
        var height: Int
        var end: CutMode?
        var commands: [UInt8]
    }

    /// The commands of a piece without height are sent before the next one.
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
