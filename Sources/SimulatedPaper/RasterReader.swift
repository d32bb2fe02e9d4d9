/// Reads pages of PWG Raster (PWG 5102.4) and Apple Raster (URF), as they are or as one-bit pictures: then pixels that
/// are darker than medium grey are black.
package enum RasterReader {
    static let maximumWidth = 10_000
    static let maximumHeight = 40_000
    /// The dots of all pages together.
    private static let maximumDots = 400_000_000
    private static let maximumPages = 200
    /// The bytes of all sides that are read with their colours.
    private static let maximumBytes = 256 << 20

    /// The sides of a document with their colours, and the first fault in it, as words.
    package static func sides(_ bytes: [UInt8], as language: PaperLanguage) -> (sides: [RasterSide], fault: String?) {
        var sides: [RasterSide] = []
        var size = 0
        let fault = readSides(bytes, as: language) { header in
            size += header.bytesPerLine * header.height
            sides.append(RasterSide(header: header, rows: []))
            return size <= maximumBytes
        } row: { runs, times in
            let line = runs.flatMap(\.bytes)
            for _ in 0..<times { sides[sides.count - 1].rows += line }
        }
        // A side that was cut short has no picture.
        if let last = sides.last, last.rows.count != last.header.bytesPerLine * last.header.height {
            sides.removeLast()
        }
        return (sides, fault)
    }

    /// Reads a document row by row. Returns the first fault in it, as words.
    /// - Parameters:
    ///   - begin: Gets the header of each side; reading ends where it returns false.
    ///   - row: Gets the runs of each row, and how often it is repeated.
    static func readSides(
        _ bytes: [UInt8], as language: PaperLanguage, begin: (RasterSideHeader) -> Bool, row: ([RasterRun], Int) -> Void
    ) -> String? {
        var reader = ByteReader(bytes)
        guard let pageCount = fileHeader(&reader, language) else { return "neither PWG nor Apple Raster" }
        var number = 0
        while !reader.isAtEnd {
            guard number < maximumPages, let header = header(&reader, language, pageCount) else {
                return "a page's header that isn't read here"
            }
            number += 1
            guard begin(header) else { return "too many bytes" }
            var count = 0
            while count < header.height {
                guard let times = reader.next(), let runs = runs(header, &reader) else {
                    return "page \(number) is cut short after \(count) rows"
                }
                count += Int(times) + 1
                guard count <= header.height else { return "page \(number) has rows beyond its height" }
                row(runs, Int(times) + 1)
            }
        }
        return nil
    }

    /// The number of pages that the file states, 0 in PWG Raster; nil for another file.
    private static func fileHeader(_ reader: inout ByteReader, _ language: PaperLanguage) -> Int? {
        guard let start = reader.take(language == .pwg ? 4 : 12) else { return nil }
        guard language != .pwg else { return start == Array("RaS2".utf8) ? 0 : nil }
        guard start.starts(with: Array("UNIRAST\0".utf8)) else { return nil }
        return start[8...].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func header(
        _ reader: inout ByteReader, _ language: PaperLanguage, _ pageCount: Int
    ) -> RasterSideHeader? {
        let isPWG = language == .pwg
        guard let head = reader.take(isPWG ? 1796 : 32) else { return nil }
        return isPWG ? RasterSideHeader(pwg: head) : RasterSideHeader(urf: head, pageCount: pageCount)
    }

    static func print(_ bytes: [UInt8], as language: PaperLanguage) -> [PrintedPaper] {
        var reader = ByteReader(bytes)
        guard let pageCount = fileHeader(&reader, language) else {
            return [fault(0, "neither PWG nor Apple Raster")]
        }
        var pages: [PrintedPaper] = []
        var dots = 0
        while !reader.isAtEnd, pages.count < maximumPages {
            let offset = reader.position
            guard let header = header(&reader, language, pageCount) else {
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
                + (header.isDuplex ? ", two-sided-\(header.isTumble ? "short" : "long")-edge" : "")
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
    private static func page(_ header: RasterSideHeader, _ reader: inout ByteReader) -> (Bitmap, rows: Int) {
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

    /// Decodes a row. Nil where there are too few or too many bytes.
    private static func line(_ header: RasterSideHeader, _ reader: inout ByteReader) -> [UInt8]? {
        runs(header, &reader).map { $0.flatMap(\.bytes) }
    }

    /// Reads a row of runs and literals of whole pixels; 128 makes the rest of the row white. Nil where there are too
    /// few or too many bytes.
    private static func runs(_ header: RasterSideHeader, _ reader: inout ByteReader) -> [RasterRun]? {
        var runs: [RasterRun] = []
        var length = 0
        while length < header.bytesPerLine {
            guard let code = reader.next() else { return nil }
            switch code {
            case 128:
                let white: UInt8 = header.colour == .black ? 0 : 0xFF
                let count = (header.bytesPerLine - length) / header.bytesPerUnit
                runs.append(RasterRun(unit: [UInt8](repeating: white, count: header.bytesPerUnit), count: count))
            case 0...127:
                guard let unit = reader.take(header.bytesPerUnit) else { return nil }
                runs.append(RasterRun(unit: Array(unit), count: Int(code) + 1))
            default:
                guard let units = reader.take((257 - Int(code)) * header.bytesPerUnit) else { return nil }
                runs.append(RasterRun(unit: Array(units), count: 1))
            }
            length += runs[runs.count - 1].length
        }
        return length == header.bytesPerLine ? runs : nil
    }

    private static func dots(_ line: [UInt8], _ header: RasterSideHeader) -> [UInt8] {
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

/// A part of a row: one pixel (or eight of one bit) that is repeated, or several that are not.
struct RasterRun {
    var unit: [UInt8]
    var count: Int

    var length: Int { unit.count * count }
    var bytes: [UInt8] { count == 1 ? unit : (0..<count).flatMap { _ in unit } }
}
