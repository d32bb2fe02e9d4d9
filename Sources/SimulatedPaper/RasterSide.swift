/// One side of a raster document as it was sent.
package struct RasterSide: Hashable, Sendable {
    package var header: RasterSideHeader
    /// The rows, one behind the other.
    package var rows: [UInt8]
}

/// The size and pixel format of a raster page, and what its header says of the sheet.
package struct RasterSideHeader: Hashable, Sendable {
    /// The meaning of a pixel's bytes.
    package enum Colour: String, Sendable {
        /// 0 is black.
        case grey, rgb
        /// 0 is white.
        case black
    }

    package var width: Int
    package var height: Int
    package var bitsPerPixel: Int
    package var bytesPerLine: Int
    package var colour: Colour
    package var dotsPerInch: Int
    /// Whether both sides of sheets are printed, and whether they are turned at the short edge.
    package var isDuplex = false
    package var isTumble = false
    /// -1 where the pixels are mirrored left to right, or top to bottom; Apple Raster does not say.
    package var crossFeedTransform = 1
    package var feedTransform = 1
    /// The sides of the document; 0 where it does not say.
    package var pageCount = 0
    /// The value of `print-quality`; 0 where the printer chooses.
    package var quality = 0
    /// The number of the tray.
    package var mediaPosition = 0
    /// The size in points: width, height. Apple Raster does not say.
    package var pageSize: [Int] = []
    /// The names of the kind of paper and of its size, as far as the format has names.
    package var mediaType = ""
    package var mediaName = ""
    /// Left, top, right and bottom of what is not white, in dots; zeros where it does not say.
    package var imageBox: [Int] = []

    /// The bytes of the units that the compression repeats: whole pixels, or eight pixels of one bit.
    var bytesPerUnit: Int { max(1, bitsPerPixel / 8) }

    /// Reads the header of a PWG Raster page (PWG 5102.4, section 4.3). Nil for unsupported formats.
    init?(pwg bytes: [UInt8]) {
        func number(_ offset: Int) -> Int {
            bytes.count >= offset + 4 ? bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } : 0
        }
        func signed(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: number(offset))) }
        func text(_ offset: Int) -> String {
            String(decoding: bytes.dropFirst(offset).prefix(64).prefix { $0 != 0 }, as: UTF8.self)
        }
        width = number(372)
        height = number(376)
        bitsPerPixel = number(388)
        bytesPerLine = number(392)
        dotsPerInch = number(276)
        // cupsColorOrder: chunky.
        guard number(396) == 0 else { return nil }
        switch (number(400), bitsPerPixel) {
        case (18, 8), (0, 8): colour = .grey
        case (3, 1), (3, 8): colour = .black
        case (18, 1), (0, 1): colour = .grey
        case (19, 24), (1, 24), (20, 24): colour = .rgb
        default: return nil
        }
        isDuplex = number(272) != 0
        isTumble = number(368) != 0
        pageCount = number(452)
        crossFeedTransform = signed(456)
        feedTransform = signed(460)
        imageBox = [464, 468, 472, 476].map(number)
        quality = number(484)
        mediaPosition = number(324)
        pageSize = [number(352), number(356)]
        mediaType = text(128)
        mediaName = text(1732)
        guard isPossible, bytesPerLine == (width * bitsPerPixel + 7) / 8 else { return nil }
    }

    /// Reads the header of an Apple Raster page: bits per pixel, colour space, sides, quality, media type, media
    /// position, six bytes that are not used; width, height, resolution.
    init?(urf bytes: [UInt8], pageCount: Int) {
        func number(_ offset: Int) -> Int {
            bytes.count >= offset + 4 ? bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } : 0
        }
        guard bytes.count == 32 else { return nil }
        width = number(12)
        height = number(16)
        dotsPerInch = number(20)
        bitsPerPixel = Int(bytes[0])
        bytesPerLine = (width * bitsPerPixel + 7) / 8
        switch (bytes[1], bitsPerPixel) {
        // sGray and Gray, sRGB and RGB.
        case (0, 8), (4, 8): colour = .grey
        case (1, 24), (3, 24), (5, 24): colour = .rgb
        default: return nil
        }
        self.pageCount = pageCount
        isDuplex = bytes[2] >= 2
        isTumble = bytes[2] == 2
        quality = Int(bytes[3])
        mediaPosition = Int(bytes[5])
        guard isPossible else { return nil }
    }

    private var isPossible: Bool {
        (1...RasterReader.maximumWidth).contains(width) && (1...RasterReader.maximumHeight).contains(height)
            && (1...4800).contains(dotsPerInch)
    }
}
