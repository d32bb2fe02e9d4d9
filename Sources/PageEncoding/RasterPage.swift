package import KioskPrintModel

/// The pixels of a side.
package enum PageColor: UInt8, Hashable, Sendable, CaseIterable {
    /// A bit for each dot, the leftmost in the highest bit; 1 is black.
    case black1 = 1
    /// A byte for each dot, in the coding of sRGB; 0 is black.
    case gray8 = 2
    /// Three bytes for each dot: red, green and blue of sRGB.
    case rgb24 = 3

    /// The bits of a dot.
    package var bitsPerPixel: Int {
        switch self {
        case .black1: 1
        case .gray8: 8
        case .rgb24: 24
        }
    }

    /// The byte whose repetition is white.
    package var white: UInt8 { self == .black1 ? 0 : 0xFF }

    /// The bytes of a row without padding. Bits beyond the width are ignored.
    package func bytesPerRow(width: Int) -> Int { (min(max(width, 0), 1 << 40) * bitsPerPixel + 7) / 8 }
}

/// A rectangle of dots; `right` and `bottom` are outside.
package struct DotRectangle: Hashable, Sendable {
    package var left: Int
    package var top: Int
    package var right: Int
    package var bottom: Int

    /// Creates a rectangle from its edges.
    package init(left: Int, top: Int, right: Int, bottom: Int) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    /// The number of columns.
    package var width: Int { Self.distance(left, right) }
    /// The number of rows.
    package var height: Int { Self.distance(top, bottom) }
    private static func distance(_ first: Int, _ last: Int) -> Int {
        let (distance, isTooLarge) = last.subtractingReportingOverflow(first)
        return last <= first ? 0 : isTooLarge ? Int.max : distance
    }

    /// Whether it has no dot.
    package var isEmpty: Bool { right <= left || bottom <= top }
}

/// One side of a sheet as it is sent: the size of its pixels, and what its header says.
package struct RasterPage: Hashable, Sendable {
    /// The dots of a row.
    package var width: Int
    /// The number of rows.
    package var height: Int
    /// The dots per inch, equal in both directions.
    package var dpi: Int
    /// The rows that `PageEncoder.append` is given.
    package var color: PageColor
    /// The paper's PWG 5101.1 name.
    package var mediaName: String?
    /// The paper's extent across the feed, in hundredths of a millimetre; 0 where it is that of the dots.
    package var paperWidth = 0
    /// The paper's extent along the feed, in hundredths of a millimetre; 0 where it is that of the dots.
    package var paperHeight = 0
    /// The sides of the sheet that are printed, and the edge at which it is turned.
    package var sides = Ticket.Sides.oneSided
    /// Whether this is the back of a sheet.
    package var isBack = false
    /// -1 where the pixels are mirrored left to right (PWG 5102.4 CrossFeedTransform), else 1.
    package var crossFeedTransform = 1
    /// -1 where the pixels are upside-down (PWG 5102.4 FeedTransform), else 1.
    package var feedTransform = 1
    /// The quality; nil for the printer's choice.
    package var quality: Ticket.Quality?
    /// The sides of the whole document with all copies; 0 where it is not known.
    package var sideCount = 0
    /// The part of the side that is not white; nil where it is not known.
    package var imageBox: DotRectangle?
    /// The tray or roll, a keyword of `media-source`.
    package var mediaSource: String?
    /// The kind of paper, a keyword of `media-type`.
    package var mediaType: String?
    /// A keyword of `print-content-optimize` (PWG 5100.7): `text`, `photo`.
    package var contentOptimize: String?
    /// A keyword of `print-rendering-intent` (PWG 5100.13).
    package var renderingIntent: String?
    /// Whether the paper is cut after this side.
    package var isCut = false
    /// The border that the printer cannot print on, in hundredths of a millimetre; nil for what is usual in the
    /// language. PCL leaves out the dots that it covers.
    package var margins: Medium.Margins?

    /// Creates a side.
    package init(width: Int, height: Int, dpi: Int, color: PageColor) {
        self.width = width
        self.height = height
        self.dpi = dpi
        self.color = color
    }

    /// The bytes of a row without padding.
    package var bytesPerRow: Int { color.bytesPerRow(width: width) }
}

/// A language in which pages are sent as pixels.
package enum PageLanguage: UInt8, Hashable, Sendable, CaseIterable {
    /// PWG 5102.4.
    case pwgRaster = 1
    /// `image/urf`.
    case appleRaster = 2
    /// Hewlett-Packard's PCL 5e, in black.
    case pcl5e = 3
    /// Adobe's PostScript, level 2.
    case postScript = 4
    /// The rows alone, without headers or padding, for the encoders of label and receipt printers.
    case dots = 5

    /// Whether sides may have such pixels. PCL takes grey, and screens it.
    package func takes(_ color: PageColor) -> Bool {
        switch self {
        case .pwgRaster, .postScript, .dots: true
        case .appleRaster: color != .black1
        case .pcl5e: color != .rgb24
        }
    }
}

/// What holds for all sides of a document.
package struct RasterDocument: Hashable, Sendable {
    package var language: PageLanguage
    /// The sides that are encoded; 0 where their number is not known.
    package var sideCount: Int
    /// How often a printer of PCL or PostScript prints the document. Rasters contain every copy, and ignore it.
    package var copies = 1
    /// Whether a copy is complete before the next begins, where the printer makes the copies.
    package var isCollated = true
    /// The name that the printer shows for the job.
    package var jobName: String?
    /// Whether the printer takes PJL before PCL and PostScript.
    package var usesPJL = false
    /// Whether the way to the printer carries any byte. Where it does not, PostScript is sent in ASCII.
    package var isEightBitClean = false

    /// Creates a document.
    package init(_ language: PageLanguage, sideCount: Int = 0) {
        self.language = language
        self.sideCount = sideCount
    }
}
