extension Bitmap {
    /// Turns black to white and white to black.
    mutating func invert(x: Int, y: Int, width: Int, height: Int) {
        for row in max(0, y)..<max(0, y, min(self.height, y + height)) {
            for column in max(0, x)..<max(0, x, min(self.width, x + width)) { self[column, row].toggle() }
        }
    }

    var inverted: Bitmap {
        var picture = self
        picture.invert(x: 0, y: 0, width: width, height: height)
        return picture
    }

    /// Each dot as a block of so many.
    func scaled(_ horizontally: Int, _ vertically: Int) -> Bitmap {
        let (across, down) = (max(1, horizontally), max(1, vertically))
        guard across > 1 || down > 1 else { return self }
        var picture = Bitmap(width: width * across, height: height * down)
        for y in 0..<height {
            for x in 0..<width where self[x, y] {
                picture.fill(x: x * across, y: y * down, width: across, height: down)
            }
        }
        return picture
    }

    /// To any size. Where it shrinks, a dot is black if any of those that it stands for is: thin strokes stay.
    func resized(width: Int, height: Int) -> Bitmap {
        var picture = Bitmap(width: width, height: height)
        for y in 0..<picture.height {
            let rows = Self.sources(of: y, from: self.height, to: picture.height)
            for x in 0..<picture.width {
                let columns = Self.sources(of: x, from: self.width, to: picture.width)
                if rows.contains(where: { row in columns.contains { self[$0, row] } }) { picture[x, y] = true }
            }
        }
        return picture
    }

    private static func sources(of index: Int, from size: Int, to newSize: Int) -> Range<Int> {
        let first = index * size / newSize
        return first..<max(first + 1, (index + 1) * size / newSize)
    }

    /// The upper left part.
    func cropped(width: Int, height: Int) -> Bitmap {
        guard width < self.width || height < self.height else { return self }
        var picture = Bitmap(width: min(width, self.width), height: min(height, self.height))
        picture.draw(self, x: 0, y: 0)
        return picture
    }

    var turnedUpsideDown: Bitmap {
        var picture = Bitmap(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width where self[x, y] { picture[width - 1 - x, height - 1 - y] = true }
        }
        return picture
    }

    /// A quarter turn clockwise.
    var turnedClockwise: Bitmap {
        var picture = Bitmap(width: height, height: width)
        for y in 0..<height {
            for x in 0..<width where self[x, y] { picture[height - 1 - y, x] = true }
        }
        return picture
    }

    /// So many quarter turns clockwise.
    func turned(quarters: Int) -> Bitmap {
        switch quarters & 3 {
        case 1: turnedClockwise
        case 2: turnedUpsideDown
        case 3: turnedUpsideDown.turnedClockwise
        default: self
        }
    }

    /// Printed twice, one dot apart: how a thermal printer emphasizes.
    var emboldened: Bitmap {
        var picture = self
        picture.draw(self, x: 1, y: 0)
        return picture
    }

    /// Columns as bit-image commands bring them: top dot in the highest bit, `bytesPerColumn` bytes from top to bottom,
    /// then the next.
    init(columns: some Collection<UInt8>, bytesPerColumn: Int) {
        let bytesPerColumn = max(1, bytesPerColumn)
        self.init(width: columns.count / bytesPerColumn, height: bytesPerColumn * 8)
        for (index, byte) in columns.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 {
                self[index / bytesPerColumn, index % bytesPerColumn * 8 + bit] = true
            }
        }
    }
}
