/// The size and form of a page of raster.
struct RasterHeader {
    /// What a byte or three of a pixel mean.
    enum Colour: String {
        /// 0 is black.
        case grey, rgb
        /// 0 is white.
        case black
    }

    var width: Int
    var height: Int
    var bitsPerPixel: Int
    var bytesPerLine: Int
    var colour: Colour
    var dotsPerInch: Int

    /// The units that the compression repeats: whole pixels, or bytes of eight pixels.
    var bytesPerUnit: Int { max(1, bitsPerPixel / 8) }

    /// Of a PWG raster page (PWG 5102.4, section 4.3); nil for forms that are not read here.
    init?(pwg bytes: [UInt8]) {
        func number(_ offset: Int) -> Int {
            bytes.count >= offset + 4 ? bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } : 0
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
        guard isPossible, bytesPerLine == (width * bitsPerPixel + 7) / 8 else { return nil }
    }

    /// Of an Apple Raster page: bits of a pixel, colour space, four bytes not used here twice, width, height,
    /// resolution.
    init?(urf bytes: [UInt8]) {
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
        guard isPossible else { return nil }
    }

    private var isPossible: Bool {
        (1...RasterReader.widest).contains(width) && (1...RasterReader.tallest).contains(height)
            && (1...4800).contains(dotsPerInch)
    }
}
