/// Pages of PWG raster (PWG 5102.4) and Apple Raster (URF) as one-bit pictures: what is darker than the middle is
/// black.
enum RasterReader {
    static let widest = 10_000
    static let tallest = 40_000
    /// Dots of all pages.
    private static let mostDots = 400_000_000
    private static let mostPages = 200

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
        while !reader.isAtEnd, pages.count < mostPages {
            let offset = reader.position
            guard let head = reader.take(isPWG ? 1796 : 32),
                let header = isPWG ? RasterHeader(pwg: head) : RasterHeader(urf: head)
            else {
                pages.append(fault(offset, "a page's header that isn't read here"))
                break
            }
            dots += header.width * header.height
            guard dots <= mostDots else {
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

    /// The picture, and how many of its rows came.
    private static func page(_ header: RasterHeader, _ reader: inout ByteReader) -> (Bitmap, rows: Int) {
        var rows: [UInt8] = []
        var count = 0
        while count < header.height, let times = reader.next(), let line = line(header, &reader) {
            let packed = dots(line, header)
            // A row says how often it comes again.
            let again = min(Int(times) + 1, header.height - count)
            for _ in 0..<again { rows += packed }
            count += again
        }
        return (Bitmap(width: header.width, height: count, rows: rows), count)
    }

    /// Runs and literals of whole pixels; 128 makes the rest of the row white. Nil where bytes are missing or are too
    /// many.
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
