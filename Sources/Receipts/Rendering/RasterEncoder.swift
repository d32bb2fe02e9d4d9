import KioskPageEncoding
import KioskPrintModel

/// The capabilities of a printer that takes pages in PWG or Apple Raster, as receipt and label printers with IPP do,
/// and the number of copies. The paper is a roll: a page is as long as its content.
package struct RasterCapabilities: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var format: Format
    package var dotsPerInch: Int
    /// The width of a page with its margins, in dots. The layout is centred on it.
    package var pageWidth: Int
    /// The printer refuses shorter pages, in dots.
    package var minimumPageLength: Int
    /// A page cannot be longer, in dots: what is longer is split over several. Nil where the printer has no limit.
    package var maximumPageLength: Int?
    /// The number of times that the document contains all pages, one set after another.
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

    /// The maximum size of a document in bytes. A larger one is a mistake.
    private static let maximumDocument = 64 << 20

    /// Throws where the receipt has raw commands, in its pages or (`last`) behind them: a raster document has no place
    /// for them.
    func commands(_ pages: [ReceiptPicture.Page], then last: [UInt8]) throws(ReceiptError) -> [EncodedCommand] {
        guard pages.allSatisfy(\.commands.isEmpty), last.isEmpty else {
            throw ReceiptError(
                .unsupported, "the receipt has commands for a printer, and this one takes pictures of pages only")
        }
        guard !pages.isEmpty else { throw ReceiptPicture.nothingToPrint }
        let copies = capabilities.copies
        let document = RasterDocument(
            capabilities.format == .urf ? .appleRaster : .pwgRaster, sideCount: pages.count * copies)
        var commands: [EncodedCommand] = []
        do throws(PageEncodingError) {
            for page in pages { commands += try self.commands(of: page, in: document) }
        } catch {
            throw ReceiptError(.tooLarge, error.message)
        }
        guard commands.reduce(0, { $0 + $1.bytes.count }) * copies <= Self.maximumDocument else {
            throw ReceiptError(
                .tooLarge,
                "the receipt's pages are more than \(Self.maximumDocument) bytes\(copies > 1 ? ", \(copies) times" : "")",
                instead: "fewer copies")
        }
        return [fileHeader(of: document)] + repeatElement(commands, count: copies).joined()
    }

    private func fileHeader(of document: RasterDocument) -> EncodedCommand {
        var encoder = PageEncoder(document)
        var bytes: [UInt8] = []
        encoder.begin(into: &bytes)
        return EncodedCommand(
            bytes, document.language == .appleRaster ? "UNIRAST, \(document.sideCount) pages" : "RaS2")
    }

    private func commands(
        of page: ReceiptPicture.Page, in document: RasterDocument
    ) throws(PageEncodingError) -> [EncodedCommand] {
        let (matrix, isBlack) = (padded(page.matrix), capabilities.format == .pwgBlack)
        var side = RasterPage(
            width: matrix.width, height: matrix.height, dpi: capabilities.dotsPerInch,
            color: isBlack ? .black1 : .gray8)
        side.sideCount = document.sideCount
        side.isCut = page.end == .full || page.end == .partial
        var encoder = PageEncoder(document)
        // The document begins once, and not with each page.
        var (start, header, rows): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        encoder.begin(into: &start)
        try encoder.beginSide(side, into: &header)
        if isBlack {
            try encoder.append(matrix.bytes.span, rowBytes: matrix.stride, into: &rows)
        } else {
            for y in 0..<matrix.height {
                let grey = Self.grey(matrix.row(y), width: matrix.width)
                try encoder.append(grey.span, rowBytes: matrix.width, into: &rows)
            }
        }
        try encoder.endSide(into: &rows)
        return [
            EncodedCommand(header, "page \(matrix.width)×\(matrix.height)\(side.isCut ? ", cut" : "")"),
            EncodedCommand(rows, "rows: \(rows.count) bytes"),
        ]
    }

    /// A byte for each dot; 0 is black.
    private static func grey(_ dots: ArraySlice<UInt8>, width: Int) -> [UInt8] {
        var grey = [UInt8](repeating: 0xFF, count: width)
        for (index, byte) in dots.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 { grey[index * 8 + bit] = 0 }
        }
        return grey
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
    func rollPage(length: Int) -> RollPage {
        RollPage(
            width: hundredths(capabilities.pageWidth), length: hundredths(max(length, capabilities.minimumPageLength)))
    }

    /// Says that what the receipt has in one piece is on several pages.
    func remarkOnSplitting(into count: Int) -> String {
        let length = (capabilities.maximumPageLength ?? 0) * 254 / capabilities.dotsPerInch
        return
            "the receipt is longer than the printer's paper of \(length / 10).\(length % 10) mm: it is on \(count) pages"
    }

    /// Hundredths of a millimetre, rounded up.
    private func hundredths(_ dots: Int) -> Int {
        (dots * 2540 + capabilities.dotsPerInch - 1) / capabilities.dotsPerInch
    }
}
