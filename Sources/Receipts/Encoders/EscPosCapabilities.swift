package import PrintModel

/// The capabilities of an ESC/POS printer: the commands that it has, and its paper.
package struct EscPosCapabilities: Hashable, Sendable, LinePrinterCapabilities {
    package var paper: ReceiptPaper
    /// The code pages with their numbers for ESC t.
    package var codePages: [CodePage: UInt8]
    /// The code page after ESC @; nil where it is not known.
    package var initialCodePage: CodePage?
    /// The codes that the printer draws itself.
    package var symbologies: Set<Symbology>
    /// The cutter's modes; empty where there is no cutter.
    package var cuts: Set<CutMode>
    /// The distance from the head to where paper is torn off, in dots.
    package var tearFeed: Int
    /// The motion units per inch that GS P has to set, so that a unit is a dot; nil where it is one already.
    package var motionUnit: Int?
    /// Nil where the printer takes no pictures.
    package var raster: RasterMethod?
    /// The most rows of a picture's band, so that each band fits the printer's buffer.
    package var bandRows: Int
    /// Whether the printer starts in a mode of two bytes per character, until `FS .` ends it.
    package var isMultiByte: Bool

    /// How a printer takes pictures.
    package enum RasterMethod: Hashable, Sendable {
        /// `GS v 0`: rows that are printed as they come.
        case rows
        /// `GS ( L`, or `GS 8 L` where a band is large: rows that are stored and then printed.
        case graphics
        /// `ESC *`: strips of 24 rows, for older printers.
        case strips
    }

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

    /// The capabilities that a profile describes.
    package init(_ settings: PrintingSettings) {
        let raster: RasterMethod =
            switch settings.raster.method {
            case .gsL: .graphics
            case .columns: .strips
            default: .rows
            }
        self.init(
            paper: ReceiptPaper(settings), codePages: settings.codePages, initialCodePage: settings.initialCodePage,
            symbologies: settings.receiptSymbologies, cuts: settings.receiptCuts, tearFeed: settings.tearFeed,
            motionUnit: settings.motionUnits, raster: settings.textOnly ? nil : raster, bandRows: settings.bandRows,
            isMultiByte: settings.multiByte)
    }

    /// 3.5 KB on paper of 80 mm, which printers with a buffer of 4 KB take as one.
    package static let usualBandRows = 48

    /// The numbers of Epson's code pages (ESC/POS reference, ESC t).
    package static let epsonCodePages: [CodePage: UInt8] = [
        .cp437: 0, .katakana: 1, .cp850: 2, .windows1252: 16, .cp866: 17, .cp852: 18, .cp858: 19,
    ]

    /// All but Data Matrix, which only recent models draw.
    package static let usualSymbologies = Set(Symbology.allCases).subtracting([.datamatrix])
}
