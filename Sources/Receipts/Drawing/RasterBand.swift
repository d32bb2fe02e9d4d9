/// A part of a picture, from top to bottom: rows to print, or white that the paper is fed over.
enum RasterBand: Hashable {
    /// The rows, and how many of their bytes from the left hold anything.
    case rows(Range<Int>, bytes: Int)
    case white(Int)

    /// Of all rows of the matrix. No band has more than `most` rows; white of fewer rows than `shortestWhite` is
    /// printed along, since every feed makes the paper slow down.
    static func bands(of matrix: DotMatrix, most: Int, shortestWhite: Int = 16) -> [RasterBand] {
        let most = max(most, 1)
        var bands: [RasterBand] = []
        var white = 0
        var black: (rows: Range<Int>, bytes: Int)?
        func finished() -> [RasterBand] { black.map { [.rows($0.rows, bytes: $0.bytes)] } ?? [] }
        for row in 0..<matrix.height {
            let bytes = matrix.inkedBytes(ofRow: row)
            guard bytes > 0 else { white += 1; continue }
            if let (rows, widest) = black, white < shortestWhite, row - rows.lowerBound < most {
                black = (rows.lowerBound..<row + 1, max(widest, bytes))
            } else {
                bands += finished()
                if white > 0 { bands.append(.white(white)) }
                black = (row..<row + 1, bytes)
            }
            white = 0
        }
        bands += finished()
        if white > 0 { bands.append(.white(white)) }
        return bands
    }
}

extension DotMatrix {
    /// Up to the last that holds a black dot.
    func inkedBytes(ofRow row: Int) -> Int {
        var count = stride
        while count > 0, bytes[row * stride + count - 1] == 0 { count -= 1 }
        return count
    }

    /// These rows' first bytes, one row after another.
    func bytes(of rows: Range<Int>, first count: Int) -> [UInt8] {
        guard count < stride else { return Array(bytes[rows.lowerBound * stride..<rows.upperBound * stride]) }
        var part: [UInt8] = []
        part.reserveCapacity(rows.count * count)
        for row in rows { part += bytes[row * stride..<row * stride + count] }
        return part
    }

    var isWhite: Bool { bytes.allSatisfy { $0 == 0 } }

    var blackDots: Int { bytes.reduce(0) { $0 + $1.nonzeroBitCount } }
}
