/// Reads pages of PWG Raster (PWG 5102.4) and Apple Raster (URF) as one-bit pictures: pixels darker than medium grey
/// are black.
enum RasterReader {
    static let maximumWidth = 10_000
    static let maximumHeight = 40_000
    /// The dots of all pages together.
    private static let maximumDots = 400_000_000
    private static let maximumPages = 200

    static func print(_ bytes: [UInt8], as language: PaperLanguage) -> [PrintedPaper] {
        var reader = ByteReader(bytes)
        let isPWG = language == .pwg
        guard let start = reader.take(isPWG ? 4 : 12),
            start.starts(with: isPWG ? Array("RaS2".utf8) : Array("UNIRAST\0".utf8))
        else {
            return [fault(0, "neither PWG nor Apple Raster")]
        }
        var pages: [PrintedPaper] = []
        var dots = 0
        while !reader.isAtEnd, pages.count < maximumPages {
            let offset = reader.position
            guard let head = reader.take(isPWG ? 1796 : 32),
                let header = isPWG ? RasterHeader(pwg: head) : RasterHeader(urf: head)
            else {
                pages.append(fault(offset, "a page's header that isn't read here"))
                break
            }
            dots += header.width * header.height
            guard dots <= maximumDots else {
                pages.append(fault(offset, "too many dots"))
                break
            }
            let (picture, rows) = page(header, &reader)
            let isWhole = rows == header.height
            let meaning =
                "\(header.width)×\(header.height) dots of \(header.dotsPerInch) dpi, \(header.bitsPerPixel) bits, \(header.colour.rawValue)"
            let end = isWhole ? "" : ": cut short after \(rows) rows"
            pages.append(
                PrintedPaper(
                    events: [
                        PaperEvent(
                            offset: offset,
                            kind: .command(name: "page", parameters: "\(pages.count + 1)", meaning: meaning + end),
                            isFault: !isWhole)
                    ], picture: picture, cuts: []))
            if !isWhole { break }
        }
        return pages
    }

    private static func fault(_ offset: Int, _ meaning: String) -> PrintedPaper {
        PrintedPaper(
            events: [
                PaperEvent(
                    offset: offset, kind: .command(name: "page", parameters: "", meaning: meaning), isFault: true)
            ],
            picture: Bitmap(width: 1, height: 1), cuts: [])
    }

    /// The picture, and the number of its rows that were received.
    private static func page(_ header: RasterHeader, _ reader: inout ByteReader) -> (Bitmap, rows: Int) {
        var rows: [UInt8] = []
        var count = 0
        while count < header.height, let times = reader.next(), let line = line(header, &reader) {
            let packed = dots(line, header)
            // Each row is preceded by the number of its repetitions.
            let again = min(Int(times) + 1, header.height - count)
            for _ in 0..<again { rows += packed }
            count += again
        }
        return (Bitmap(width: header.width, height: count, rows: rows), count)
    }

    /// Decodes a row of runs and literals of whole pixels; 128 makes the rest of the row white. Nil where there are too
    /// few or too many bytes.
    private static func line(_ header: RasterHeader, _ reader: inout ByteReader) -> [UInt8]? {
        var line: [UInt8] = []
        line.reserveCapacity(header.bytesPerLine)
        while line.count < header.bytesPerLine {
            guard let code = reader.next() else { return nil }
            switch code {
            case 128: line += repeatElement(header.colour == .black ? 0 : 0xFF, count: header.bytesPerLine - line.count)
            case 0...127:
                guard let unit = reader.take(header.bytesPerUnit) else { return nil }
                for _ in 0...code { line += unit }
            default:
                guard let units = reader.take((257 - Int(code)) * header.bytesPerUnit) else { return nil }
                line += units
            }
        }
        return line.count == header.bytesPerLine ? line : nil
    }

    private static func dots(_ line: [UInt8], _ header: RasterHeader) -> [UInt8] {
        if header.bitsPerPixel == 1 { return header.colour == .black ? line : line.map { ~$0 } }
        var packed = [UInt8](repeating: 0, count: (header.width + 7) / 8)
        for x in 0..<header.width {
            let isDark =
                switch header.colour {
                case .grey: line[x] < 128
                case .black: line[x] >= 128
                // The weights of red, green and blue in brightness (ITU-R BT.601), in thousandths.
                case .rgb: Int(line[x * 3]) * 299 + Int(line[x * 3 + 1]) * 587 + Int(line[x * 3 + 2]) * 114 < 128_000
                }
            if isDark { packed[x >> 3] |= 0x80 >> UInt8(x & 7) }
        }
        return packed
    }
}

/// The size and pixel format of a raster page.
private struct RasterHeader {
    /// The meaning of a pixel's bytes.
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

    /// The bytes of the units that the compression repeats: whole pixels, or eight pixels of one bit.
    var bytesPerUnit: Int { max(1, bitsPerPixel / 8) }

    /// Reads the header of a PWG Raster page (PWG 5102.4, section 4.3). Nil for unsupported formats.
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

    /// Reads the header of an Apple Raster page: bits per pixel, colour space, twice four bytes that are not used here,
    /// width, height, resolution.
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
        (1...RasterReader.maximumWidth).contains(width) && (1...RasterReader.maximumHeight).contains(height)
            && (1...4800).contains(dotsPerInch)
    }
}
