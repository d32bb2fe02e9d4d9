import KioskPrintModel

/// The header of a page of PWG Raster (PWG 5102.4 §4.3). Fields that are not set are 0.
struct PWGRasterHeader {
    /// What a file begins with.
    static let synchronization = Array("RaS2".utf8)

    private(set) var bytes = [UInt8](repeating: 0, count: 1796)

    /// Values of ColorSpace (§4.3.3.4): in the first, 1 is black.
    private static let (black, sGray, sRGB) = (3, 18, 19)
    /// The value of CutMedia that cuts after each page.
    private static let cutAfterPage = 4
    /// AlternatePrimary: white.
    private static let white = 0xFF_FFFF

    init(_ page: RasterPage) {
        set("PwgRaster", at: 0)
        set(page.mediaType, at: 128)
        set(page.contentOptimize, at: 192)
        set(page.isCut ? Self.cutAfterPage : 0, at: 268)
        set(page.sides == .oneSided ? 0 : 1, at: 272)
        set(page.dpi, page.dpi, at: 276)
        set(MediaPosition.number(of: page.mediaSource), at: 324)
        // NumCopies: the stream contains all copies itself.
        set(1, at: 340)
        let (width, height) = (page.widthInPoints, page.heightInPoints)
        set(width, height, at: 352)
        set(page.sides == .twoSidedShortEdge ? 1 : 0, at: 368)
        set(page.width, page.height, at: 372)
        let (bitsPerColor, colors, space) =
            switch page.color {
            case .black1: (1, 1, Self.black)
            case .gray8: (8, 1, Self.sGray)
            case .rgb24: (8, 3, Self.sRGB)
            }
        set(bitsPerColor, page.color.bitsPerPixel, page.bytesPerRow, 0, space, at: 384)
        set(colors, at: 420)
        // Reserved by PWG 5102.4, and cupsPageSize to CUPS, as IEEE 754 single precision.
        set(Int(Float(width).bitPattern), Int(Float(height).bitPattern), at: 428)
        set(page.sideCount, page.crossFeedTransform, page.feedTransform, at: 452)
        if let box = page.imageBox { set(box.left, box.top, box.right, box.bottom, at: 464) }
        set(Self.white, at: 480)
        set(page.quality?.enumValue ?? 0, at: 484)
        set(page.renderingIntent, at: 1668)
        set(page.mediaName, at: 1732)
    }

    /// Numbers of four bytes, one behind the other.
    private mutating func set(_ values: Int..., at offset: Int) {
        for (index, value) in values.enumerated() {
            for byte in 0..<4 {
                bytes[offset + index * 4 + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * byte))
            }
        }
    }

    /// A string of at most 63 bytes, ended by 0.
    private mutating func set(_ text: String?, at offset: Int) {
        guard let text else { return }
        for (index, byte) in text.utf8.prefix(63).enumerated() { bytes[offset + index] = byte }
    }
}

/// The trays and rolls of PWG 5102.4 MediaPosition, which Apple Raster numbers alike.
enum MediaPosition {
    private static let keywords =
        [
            "auto", "main", "alternate", "large-capacity", "manual", "envelope", "disc", "photo", "hagaki", "main-roll",
            "alternate-roll", "top", "middle", "bottom", "side", "left", "right", "center", "rear", "by-pass-tray",
        ] + (1...20).map { "tray-\($0)" } + (1...10).map { "roll-\($0)" }

    /// The number of a `media-source`; 0, the printer's choice, where it has none.
    static func number(of source: String?) -> Int { source.flatMap { keywords.firstIndex(of: $0) } ?? 0 }
}

extension RasterPage {
    /// The paper's width in points, rounded.
    var widthInPoints: Int {
        paperWidth > 0 ? (paperWidth * 72 + 1270) / 2540 : (width * 72 + dpi / 2) / dpi
    }

    /// The paper's height in points, rounded.
    var heightInPoints: Int {
        paperHeight > 0 ? (paperHeight * 72 + 1270) / 2540 : (height * 72 + dpi / 2) / dpi
    }
}

extension Ticket.Quality {
    /// The value of `print-quality` (RFC 8011 §5.2.13).
    var enumValue: Int {
        switch self {
        case .draft: 3
        case .normal: 4
        case .high: 5
        }
    }
}
