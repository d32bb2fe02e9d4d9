package import PrintModel

/// What commands a printer of Star's has, in Star Line Mode or StarPRNT, and how its paper is.
package struct StarPrinter: Hashable, Sendable {
    package var paper: ReceiptPaper
    /// With their numbers for ESC GS t.
    package var codePages: [CodePage: UInt8]
    /// What is on after ESC @; nil where a memory switch decides.
    package var initialCodePage: CodePage?
    /// What it draws itself.
    package var symbologies: Set<Symbology>
    /// How it cuts; empty where it has no cutter.
    package var cuts: Set<CutMode>
    /// From the head to where paper is torn off, in dots.
    package var tearFeed: Int
    package var raster: RasterMethod
    /// Rows that a picture's bands have at most.
    package var bandRows: Int
    /// False where it takes pictures only, as the TSP100 series does.
    package var hasText: Bool

    /// How it takes pictures.
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
        raster: RasterMethod = .graphics, bandRows: Int = EscPosPrinter.usualBandRows, hasText: Bool = true
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

    /// 80 mm; font B is as high as font A.
    package static let usualPaper = ReceiptPaper(dots: 576, fontB: ReceiptPaper.Cell(width: 9, height: 24))

    /// Star Line Mode Command Specifications, ESC GS t.
    package static let starCodePages: [CodePage: UInt8] = [
        .cp437: 1, .katakana: 2, .cp858: 4, .cp852: 5, .cp866: 10, .windows1252: 32,
    ]

    /// All but Data Matrix.
    package static let usualSymbologies = Set(Symbology.allCases).subtracting([.datamatrix])

    /// ESC i: six times.
    static let largestScale = 6
}
