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

/// The header of a page in PWG Raster or Apple Raster.
struct RasterPageHeader {
    let width: Int
    let height: Int
    let dotsPerInch: Int
    let pageCount: Int
    /// Whether the paper is cut after the page.
    let isCut: Bool

    /// Four bytes.
    static func bigEndian(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    private static let length = 1796
    /// Values of cupsColorSpace (PWG 5102.4 §4.3.3.4).
    private static let (black, sGrey) = (3, 18)
    /// The value of CutMedia that cuts after each page.
    private static let cutAfterPage = 4

    /// The header of PWG 5102.4 §4.3. Fields that are not set are 0.
    func pwg(isBlack: Bool) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: Self.length)
        func set(_ bytes: [UInt8], at offset: Int) {
            header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        func set(_ values: Int..., at offset: Int) { set(values.flatMap(Self.bigEndian), at: offset) }
        let bits = isBlack ? 1 : 8
        let (widthInPoints, heightInPoints) = (points(width), points(height))
        set(Array("PwgRaster".utf8), at: 0)
        set(isCut ? Self.cutAfterPage : 0, at: 268)
        set(dotsPerInch, dotsPerInch, at: 276)
        set(1, at: 340)
        set(widthInPoints, heightInPoints, at: 352)
        set(width, height, at: 372)
        set(bits, bits, (width * bits + 7) / 8, 0, isBlack ? Self.black : Self.sGrey, at: 384)
        set(1, at: 420)
        // cupsPageSize, as IEEE 754 single precision.
        set(Int(Float(widthInPoints).bitPattern), Int(Float(heightInPoints).bitPattern), at: 428)
        // TotalPageCount, CrossFeedTransform, FeedTransform.
        set(pageCount, 1, 1, at: 452)
        // AlternatePrimary: white.
        set(0xFF_FFFF, at: 480)
        return header
    }

    /// The header of Apple Raster, as CUPS reads it (cups/raster-stream.c): bits per dot, colour space, sides, quality;
    /// width, height and resolution start at byte 12.
    var urf: [UInt8] {
        // Grey, on one side, in normal quality.
        let start: [UInt8] = [8, 0, 1, 4]
        return start + [UInt8](repeating: 0, count: 8) + [width, height, dotsPerInch].flatMap(Self.bigEndian)
            + [UInt8](repeating: 0, count: 8)
    }

    private func points(_ dots: Int) -> Int { (dots * 72 + dotsPerInch / 2) / dotsPerInch }
}

/// Compresses rows for PWG and Apple Raster (PWG 5102.4 §4.4). A byte states how often a row is repeated; then come
/// runs and literals of units. A unit is one grey dot or eight black ones.
enum RasterCompression {
    static func compressed(_ matrix: DotMatrix, asBits: Bool) -> [UInt8] {
        var compressed: [UInt8] = []
        var row = 0
        while row < matrix.height {
            let dots = matrix.row(row)
            var next = row + 1
            while next < matrix.height, next - row < 256, matrix.row(next).elementsEqual(dots) { next += 1 }
            compressed.append(UInt8(clamping: next - row - 1))
            append(asBits ? Array(dots) : grey(dots, width: matrix.width), to: &compressed)
            row = next
        }
        return compressed
    }

    /// A byte for each dot; 0 is black.
    private static func grey(_ dots: ArraySlice<UInt8>, width: Int) -> [UInt8] {
        var grey = [UInt8](repeating: 0xFF, count: width)
        for (index, byte) in dots.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 { grey[index * 8 + bit] = 0 }
        }
        return grey
    }

    /// The maximum number of units in a run or literal.
    private static let maximumCount = 128

    private static func append(_ units: [UInt8], to compressed: inout [UInt8]) {
        var index = 0
        while index < units.count {
            let end = min(index + maximumCount, units.count)
            var next = index + 1
            while next < end, units[next] == units[index] { next += 1 }
            if next - index > 1 || next == units.count {
                compressed += [UInt8(next - index - 1), units[index]]
                index = next
                continue
            }
            // The literal ends where a run starts.
            while next < end, next + 1 >= units.count || units[next] != units[next + 1] { next += 1 }
            if next - index == 1 {
                compressed += [0, units[index]]
            } else {
                compressed.append(UInt8(257 - (next - index)))
                compressed += units[index..<next]
            }
            index = next
        }
    }
}
