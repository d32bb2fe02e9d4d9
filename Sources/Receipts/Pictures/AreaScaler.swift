/// Makes a picture smaller, row by row: each new sample is the average of the area that it covers, in light as it is
/// added up by the eye. Samples are linear, 65,535 is white.
package struct AreaScaler {
    private let width: Int
    private let height: Int
    private let newWidth: Int
    private let newHeight: Int
    /// Rows that were added.
    private var row = 0
    /// Of the new row that is being added up.
    private var sums: [UInt64]
    private(set) var samples: [UInt16] = []

    /// All sizes are from 1 to `DotMatrix.longest`.
    package init(width: Int, height: Int, newWidth: Int, newHeight: Int) {
        (self.width, self.height, self.newWidth, self.newHeight) = (width, height, newWidth, newHeight)
        sums = [UInt64](repeating: 0, count: newWidth)
        samples.reserveCapacity(newWidth * newHeight)
    }

    /// The next row, from the top; what is not as wide as the picture is not taken.
    package mutating func add(_ line: ArraySlice<UInt16>) {
        guard line.count == width, row < height else { return }
        let averaged = newWidth == width ? nil : across(line)
        // A row of the picture is `newHeight` high, a new row `height`.
        var top = row * newHeight
        let bottom = top + newHeight
        while top < bottom, samples.count < newWidth * newHeight {
            let end = (samples.count / newWidth + 1) * height
            let part = UInt64(min(bottom, end) - top)
            if let averaged {
                for x in 0..<newWidth { sums[x] += averaged[x] * part }
            } else {
                for (x, sample) in line.enumerated() { sums[x] += UInt64(sample) * UInt64(width) * part }
            }
            top = min(bottom, end)
            if top == end { finishRow() }
        }
        row += 1
    }

    /// Sums over the new samples' widths: a sample of the line is `newWidth` wide, a new one `width`.
    private func across(_ line: ArraySlice<UInt16>) -> [UInt64] {
        var sums = [UInt64](repeating: 0, count: newWidth)
        var (x, left) = (0, width)
        for sample in line {
            var rest = newWidth
            while rest > left {
                sums[x] += UInt64(sample) * UInt64(left)
                rest -= left
                (x, left) = (x + 1, width)
            }
            sums[x] += UInt64(sample) * UInt64(rest)
            left -= rest
            if left == 0 { (x, left) = (min(x + 1, newWidth - 1), width) }
        }
        return sums
    }

    private mutating func finishRow() {
        let area = UInt64(width) * UInt64(height)
        for x in 0..<newWidth {
            samples.append(UInt16(truncatingIfNeeded: (sums[x] + area / 2) / area))
            sums[x] = 0
        }
    }

    /// The new picture, once all rows were added.
    package var picture: GreyPicture { GreyPicture(width: newWidth, height: newHeight, light: samples) }
}
