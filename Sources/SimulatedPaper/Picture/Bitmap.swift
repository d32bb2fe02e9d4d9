/// Dots, black or white. Rows are packed eight dots to a byte, the leftmost in the highest bit, and begin at a byte of
/// their own; dots beyond the width are white.
package struct Bitmap: Hashable, Sendable {
    package let width: Int
    package private(set) var height: Int
    /// Bytes of a row.
    package let stride: Int
    package private(set) var bytes: [UInt8]

    /// White.
    package init(width: Int, height: Int) {
        self.width = max(0, width)
        self.height = max(0, height)
        stride = (self.width + 7) / 8
        bytes = [UInt8](repeating: 0, count: stride * self.height)
    }

    /// Rows as a raster command brings them; missing bytes are white, further ones are left out.
    package init(width: Int, height: Int, rows: some Collection<UInt8>) {
        self.init(width: width, height: height)
        bytes = Array(rows.prefix(bytes.count))
        bytes.append(contentsOf: repeatElement(0, count: stride * self.height - bytes.count))
        clearBeyondWidth()
    }

    /// White outside; setting a dot there does nothing.
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

    /// Nothing is black.
    package var isBlank: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Adds white rows at the end, or takes rows away there.
    mutating func resize(height newHeight: Int) {
        let newHeight = max(0, newHeight)
        if newHeight < height {
            bytes.removeLast((height - newHeight) * stride)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: (newHeight - height) * stride))
        }
        height = newHeight
    }

    /// What becomes of a dot that is black in a picture drawn over it.
    enum Ink { case black, white, reversed }

    /// Blackens what is black in the picture (or whitens, or reverses it), eight dots at a time; what falls outside is
    /// left out.
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

    /// Blackens a rectangle, as far as it is inside.
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

    /// The last row that has something black.
    var lastBlackRow: Int? { bytes.lastIndex { $0 != 0 }.map { $0 / max(1, stride) } }

    private mutating func clearBeyondWidth(rows: Range<Int>? = nil) {
        guard width & 7 != 0, stride > 0 else { return }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (width & 7))
        for y in rows ?? 0..<height { bytes[y * stride + stride - 1] &= mask }
    }
}
