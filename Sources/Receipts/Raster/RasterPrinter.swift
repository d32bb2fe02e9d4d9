/// A printer that takes pages as PWG or Apple Raster, as receipt and label printers with IPP do. The paper is a roll: a
/// page is as long as what is on it.
package struct RasterPrinter: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var format: Format
    package var dotsPerInch: Int
    /// Of a page, margins and all, in dots; the layout stands amid it.
    package var pageWidth: Int
    /// Printers refuse pages that are shorter.
    package var shortestPage: Int
    /// How often all pages stand in the document, one set behind the other.
    package var copies = 1

    package enum Format: Hashable, Sendable {
        /// PWG 5102.4, a bit for each dot (black_1).
        case pwgBlack
        /// PWG 5102.4, a byte for each dot (sgray_8), which every such printer takes.
        case pwgGrey
        /// Apple Raster, a byte for each dot (W8).
        case urf
    }

    package init(paper: ReceiptPaper, format: Format, dotsPerInch: Int, pageWidth: Int? = nil, shortestPage: Int = 0) {
        self.paper = paper
        self.format = format
        self.dotsPerInch = max(dotsPerInch, 1)
        self.pageWidth = max(pageWidth ?? paper.dots, paper.dots)
        self.shortestPage = min(max(shortestPage, 0), DotMatrix.longest)
    }

    func steps(_ pages: [ReceiptPicture.Page]) throws(ReceiptError) -> [EncodedStep] {
        guard pages.allSatisfy(\.commands.isEmpty) else {
            throw ReceiptError(
                .unsupported, "the receipt has commands for a printer, and this one takes pictures of pages only")
        }
        guard !pages.isEmpty else {
            throw ReceiptError(.unsupported, "the receipt has nothing to print, and this printer takes pages only")
        }
        let isURF = format == .urf
        let pageCount = pages.count * copies
        var steps: [EncodedStep] = []
        for page in pages {
            let matrix = whole(page.matrix)
            let header = PageHeader(
                width: matrix.width, height: matrix.height, dotsPerInch: dotsPerInch, pageCount: pageCount,
                isCut: page.end == .full || page.end == .partial)
            let rows = RasterRows.packed(matrix, asBits: format == .pwgBlack)
            steps.append(
                EncodedStep(
                    isURF ? header.urf : header.pwg(isBlack: format == .pwgBlack),
                    "page \(matrix.width)×\(matrix.height)\(header.isCut ? ", cut" : "")"))
            steps.append(EncodedStep(rows, "rows: \(rows.count) bytes"))
        }
        guard steps.reduce(0, { $0 + $1.bytes.count }) * copies <= Self.longestDocument else {
            throw ReceiptError(
                .tooLarge,
                "the receipt's pages are more than \(Self.longestDocument) bytes\(copies > 1 ? ", \(copies) times" : "")",
                instead: "fewer copies")
        }
        let start =
            isURF
            ? EncodedStep(Array("UNIRAST\0".utf8) + PageHeader.number(pageCount), "UNIRAST, \(pageCount) pages")
            : EncodedStep(Array("RaS2".utf8), "RaS2")
        return [start] + repeatElement(steps, count: copies).joined()
    }

    /// In bytes; what asks for more is a mistake.
    private static let longestDocument = 64 << 20

    /// Of a millimetre; a part of one counts as one.
    func hundredths(_ dots: Int) -> Int { (dots * 2540 + dotsPerInch - 1) / dotsPerInch }

    /// With the page's margins, and as long as it must be.
    private func whole(_ matrix: DotMatrix) -> DotMatrix {
        guard pageWidth > matrix.width || shortestPage > matrix.height else { return matrix }
        var page = DotMatrix(width: pageWidth, height: max(shortestPage, matrix.height))
        page.paint(matrix, x: (pageWidth - matrix.width) / 2, y: 0)
        return page
    }
}
