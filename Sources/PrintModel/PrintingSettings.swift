/// The language, fonts, paper and features of a printer for receipts or labels: data from `profiles/`. What a profile
/// leaves open has the default of this type, which should suit every printer of the language.
public struct PrintingSettings: Hashable, Sendable, Codable {
    /// The command language that receipts are encoded in.
    public var language: Language
    /// The width of the print head, in dots.
    public var dots: Int
    /// Dots per inch, in both directions.
    public var dpi: Int
    /// The width of the roll or label in millimetres; nil where it is not known.
    public var paperWidth: Int?
    /// The cell of font A, the standard font.
    public var fontA: Font
    /// Nil where the printer has none: then its text is printed in font A.
    public var fontB: Font?
    /// Empty dots below a line of text.
    public var lineGap: Int
    /// The code pages with the numbers that select them: `ESC t` of ESC/POS, `ESC GS t` of Star.
    public var codePages: [CodePage: UInt8]
    /// The code page after a reset; nil where it is not known.
    public var initialCodePage: CodePage?
    /// The codes that the printer draws itself, in the order of the cases.
    public var symbologies: [Symbology]
    /// The cuts that it can make; empty where it has no cutter.
    public var cuts: [Cut]
    /// The distance from the head to where paper is cut or torn off, in dots.
    public var tearFeed: Int
    /// How pictures are sent.
    public var raster: Raster
    /// Whether it has non-volatile memory for pictures (`GS ( L`, `FS q`).
    public var logoMemory: Bool
    /// The number of cash drawers that it can open: 0 to 2.
    public var drawers: Int
    /// The colours of its text: black first.
    public var colors: [Color]
    /// Whether it has a buzzer that its language sounds: `ESC B` of ESC/POS, `ESC GS EM` of Star, `SOUND` of TSPL.
    public var buzzer: Bool
    /// The command that prints a picture of its memory; nil where it has none.
    public var storedLogos: LogoCommand?
    /// Whether `ESC {` of ESC/POS turns its lines upside down.
    public var upsideDown: Bool
    /// Whether it cannot print pictures: characters that it lacks are replaced, and the job says so.
    public var textOnly: Bool
    /// The motion units per inch that `GS P` has to set, so that a unit is a dot; nil where it is one already.
    public var motionUnits: Int?
    /// Whether it starts in a mode in which two bytes beyond ASCII make one character, until `FS .` ends it.
    public var multiByte: Bool
    /// Nil for a receipt printer.
    public var label: Label?
    /// The sources of the settings: URLs, or titles of manuals.
    public var sources: [String]

    /// The default values are usual for printers with 203 dots per inch.
    public init(
        language: Language, dots: Int, dpi: Int = 203, paperWidth: Int? = nil,
        fontA: Font = Font(width: 12, height: 24),
        fontB: Font? = Font(width: 9, height: 17), lineGap: Int = 6, codePages: [CodePage: UInt8] = [:],
        initialCodePage: CodePage? = nil,
        symbologies: [Symbology] = [], cuts: [Cut] = [], tearFeed: Int = 120, raster: Raster = Raster(),
        logoMemory: Bool = false,
        drawers: Int = 0, textOnly: Bool = false, motionUnits: Int? = nil, multiByte: Bool = false, label: Label? = nil,
        sources: [String] = [], colors: [Color] = [.black], buzzer: Bool = false, storedLogos: LogoCommand? = nil,
        upsideDown: Bool = false
    ) {
        self.storedLogos = storedLogos
        self.upsideDown = upsideDown
        self.colors = colors
        self.buzzer = buzzer
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
        case drawers, colors, buzzer
        case storedLogos = "stored-logos"
        case upsideDown = "upside-down"
        case textOnly = "text-only"
        case motionUnits = "motion-units"
        case multiByte = "multi-byte"
        case label, sources
    }
}

// MARK: - Languages, fonts, codes, pictures, labels

extension PrintingSettings {
    /// The command language of a printer.
    public enum Language: String, Hashable, Sendable, Codable, CaseIterable {
        /// Epson's ESC/POS.
        case escPOS = "esc-pos"
        /// StarPRNT.
        case starPRNT = "star-prnt"
        /// Star Line Mode.
        case starLine = "star-line"
        /// Star's raster mode only: printers without built-in fonts.
        case starRaster = "star-raster"
        /// ZPL II (Zebra).
        case zpl
        /// EPL2 (Eltron, Zebra).
        case epl2
        /// TSPL (TSC).
        case tspl
        /// Lines of text and form feeds, no commands.
        case text
        /// Pixels in a raster format of IPP that the printer lists, such as PWG raster or Apple raster.
        case raster

        /// Whether it is a language of label printers.
        public var isForLabels: Bool { [.zpl, .epl2, .tspl].contains(self) }

        /// The commands for pictures, the one that most printers support first; none where the language has only one.
        public var rasterMethods: [Raster.Method] {
            switch self {
            case .escPOS: [.gsV0, .gsL, .columns]
            case .starPRNT: [.escGsS, .escStarR, .columns]
            case .starLine: [.escStarR, .columns]
            case .starRaster: [.escStarR]
            case .zpl, .epl2, .tspl, .text, .raster: []
            }
        }

        /// The commands for pictures of the printer's memory.
        public var logoCommands: [LogoCommand] {
            switch self {
            case .escPOS: [.gsL, .fsP]
            case .starPRNT, .starLine: [.escFsP]
            case .starRaster, .zpl, .epl2, .tspl, .text, .raster: []
            }
        }
    }

    /// The size of a character cell in dots, as profiles write it: `12x24`.
    public struct Font: Hashable, Sendable {
        /// The width in dots, with the space between characters.
        public var width: Int
        /// The height in dots.
        public var height: Int

        /// Creates a size; `init(_:)` also checks its limits.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The codes that receipts may contain, with ReceiptLine's names, and those that ReceiptLine lacks.
    public enum Symbology: String, Hashable, Sendable, Codable, CaseIterable {
        /// A barcode or two-dimensional code.
        case upc, ean, code39, itf, codabar, code93, code128, qrcode, pdf417, datamatrix
        /// GS1-128: Code 128 with GS1's identifiers.
        case gs1128 = "gs1-128"
        /// GS1 DataBar Omnidirectional.
        case databar
        /// GS1 DataBar Expanded.
        case databarExpanded = "databar-expanded"
        /// An Aztec code, or a MaxiCode.
        case aztec, maxicode
    }

    /// The colours of a printer's text.
    public enum Color: String, Hashable, Sendable, Codable, CaseIterable {
        /// What every printer prints.
        case black
        /// The second colour of two-colour paper or ribbon.
        case red
    }

    /// The way in which a picture of the printer's memory is printed.
    public enum LogoCommand: String, Hashable, Sendable, Codable, CaseIterable {
        /// ESC/POS `GS ( L`, function 69: pictures with keys of two characters.
        case gsL = "gs-l"
        /// ESC/POS `FS p`: pictures with numbers, on older printers and clones.
        case fsP = "fs-p"
        /// Star `ESC FS p`: pictures with numbers.
        case escFsP = "esc-fs-p"
    }

    /// The cuts of a cutter.
    public enum Cut: String, Hashable, Sendable, Codable, CaseIterable {
        /// Separates the paper.
        case full
        /// Leaves one point of the paper uncut.
        case partial
    }

    /// The way in which the printer receives pictures.
    public struct Raster: Hashable, Sendable, Codable {
        /// Nil where the language has only one.
        public var method: Method?
        /// The maximum number of rows in one command.
        public var band: Int
        /// The size of its receive buffer, in bytes.
        public var buffer: Int

        /// The commands for pictures.
        public enum Method: String, Hashable, Sendable, Codable, CaseIterable {
            /// ESC/POS `GS v 0`.
            case gsV0 = "gs-v-0"
            /// ESC/POS `GS ( L` and `GS 8 L`, functions 112 and 50.
            case gsL = "gs-l"
            /// ESC/POS `ESC *` or Star `ESC X`: 24 rows at a time.
            case columns
            /// StarPRNT `ESC GS S`.
            case escGsS = "esc-gs-s"
            /// Star `ESC * r`.
            case escStarR = "esc-star-r"
        }

        /// Creates settings; the defaults suit printers with a buffer of 4 KB.
        public init(method: Method? = nil, band: Int = 256, buffer: Int = 4096) {
            self.method = method
            self.band = band
            self.buffer = buffer
        }
    }

    /// The labels in the printer, where a job does not state another size.
    public struct Label: Hashable, Sendable, Codable {
        /// The size in millimetres.
        public var width: Int
        /// The length of a label, in the direction of the paper's movement.
        public var height: Int
        /// The gap between two labels, in millimetres: 0 is continuous paper.
        public var gap: Int
        /// The darkness in the scale of the printer's language: ZPL `~SD` 0 to 30, EPL2 `D` and TSPL `DENSITY` 0 to 15.
        /// Nil leaves the printer's setting.
        public var darkness: Int?
        /// Inches per second; nil leaves the printer's setting.
        public var speed: Int?

        /// Creates the size of labels, in millimetres.
        public init(width: Int, height: Int, gap: Int = 3, darkness: Int? = nil, speed: Int? = nil) {
            self.width = width
            self.height = height
            self.gap = gap
            self.darkness = darkness
            self.speed = speed
        }
    }
}

extension PrintingSettings.Font: CustomStringConvertible {
    /// `12x24`.
    public var description: String { "\(width)x\(height)" }

    /// Reads `12x24`; nil for anything else, and for sizes that no printer has.
    public init?(_ text: String) {
        let (width, height) = text.splitOnce(at: "x")
        guard let width = Self.number(width), let height = height.flatMap(Self.number) else { return nil }
        self.init(width: width, height: height)
    }

    /// The limits for width and height, in dots.
    package static let sides = 4...128

    private static func number(_ text: Substring) -> Int? {
        Int(digits: text).flatMap { sides.contains($0) ? $0 : nil }
    }
}

extension PrintingSettings.Font: Codable {
    /// Decodes `12x24`.
    /// - Throws: `DecodingError` for any other string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ Self($0) }, problem: { _ in "no character cell such as 12x24" })
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// A code page of receipt printers: a table of 256 characters, with its name in profiles. The lower half is ASCII in
/// all of them.
///
/// Arabic code pages are left out: each Arabic letter needs the shape that its neighbours give it, so Arabic text is
/// drawn.
public enum CodePage: String, Hashable, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
    // Where several code pages contain a character, the encoder uses the first of these cases.
    /// The original IBM PC's code page, the default of most receipt printers.
    case cp437
    /// CP850 with the Euro sign.
    case cp858
    /// Western Europe.
    case cp850
    /// Western Europe, with the Euro sign.
    case windows1252 = "windows-1252"
    /// Central Europe.
    case cp852
    /// Cyrillic.
    case cp866
    /// Half-width Katakana.
    case katakana
    /// Central Europe, with the Euro sign.
    case windows1250 = "windows-1250"
    /// Cyrillic, with the Euro sign.
    case windows1251 = "windows-1251"
    /// Greek, with the Euro sign.
    case windows1253 = "windows-1253"
    /// Turkish, with the Euro sign.
    case windows1254 = "windows-1254"
    /// Hebrew, with vowels and the Euro sign.
    case windows1255 = "windows-1255"
    /// The Baltic, with the Euro sign.
    case windows1257 = "windows-1257"
    /// Vietnamese, with combining marks and the Euro sign.
    case windows1258 = "windows-1258"
    /// Greek.
    case cp737
    /// The Baltic.
    case cp775
    /// Cyrillic.
    case cp855
    /// Turkish.
    case cp857
    /// Portuguese.
    case cp860
    /// Icelandic.
    case cp861
    /// Hebrew, in the order of its cells.
    case cp862
    /// Canadian French.
    case cp863
    /// Nordic.
    case cp865
    /// Greek.
    case cp869
    /// Lithuanian.
    case cp772
    /// Lithuanian.
    case cp774
    /// Ukrainian.
    case cp1125
    /// Thai, as far as its letters have code points of their own.
    case cp874
    /// Kazakh.
    case rk1048
    /// Latin 1: Western Europe.
    case iso1 = "iso-8859-1"
    /// Latin 2: Central Europe.
    case iso2 = "iso-8859-2"
    /// Latin 3: Maltese, Esperanto.
    case iso3 = "iso-8859-3"
    /// Latin 4: the Baltic.
    case iso4 = "iso-8859-4"
    /// Cyrillic.
    case iso5 = "iso-8859-5"
    /// Greek, with the Euro sign.
    case iso7 = "iso-8859-7"
    /// Hebrew.
    case iso8 = "iso-8859-8"
    /// Latin 5: Turkish.
    case iso9 = "iso-8859-9"
    /// Latin 9: Western Europe, with the Euro sign.
    case iso15 = "iso-8859-15"
}
