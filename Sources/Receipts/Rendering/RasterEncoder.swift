import PrintModel

/// The capabilities of a printer that takes pages in PWG or Apple Raster, as receipt and label printers with IPP do,
/// and how often they are printed. The paper is a roll: a page is as long as its content.
package struct RasterCapabilities: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var format: Format
    package var dotsPerInch: Int
    /// The width of a page with its margins, in dots. The layout is centred on it.
    package var pageWidth: Int
    /// The printer refuses shorter pages, in dots.
    package var minimumPageLength: Int
    /// How often the document contains all pages, one set after another.
    package var copies = 1

    package enum Format: Hashable, Sendable {
        /// PWG 5102.4, a bit for each dot (black_1).
        case pwgBlack
        /// PWG 5102.4, a byte for each dot (sgray_8), which every PWG printer takes.
        case pwgGrey
        /// Apple Raster, a byte for each dot (W8).
        case urf
    }

    package init(
        paper: ReceiptPaper, format: Format, dotsPerInch: Int, pageWidth: Int? = nil, minimumPageLength: Int = 0
    ) {
        self.paper = paper
        self.format = format
        self.dotsPerInch = max(dotsPerInch, 1)
        self.pageWidth = max(pageWidth ?? paper.dots, paper.dots)
        self.minimumPageLength = min(max(minimumPageLength, 0), DotMatrix.maximumSide)
    }

    /// The capabilities that a profile describes. A page is as wide as the paper: its margins are what the head does
    /// not reach.
    init(_ settings: PrintingSettings, _ format: Format) {
        self.init(
            paper: ReceiptPaper(settings), format: format, dotsPerInch: settings.dpi,
            pageWidth: settings.paperWidth.map { ($0 * settings.dpi * 10 + 127) / 254 })
    }
}

/// Encodes the pages of a receipt as PWG or Apple Raster.
struct RasterEncoder {
    let capabilities: RasterCapabilities

    /// The most bytes of a document. A larger one is a mistake.
    private static let maximumDocument = 64 << 20

    func commands(_ pages: [ReceiptPicture.Page]) throws(ReceiptError) -> [EncodedCommand] {
        guard pages.allSatisfy(\.commands.isEmpty) else {
            throw ReceiptError(
                .unsupported, "the receipt has commands for a printer, and this one takes pictures of pages only")
        }
        guard !pages.isEmpty else {
            throw ReceiptError(.unsupported, "the receipt has nothing to print, and this printer takes pages only")
        }
        let copies = capabilities.copies
        let commands = pages.flatMap { self.commands(of: $0, pageCount: pages.count * copies) }
        guard commands.reduce(0, { $0 + $1.bytes.count }) * copies <= Self.maximumDocument else {
            throw ReceiptError(
                .tooLarge,
                "the receipt's pages are more than \(Self.maximumDocument) bytes\(copies > 1 ? ", \(copies) times" : "")",
                instead: "fewer copies")
        }
        return [fileHeader(pageCount: pages.count * copies)] + repeatElement(commands, count: copies).joined()
    }

    private func fileHeader(pageCount: Int) -> EncodedCommand {
        switch capabilities.format {
        case .pwgBlack, .pwgGrey: EncodedCommand(Array("RaS2".utf8), "RaS2")
        case .urf:
            EncodedCommand(
                Array("UNIRAST\0".utf8) + RasterPageHeader.bigEndian(pageCount), "UNIRAST, \(pageCount) pages")
        }
    }

    private func commands(of page: ReceiptPicture.Page, pageCount: Int) -> [EncodedCommand] {
        let (matrix, isBlack) = (padded(page.matrix), capabilities.format == .pwgBlack)
        let header = RasterPageHeader(
            width: matrix.width, height: matrix.height, dotsPerInch: capabilities.dotsPerInch, pageCount: pageCount,
            isCut: page.end == .full || page.end == .partial)
        let rows = RasterCompression.compressed(matrix, asBits: isBlack)
        return [
            EncodedCommand(
                capabilities.format == .urf ? header.urf : header.pwg(isBlack: isBlack),
                "page \(matrix.width)×\(matrix.height)\(header.isCut ? ", cut" : "")"),
            EncodedCommand(rows, "rows: \(rows.count) bytes"),
        ]
    }

    /// The dots with the page's margins, and as long as the printer requires.
    private func padded(_ matrix: DotMatrix) -> DotMatrix {
        let (width, length) = (capabilities.pageWidth, capabilities.minimumPageLength)
        guard width > matrix.width || length > matrix.height else { return matrix }
        var page = DotMatrix(width: width, height: max(length, matrix.height))
        page.paint(matrix, x: (width - matrix.width) / 2, y: 0)
        return page
    }

    /// The size of a page whose content has this length in dots.
    func rollPage(longest: Int) -> RollPage {
        RollPage(
            width: hundredths(capabilities.pageWidth), length: hundredths(max(longest, capabilities.minimumPageLength)))
    }

    /// Hundredths of a millimetre, rounded up.
    private func hundredths(_ dots: Int) -> Int {
        (dots * 2540 + capabilities.dotsPerInch - 1) / capabilities.dotsPerInch
    }
}
