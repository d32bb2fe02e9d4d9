/// What a printer of pages says of its paper, its rasters and its sheets: what the plan of a document is made from.
/// Read by a contact, or stated by a profile for printers that cannot say.
public struct PageSupport: Hashable, Sendable, Codable {
    /// The media that are loaded (`media-col-ready`, `media-ready`).
    public var ready: [Medium]
    /// The media that it supports (`media-col-database`, `media-supported`), those of a range of sizes with both ends.
    public var supported: [Medium]
    /// The medium that it takes where a job names none (`media-col-default`, `media-default`).
    public var standard: Medium?
    /// The orientation of back sides in PWG raster (PWG 5102.4 `pwg-raster-document-sheet-back`).
    public var sheetBack: SheetBack?
    /// The keywords of `pwg-raster-document-type-supported`: `sgray_8`, `srgb_8`, `black_1`.
    public var rasterTypes: [String]
    /// The dots per inch of PWG raster (`pwg-raster-document-resolution-supported`), equal in both directions,
    /// ascending.
    public var rasterResolutions: [Int]
    /// The keywords of `urf-supported`, as the printer spells them.
    public var appleRaster: [String]
    /// The direction in which landscape pages are turned (`landscape-orientation-requested-preferred`); nil where it
    /// does not say.
    public var landscape: Ticket.Orientation?
    /// The largest JPEG files that it takes; nil where it does not say.
    public var jpeg: JPEGLimits?

    /// Creates a description; the defaults are those of a printer that says nothing.
    public init(
        ready: [Medium] = [], supported: [Medium] = [], standard: Medium? = nil, sheetBack: SheetBack? = nil,
        rasterTypes: [String] = [], rasterResolutions: [Int] = [], appleRaster: [String] = [],
        landscape: Ticket.Orientation? = nil, jpeg: JPEGLimits? = nil
    ) {
        self.ready = ready
        self.supported = supported
        self.standard = standard
        self.sheetBack = sheetBack
        self.rasterTypes = rasterTypes
        self.rasterResolutions = rasterResolutions
        self.appleRaster = appleRaster
        self.landscape = landscape
        self.jpeg = jpeg
    }

    enum CodingKeys: String, CodingKey {
        case ready, supported
        case standard = "default"
        case sheetBack = "sheet-back"
        case rasterTypes = "raster-types"
        case rasterResolutions = "raster-resolutions"
        case appleRaster = "urf"
        case landscape, jpeg
    }

    /// The largest JPEG files of a printer (PWG 5100.13 `jpeg-k-octets-supported`, `jpeg-x-dimension-supported`,
    /// `jpeg-y-dimension-supported`); nil where it states no limit.
    public struct JPEGLimits: Hashable, Sendable, Codable {
        /// Their length in units of 1,024 bytes.
        public var kilobytes: Int?
        /// Their width in pixels.
        public var width: Int?
        /// Their height in pixels.
        public var height: Int?

        /// Creates limits.
        public init(kilobytes: Int? = nil, width: Int? = nil, height: Int? = nil) {
            self.kilobytes = kilobytes
            self.width = width
            self.height = height
        }
    }

    /// The orientation of the back side's pixels (PWG 5102.4 §4.2; Apple Raster's DM1 to DM4).
    public enum SheetBack: String, Hashable, Sendable, Codable, CaseIterable {
        /// As the front (DM1).
        case normal
        /// Mirrored (DM2).
        case flipped
        /// Turned by 180° for sheets that are turned at their long edge (DM3).
        case rotated
        /// Turned by 180° for sheets that are turned at their short edge (DM4).
        case manualTumble = "manual-tumble"
    }
}

/// One medium of a printer: a size or a range of sizes, with the margins that it leaves white there. All lengths are
/// hundredths of a millimetre (PWG 5100.7).
public struct Medium: Hashable, Sendable, Codable {
    /// Its PWG 5101.1 name; nil where the printer gives only numbers.
    public var name: String?
    /// The extent across the feed, which may be the longer edge; the smallest of a range.
    public var width: Int
    /// The extent along the feed; the smallest of a range.
    public var height: Int
    /// The largest width of a range of sizes; nil for one size.
    public var maximumWidth: Int?
    /// The largest height of a range of sizes, such as a roll's longest page; nil for one size.
    public var maximumHeight: Int?
    /// The white border that it cannot print on; nil where it does not say.
    public var margins: Margins?
    /// The tray or roll, a keyword of `media-source`.
    public var source: String?
    /// The kind of paper, a keyword of `media-type`.
    public var type: String?
    /// Whether the paper is a roll, which is cut to the page's length.
    public var isRoll: Bool

    /// Creates a medium.
    public init(
        name: String? = nil, width: Int, height: Int, maximumWidth: Int? = nil, maximumHeight: Int? = nil,
        margins: Margins? = nil, source: String? = nil, type: String? = nil, isRoll: Bool = false
    ) {
        self.name = name
        self.width = width
        self.height = height
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
        self.margins = margins
        self.source = source
        self.type = type
        self.isRoll = isRoll
    }

    enum CodingKeys: String, CodingKey {
        case name, width, height
        case maximumWidth = "maximum-width"
        case maximumHeight = "maximum-height"
        case margins, source, type
        case isRoll = "roll"
    }

    /// The unprintable border of a medium, in hundredths of a millimetre.
    public struct Margins: Hashable, Sendable, Codable {
        /// The border at the edge that leaves the printer first.
        public var top: Int
        /// The border at the left edge.
        public var left: Int
        /// The border at the edge that leaves the printer last.
        public var bottom: Int
        /// The border at the right edge.
        public var right: Int

        /// Creates margins.
        public init(top: Int, left: Int, bottom: Int, right: Int) {
            self.top = top
            self.left = left
            self.bottom = bottom
            self.right = right
        }

        /// The same border at all four edges.
        public init(all border: Int) { self.init(top: border, left: border, bottom: border, right: border) }

        /// Whether the whole sheet can be printed on.
        public var isBorderless: Bool { top == 0 && left == 0 && bottom == 0 && right == 0 }
    }
}
