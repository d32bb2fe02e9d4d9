import KioskPrintModel

/// The headers of Apple Raster (`image/urf`), which is not published; as CUPS reads and writes it
/// (cups/raster-stream.c).
enum AppleRasterHeader {
    /// The values of the media type, in their order.
    private static let mediaTypes = [
        "auto", "stationery", "transparency", "envelope", "cardstock", "labels", "stationery-letterhead", "disc",
        "photographic-matte", "photographic-satin", "photographic-semi-gloss", "photographic-glossy",
        "photographic-high-gloss", "other",
    ]

    /// The header of a file, with the number of its pages.
    static func file(pageCount: Int) -> [UInt8] {
        var header = Array("UNIRAST\0".utf8)
        header.appendBigEndian(pageCount)
        return header
    }

    /// The 32 bytes before a page: bits per pixel, colour space, sides, quality, media type, media position; width,
    /// height and resolution from byte 12.
    static func page(_ page: RasterPage) -> [UInt8] {
        // sGray or sRGB.
        let space: UInt8 = page.color == .rgb24 ? 1 : 0
        let sides: UInt8 =
            switch page.sides {
            case .oneSided: 1
            case .twoSidedShortEdge: 2
            case .twoSidedLongEdge: 3
            }
        let quality = page.quality ?? .normal
        let type = page.mediaType.map { mediaTypes.firstIndex(of: $0) ?? mediaTypes.count - 1 } ?? 0
        var header = [UInt8(page.color.bitsPerPixel), space, sides]
        header += [quality.enumValue, type, MediaPosition.number(of: page.mediaSource)].map { UInt8(clamping: $0) }
        header += [UInt8](repeating: 0, count: 6)
        for number in [page.width, page.height, page.dpi] { header.appendBigEndian(number) }
        return header + [UInt8](repeating: 0, count: 8)
    }
}
