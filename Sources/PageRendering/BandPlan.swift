import KioskPageEncoding

/// How a side is cut into bands. It depends on the side and its pictures alone, so that the same side always gets the
/// same bytes. Text and paths come out the same in whatever bands, and fastest in small ones. A picture does not: each
/// band decodes it again, and resamples it with another phase, so it is drawn in one band, or in few.
struct BandPlan {
    /// Bytes of a band with text and paths only: so much stays in a processor's cache.
    static let smallBand = 5 << 19
    /// Bytes of a band with pictures: nearly always the whole side.
    private static let largeBand = 64 << 20

    /// The rows of each band, from the top.
    let bands: [Range<Int>]

    init(height: Int, stride: Int, pictures: [DotRectangle]) {
        let smallRows = max(Self.smallBand / stride, 16)
        let largeRows = max(Self.largeBand / stride, 16)
        var bands: [Range<Int>] = []
        func add(_ rows: Range<Int>, atMost count: Int) {
            for top in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: count) {
                bands.append(top..<min(top + count, rows.upperBound))
            }
        }
        var top = 0
        for rows in Self.joined(pictures, height: height) {
            add(top..<rows.lowerBound, atMost: smallRows)
            add(rows, atMost: rows.count <= smallRows ? smallRows : largeRows)
            top = rows.upperBound
        }
        add(top..<height, atMost: smallRows)
        self.bands = bands
    }

    /// The rows that pictures cover, ascending, without overlap.
    private static func joined(_ pictures: [DotRectangle], height: Int) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for picture in pictures.sorted(by: { $0.top < $1.top }) {
            // PDFium may touch a row more.
            let (top, bottom) = (max(picture.top - 1, 0), min(picture.bottom + 1, height))
            guard top < bottom else { continue }
            if let last = joined.last, top <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, bottom)
            } else {
                joined.append(top..<bottom)
            }
        }
        return joined
    }
}
