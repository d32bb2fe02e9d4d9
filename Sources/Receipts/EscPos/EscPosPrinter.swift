package import PrintModel

/// What ESC/POS commands a printer has, and how its paper is.
package struct EscPosPrinter: Hashable, Sendable {
    package var paper: ReceiptPaper
    /// With their numbers for ESC t.
    package var codePages: [CodePage: UInt8]
    /// What is on after ESC @.
    package var initialCodePage: CodePage?
    /// What it draws itself.
    package var symbologies: Set<Symbology>
    /// How it cuts; empty where it has no cutter.
    package var cuts: Set<CutMode>
    /// From the head to where paper is torn off, in dots.
    package var tearFeed: Int
    /// Dots an inch, where motion units have to be set to dots (GS P); nil where they are dots already.
    package var motionUnit: Int?
    /// Nil where it takes no pictures at all.
    package var raster: RasterMethod?
    /// Rows that a picture's bands have at most, so that each fits the printer's buffer.
    package var bandRows: Int
    /// It begins in a mode of two bytes a character, until `FS .` ends that.
    package var isMultiByte: Bool

    package init(
        paper: ReceiptPaper, codePages: [CodePage: UInt8] = Self.epsonCodePages, initialCodePage: CodePage? = .cp437,
        symbologies: Set<Symbology> = Self.usualSymbologies, cuts: Set<CutMode> = [.full, .partial],
        tearFeed: Int = 120, motionUnit: Int? = nil,
        raster: RasterMethod? = .rows, bandRows: Int = Self.usualBandRows, isMultiByte: Bool = false
    ) {
        self.paper = paper
        self.codePages = codePages
        self.initialCodePage = initialCodePage
        self.symbologies = symbologies
        self.cuts = cuts
        self.tearFeed = tearFeed
        self.motionUnit = motionUnit
        self.raster = raster
        self.bandRows = max(bandRows, 1)
        self.isMultiByte = isMultiByte
    }

    /// 3.5 KB on paper of 80 mm, which printers with a buffer of 4 KB take as one.
    package static let usualBandRows = 48

    /// ESC/POS reference, ESC t.
    package static let epsonCodePages: [CodePage: UInt8] = [
        .cp437: 0, .katakana: 1, .cp850: 2, .windows1252: 16, .cp866: 17, .cp852: 18, .cp858: 19,
    ]

    /// All but Data Matrix, which only recent models draw.
    package static let usualSymbologies = Set(Symbology.allCases).subtracting([.datamatrix])
}
