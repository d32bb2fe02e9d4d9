/// What a printer takes that is sent receipts or labels, and how its paper is: data from `profiles/`. What a profile
/// leaves open has the standard that stands here, which every printer of the language should get along with.
public struct PrintingSettings: Hashable, Sendable, Codable {
    public var language: Language
    /// Across, where the head prints.
    public var dots: Int
    /// Dots an inch, across and along.
    public var dpi: Int
    /// The roll's or the label's width in millimetres; nil where it is not known.
    public var paperWidth: Int?
    public var fontA: Font
    /// Nil where the printer has none: its text is printed in font A then.
    public var fontB: Font?
    /// Empty dots below a line of text.
    public var lineGap: Int
    /// With the numbers that select them: `ESC t` of ESC/POS, `ESC GS t` of Star.
    public var codePages: [CodePage: UInt8]
    /// What is on after a reset; nil where nobody knows.
    public var initialCodePage: CodePage?
    /// What the printer draws itself, in the order of the cases.
    public var symbologies: [Symbology]
    /// Empty where it has no cutter.
    public var cuts: [Cut]
    /// From the head to where paper is cut or torn off, in dots.
    public var tearFeed: Int
    public var raster: Raster
    /// Whether it keeps pictures when it is switched off, in the memory that `GS ( L` or `FS q` fills.
    public var logoMemory: Bool
    /// Cash drawers that it can open: 0 to 2.
    public var drawers: Int
    /// It can print no pictures: what is none of its characters is replaced, and the job says so.
    public var textOnly: Bool
    /// Its motion units (`GS P`) are not dots until they are set to so many an inch; nil where they are dots already.
    public var motionUnits: Int?
    /// It begins in a mode in which two bytes beyond ASCII make one character, until `FS .` ends that.
    public var multiByte: Bool
    /// Nil for a printer of receipts.
    public var label: Label?
    /// Where that was learnt: URLs, or manuals by their titles.
    public var sources: [String]

    /// The values are usual for printers with 203 dots an inch.
    public init(
        language: Language, dots: Int, dpi: Int = 203, paperWidth: Int? = nil,
        fontA: Font = Font(width: 12, height: 24),
        fontB: Font? = Font(width: 9, height: 17), lineGap: Int = 6, codePages: [CodePage: UInt8] = [:],
        initialCodePage: CodePage? = nil,
        symbologies: [Symbology] = [], cuts: [Cut] = [], tearFeed: Int = 120, raster: Raster = Raster(),
        logoMemory: Bool = false,
        drawers: Int = 0, textOnly: Bool = false, motionUnits: Int? = nil, multiByte: Bool = false, label: Label? = nil,
        sources: [String] = []
    ) {
        self.language = language
        self.dots = dots
        self.dpi = dpi
        self.paperWidth = paperWidth
        self.fontA = fontA
        self.fontB = fontB
        self.lineGap = lineGap
        self.codePages = codePages
        self.initialCodePage = initialCodePage
        self.symbologies = symbologies
        self.cuts = cuts
        self.tearFeed = tearFeed
        self.raster = raster
        if raster.method == nil { self.raster.method = language.rasterMethods.first }
        self.logoMemory = logoMemory
        self.drawers = drawers
        self.textOnly = textOnly
        self.motionUnits = motionUnits
        self.multiByte = multiByte
        self.label = label
        self.sources = sources
    }

    enum CodingKeys: String, CodingKey {
        case language, dots, dpi
        case paperWidth = "paper-width"
        case fontA = "font-a"
        case fontB = "font-b"
        case lineGap = "line-gap"
        case codePages = "code-pages"
        case initialCodePage = "initial-code-page"
        case symbologies, cuts
        case tearFeed = "tear-feed"
        case raster
        case logoMemory = "logo-memory"
        case drawers
        case textOnly = "text-only"
        case motionUnits = "motion-units"
        case multiByte = "multi-byte"
        case label, sources
    }
}
