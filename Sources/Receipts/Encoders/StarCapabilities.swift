package import PrintModel

/// The capabilities of a Star printer in Star Line Mode or StarPRNT: the commands that it has, and its paper.
package struct StarCapabilities: Hashable, Sendable, LinePrinterCapabilities {
    package var paper: ReceiptPaper
    /// The code pages with their numbers for ESC GS t.
    package var codePages: [CodePage: UInt8]
    /// The code page after ESC @; nil where a memory switch decides.
    package var initialCodePage: CodePage?
    /// The codes that the printer draws itself.
    package var symbologies: Set<Symbology>
    /// The cutter's modes; empty where there is no cutter.
    package var cuts: Set<CutMode>
    /// The distance from the head to where paper is torn off, in dots.
    package var tearFeed: Int
    package var raster: RasterMethod
    /// The most rows of a picture's band.
    package var bandRows: Int
    /// False where the printer takes only pictures, as the TSP100 series does.
    package var hasText: Bool

    /// How a printer takes pictures.
    package enum RasterMethod: Hashable, Sendable {
        /// `ESC GS S`: StarPRNT and recent models of Line Mode.
        case graphics
        /// `ESC * r A` to `ESC * r B`: raster mode, in which every row is a command.
        case rasterMode
    }

    package init(
        paper: ReceiptPaper = Self.usualPaper, codePages: [CodePage: UInt8] = Self.starCodePages,
        initialCodePage: CodePage? = nil,
        symbologies: Set<Symbology> = Self.usualSymbologies, cuts: Set<CutMode> = [.full, .partial],
        tearFeed: Int = 120,
        raster: RasterMethod = .graphics, bandRows: Int = EscPosCapabilities.usualBandRows, hasText: Bool = true
    ) {
        self.paper = paper
        self.codePages = codePages
        self.initialCodePage = initialCodePage
        self.symbologies = hasText ? symbologies : []
        self.cuts = cuts
        self.tearFeed = tearFeed
        self.raster = hasText ? raster : .rasterMode
        self.bandRows = max(bandRows, 1)
        self.hasText = hasText
    }

    /// The capabilities that a profile describes.
    init(_ settings: PrintingSettings) {
        self.init(
            paper: ReceiptPaper(settings), codePages: settings.codePages, initialCodePage: settings.initialCodePage,
            symbologies: settings.receiptSymbologies, cuts: settings.receiptCuts, tearFeed: settings.tearFeed,
            raster: settings.raster.method == .escGsS ? .graphics : .rasterMode, bandRows: settings.bandRows,
            hasText: settings.language != .starRaster)
    }

    /// 80 mm; font B is as high as font A.
    package static let usualPaper = ReceiptPaper(dots: 576, fontB: ReceiptPaper.Cell(width: 9, height: 24))

    /// The numbers of Star's code pages (Star Line Mode Command Specifications, ESC GS t).
    package static let starCodePages: [CodePage: UInt8] = [
        .cp437: 1, .katakana: 2, .cp858: 4, .cp852: 5, .cp866: 10, .windows1252: 32,
    ]

    /// All but Data Matrix.
    package static let usualSymbologies = Set(Symbology.allCases).subtracting([.datamatrix])
}
