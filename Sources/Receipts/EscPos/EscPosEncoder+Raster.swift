extension EscPosEncoder {
    /// A line that the printer's own characters do not suffice for: as a picture, which moves the paper as far as the
    /// line is to.
    mutating func addDrawn(_ line: LayoutLine) throws(ReceiptError) {
        guard let method = printer.raster else {
            throw ReceiptError(
                .unsupported,
                "the receipt has text, codes or pictures that the printer lacks, and the printer takes no pictures to draw them in"
            )
        }
        let matrix = try painter.matrix(of: line, with: drawn)
        justify(.left)
        switch method {
        case .rows, .graphics: add(matrix, method)
        case .strips: addStrips(matrix, height: line.height)
        }
        if method != .strips { feed(line.height - matrix.height) }
    }

    private mutating func add(_ matrix: DotMatrix, _ method: EscPosPrinter.RasterMethod) {
        for band in RasterBand.bands(of: matrix, most: printer.bandRows) {
            switch band {
            case .white(let rows): feed(rows)
            case .rows(let rows, let width):
                let bytes = matrix.bytes(of: rows, first: width)
                append(
                    method == .rows
                        ? .raster(bytesPerRow: width, rows: bytes) : .graphics(bytesPerRow: width, rows: bytes))
            }
        }
    }

    private static let stripRows = 24

    /// Each strip is a line, which moves the paper by its height; the last as far as is left. A picture may come out up
    /// to 23 dots longer.
    private mutating func addStrips(_ matrix: DotMatrix, height: Int) {
        var rest = height
        for top in stride(from: 0, to: matrix.height, by: Self.stripRows) {
            let isLast = top + Self.stripRows >= matrix.height
            let step = isLast ? max(rest, Self.stripRows) : Self.stripRows
            rest -= step
            let columns = matrix.columns(of: top..<top + Self.stripRows)
            guard !columns.isEmpty else { feed(step); continue }
            let more = space(step)
            append(.strip(columns))
            append(.lineFeed)
            feed(more)
        }
    }
}

extension DotMatrix {
    /// Three bytes for each column from the left to the last that holds a black dot, the top dot in the first byte's
    /// highest bit.
    fileprivate func columns(of rows: Range<Int>) -> [UInt8] {
        let rows = rows.clamped(to: 0..<height)
        let count = rows.reduce(0) { max($0, inkedBytes(ofRow: $1)) }
        var columns = [UInt8](repeating: 0, count: count * 8 * 3)
        for (offset, row) in rows.enumerated() {
            for index in 0..<count {
                let byte = bytes[row * stride + index]
                guard byte != 0 else { continue }
                for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 {
                    columns[(index * 8 + bit) * 3 + offset >> 3] |= 0x80 >> UInt8(offset & 7)
                }
            }
        }
        return columns
    }
}
