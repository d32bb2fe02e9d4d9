/// How a printer of pages takes sheets, as its profile states it: for printers that do not say so themselves, and where
/// one is wrong about itself.
public struct PageSettings: Hashable, Sendable, Codable {
    /// The language of pages; nil leaves it to what the printer lists.
    public var raster: Language?
    /// The orientation of the pixels of back sides; nil leaves it to what the printer says.
    public var sheetBack: PageSupport.SheetBack?
    /// Dots per inch, ascending; empty where the printer says.
    public var resolutions: [Int]
    /// Whether it prints colours; nil leaves it to what the printer says.
    public var isColor: Bool?
    /// Whether it prints on both sides; nil leaves it to what the printer says.
    public var isDuplex: Bool?
    /// The border that it cannot print on, in hundredths of a millimetre; nil leaves it to what the printer says.
    public var margins: Medium.Margins?
    /// The PWG 5101.1 names of its media, the usual one first; empty where the printer says.
    public var media: [String]
    /// Whether it takes PJL before PCL and PostScript; nil leaves it to its device id.
    public var usesPJL: Bool?

    /// The languages in which pages can be sent.
    public enum Language: String, Hashable, Sendable, Codable, CaseIterable {
        /// PWG raster (PWG 5102.4), `image/pwg-raster`.
        case pwg
        /// Apple raster, `image/urf`.
        case urf
        /// PCL 5e.
        case pcl5e
        /// PostScript, level 2.
        case postScript = "postscript"

        /// The media type of documents in the language.
        public var format: DocumentFormat {
            switch self {
            case .pwg: .pwgRaster
            case .urf: .appleRaster
            case .pcl5e: .pcl
            case .postScript: .postScript
            }
        }
    }

    /// Creates settings; the defaults leave everything to the printer.
    public init(
        raster: Language? = nil, sheetBack: PageSupport.SheetBack? = nil, resolutions: [Int] = [],
        isColor: Bool? = nil, isDuplex: Bool? = nil, margins: Medium.Margins? = nil, media: [String] = [],
        usesPJL: Bool? = nil
    ) {
        self.raster = raster
        self.sheetBack = sheetBack
        self.resolutions = resolutions
        self.isColor = isColor
        self.isDuplex = isDuplex
        self.margins = margins
        self.media = media
        self.usesPJL = usesPJL
    }

    enum CodingKeys: String, CodingKey {
        case raster
        case sheetBack = "sheet-back"
        case resolutions
        case isColor = "color"
        case isDuplex = "duplex"
        case margins, media
        case usesPJL = "pjl"
    }
}
