/// Scales a picture down, row by row: each new sample is the average of the area that it covers. Samples are linear
/// light, since that is what the eye adds up; 65,535 is white.
package struct AreaScaler {
    private let width: Int
    private let height: Int
    private let newWidth: Int
    private let newHeight: Int
    /// The number of rows added so far.
    private var row = 0
    /// The sums of the new row in progress.
    private var sums: [UInt64]
    private(set) var samples: [UInt16] = []

    /// Creates a scaler. All sizes must be from 1 to `DotMatrix.maximumSide`.
    package init(width: Int, height: Int, newWidth: Int, newHeight: Int) {
        (self.width, self.height, self.newWidth, self.newHeight) = (width, height, newWidth, newHeight)
        sums = [UInt64](repeating: 0, count: newWidth)
        samples.reserveCapacity(newWidth * newHeight)
    }

    /// Adds the next row, from the top. Ignores a row that is not as wide as the picture.
    package mutating func add(_ line: ArraySlice<UInt16>) {
        guard line.count == width, row < height else { return }
        let averaged = newWidth == width ? nil : across(line)
        // In a common unit, a row of the picture is `newHeight` high and a new row `height`.
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

    /// The sums over the widths of the new samples. In a common unit, a sample of the line is `newWidth` wide and a new
    /// one `width`.
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

    /// The new picture, once all rows are added.
    package var picture: GreyPicture { GreyPicture(width: newWidth, height: newHeight, light: samples) }
}
