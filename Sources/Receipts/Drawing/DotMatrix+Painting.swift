extension DotMatrix {
    /// What a painted dot becomes.
    enum Ink { case black, reversed }

    /// A rectangle, as far as it is inside.
    mutating func paint(x: Range<Int>, y: Range<Int>, _ ink: Ink = .black) {
        let (columns, rows) = (x.clamped(to: 0..<width), y.clamped(to: 0..<height))
        guard !columns.isEmpty, !rows.isEmpty else { return }
        let (first, last) = (columns.lowerBound >> 3, (columns.upperBound - 1) >> 3)
        let head = UInt8(0xFF) >> UInt8(columns.lowerBound & 7)
        let tail = UInt8(truncatingIfNeeded: 0xFF00 >> ((columns.upperBound - 1) & 7 + 1))
        for row in rows {
            let start = row * stride
            for byte in first...last {
                let mask = (byte == first ? head : 0xFF) & (byte == last ? tail : 0xFF)
                if ink == .black { bytes[start + byte] |= mask } else { bytes[start + byte] ^= mask }
            }
        }
    }

    /// Blackens what is black there, eight dots at a time, as far as it is inside.
    mutating func paint(_ matrix: DotMatrix, x: Int, y: Int) {
        let rows = max(-y, 0)..<max(min(matrix.height, height - y), max(-y, 0))
        let (byteShift, bitShift) = (x >> 3, UInt8(x & 7))
        // The last byte may reach beyond the width: what is there must stay white.
        let mask = width & 7 == 0 ? 0xFF : UInt8(truncatingIfNeeded: 0xFF00 >> (width & 7))
        for row in rows {
            let (source, target) = (row * matrix.stride, (row + y) * stride)
            for index in 0..<matrix.stride {
                let byte = matrix.bytes[source + index]
                guard byte != 0 else { continue }
                let place = index + byteShift
                if place >= 0, place < stride { bytes[target + place] |= byte >> bitShift & (place == stride - 1 ? mask : 0xFF) }
                guard bitShift != 0, place + 1 >= 0, place + 1 < stride else { continue }
                bytes[target + place + 1] |= byte << (8 - bitShift) & (place + 1 == stride - 1 ? mask : 0xFF)
            }
        }
    }

    /// As the rows between these.
    func rows(_ range: Range<Int>) -> DotMatrix {
        let range = range.clamped(to: 0..<height)
        var part = DotMatrix(width: width, height: range.count)
        part.bytes = Array(bytes[range.lowerBound * stride..<range.upperBound * stride])
        return part
    }
}
