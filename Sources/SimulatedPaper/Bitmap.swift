/// A picture of black and white dots. A row is packed eight dots to a byte, the leftmost in the highest bit, and begins
/// at a byte boundary. Dots beyond the width are white.
package struct Bitmap: Hashable, Sendable {
    package let width: Int
    package private(set) var height: Int
    /// Bytes of a row.
    package let stride: Int
    package private(set) var bytes: [UInt8]

    /// A white picture.
    package init(width: Int, height: Int) {
        self.width = max(0, width)
        self.height = max(0, height)
        stride = (self.width + 7) / 8
        bytes = [UInt8](repeating: 0, count: stride * self.height)
    }

    /// A picture from the rows of a raster command. Missing bytes are white; surplus ones are ignored.
    package init(width: Int, height: Int, rows: some Collection<UInt8>) {
        self.init(width: width, height: height)
        bytes = Array(rows.prefix(bytes.count))
        bytes.append(contentsOf: repeatElement(0, count: stride * self.height - bytes.count))
        clearBeyondWidth()
    }

    /// A dot. Outside the picture it is white, and setting it does nothing.
    package subscript(x: Int, y: Int) -> Bool {
        get {
            guard x >= 0, x < width, y >= 0, y < height else { return false }
            return bytes[y * stride + x >> 3] & 0x80 >> UInt8(x & 7) != 0
        }
        set {
            guard x >= 0, x < width, y >= 0, y < height else { return }
            let bit: UInt8 = 0x80 >> UInt8(x & 7)
            if newValue { bytes[y * stride + x >> 3] |= bit } else { bytes[y * stride + x >> 3] &= ~bit }
        }
    }

    package func row(_ y: Int) -> ArraySlice<UInt8> {
        guard y >= 0, y < height else { return [] }
        return bytes[y * stride..<(y + 1) * stride]
    }

    /// Whether no dot is black.
    package var isBlank: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Adds white rows at the end, or removes rows there.
    mutating func resize(height newHeight: Int) {
        let newHeight = max(0, newHeight)
        if newHeight < height {
            bytes.removeLast((height - newHeight) * stride)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: (newHeight - height) * stride))
        }
        height = newHeight
    }

    /// The effect of a black dot of a picture that is drawn over another.
    enum Ink { case black, white, reversed }

    /// Draws the black dots of a picture over this one (or whitens, or reverses them), eight at a time. Dots outside
    /// are left out.
    package mutating func draw(_ picture: Bitmap, x: Int, y: Int) { draw(picture, x: x, y: y, .black) }

    mutating func draw(_ picture: Bitmap, x: Int, y: Int, _ ink: Ink) {
        let first = max(0, -y)
        let last = min(picture.height, height - y)
        guard first < last, x < width, x > -picture.width else { return }
        let byteShift = x >> 3
        let bitShift = UInt8(x & 7)
        for row in first..<last {
            let source = row * picture.stride
            let target = (row + y) * stride
            for index in 0..<picture.stride {
                let byte = picture.bytes[source + index]
                guard byte != 0 else { continue }
                let place = index + byteShift
                if place >= 0, place < stride { mix(byte >> bitShift, into: target + place, ink) }
                if bitShift != 0, place + 1 >= 0, place + 1 < stride {
                    mix(byte << (8 - bitShift), into: target + place + 1, ink)
                }
            }
        }
        if x + picture.width > width { clearBeyondWidth(rows: first + y..<last + y) }
    }

    private mutating func mix(_ byte: UInt8, into index: Int, _ ink: Ink) {
        switch ink {
        case .black: bytes[index] |= byte
        case .white: bytes[index] &= ~byte
        case .reversed: bytes[index] ^= byte
        }
    }

    /// Fills the part of a rectangle that is inside.
    mutating func fill(x: Int, y: Int, width: Int, height: Int) {
        let (left, right) = (max(0, x), min(self.width, x + width))
        guard left < right else { return }
        let (first, last) = (left >> 3, (right - 1) >> 3)
        let start = UInt8(truncatingIfNeeded: 0xFF >> (left & 7))
        let end = UInt8(truncatingIfNeeded: 0xFF00 >> ((right - 1) & 7 + 1))
        for row in max(0, y)..<max(0, y, min(self.height, y + height)) {
            for byte in first...last {
                bytes[row * stride + byte] |= (byte == first ? start : 0xFF) & (byte == last ? end : 0xFF)
            }
        }
    }

    /// The last row with a black dot.
    var lastBlackRow: Int? { bytes.lastIndex { $0 != 0 }.map { $0 / max(1, stride) } }

    private mutating func clearBeyondWidth(rows: Range<Int>? = nil) {
        guard width & 7 != 0, stride > 0 else { return }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (width & 7))
        for y in rows ?? 0..<height { bytes[y * stride + stride - 1] &= mask }
    }

    // MARK: - Transformations

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

    /// The picture with each dot enlarged to a block.
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

    /// The picture at any size. Where it shrinks, a dot is black if any of its source dots is, so that thin strokes
    /// remain.
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

    /// The picture with left and right exchanged.
    var mirrored: Bitmap {
        var picture = Bitmap(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width where self[x, y] { picture[width - 1 - x, y] = true }
        }
        return picture
    }

    var turnedUpsideDown: Bitmap {
        var picture = Bitmap(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width where self[x, y] { picture[width - 1 - x, height - 1 - y] = true }
        }
        return picture
    }

    /// The picture after a quarter turn clockwise.
    var turnedClockwise: Bitmap {
        var picture = Bitmap(width: height, height: width)
        for y in 0..<height {
            for x in 0..<width where self[x, y] { picture[height - 1 - y, x] = true }
        }
        return picture
    }

    /// The picture after so many quarter turns clockwise.
    func turned(quarters: Int) -> Bitmap {
        switch quarters & 3 {
        case 1: turnedClockwise
        case 2: turnedUpsideDown
        case 3: turnedUpsideDown.turnedClockwise
        default: self
        }
    }

    /// The picture drawn twice, one dot apart, as a thermal printer emphasizes characters.
    var emboldened: Bitmap {
        var picture = self
        picture.draw(self, x: 1, y: 0)
        return picture
    }

    /// A picture from the columns of a bit-image command: `bytesPerColumn` bytes from top to bottom for each column,
    /// the top dot in the highest bit.
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
