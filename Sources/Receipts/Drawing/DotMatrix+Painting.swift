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
        let (byteShift, bitShift) = (x >> 3, x & 7)
        // The source's bytes whose dots fall, all or in part, into a row of this matrix.
        let columns = max(-byteShift - 1, 0)..<max(min(matrix.stride, stride - byteShift), max(-byteShift - 1, 0))
        guard !rows.isEmpty, !columns.isEmpty else { return }
        let (target, source) = (stride, matrix.stride)
        let dots = matrix.bytes.span
        var painted = bytes.mutableSpan
        for row in rows {
            let (from, to) = (row * source, (row + y) * target + byteShift)
            var index = columns.lowerBound
            // Eight bytes at once, as long as what they are shifted into is in the row.
            while index + 8 <= columns.upperBound, index + byteShift >= 0, index + byteShift + 8 < target {
                let word = dots.bigEndian(at: from + index)
                painted.blacken(word >> UInt64(bitShift), at: to + index)
                painted[to + index + 8] |= UInt8(truncatingIfNeeded: ((word & 0xFF) << 8) >> UInt64(bitShift))
                index += 8
            }
            while index < columns.upperBound {
                let byte = (UInt16(dots[from + index]) << 8) >> UInt16(bitShift)
                if index + byteShift >= 0 { painted[to + index] |= UInt8(truncatingIfNeeded: byte >> 8) }
                if index + byteShift + 1 < target { painted[to + index + 1] |= UInt8(truncatingIfNeeded: byte) }
                index += 1
            }
        }
        whitenBeyond(rows.lowerBound + y..<rows.upperBound + y)
    }

    /// A row's last byte may reach beyond the width: what is there stays white.
    private mutating func whitenBeyond(_ rows: Range<Int>) {
        guard width & 7 != 0 else { return }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (width & 7))
        for row in rows { bytes[(row + 1) * stride - 1] &= mask }
    }

    /// As the rows between these.
    func rows(_ range: Range<Int>) -> DotMatrix {
        let range = range.clamped(to: 0..<height)
        var part = DotMatrix(width: width, height: range.count)
        part.bytes = Array(bytes[range.lowerBound * stride..<range.upperBound * stride])
        return part
    }
}

extension Span<UInt8> {
    /// Eight dots in each of eight bytes, the leftmost in the highest bit.
    fileprivate func bigEndian(at index: Int) -> UInt64 {
        let bytes = unsafe extracting(index..<index + 8).bytes
        return UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(as: UInt64.self))
    }
}

extension MutableSpan<UInt8> {
    fileprivate mutating func blacken(_ word: UInt64, at index: Int) {
        let before = span.bigEndian(at: index)
        var bytes = unsafe mutableBytes
        bytes.storeBytes(of: (before | word).bigEndian, toByteOffset: index, as: UInt64.self)
    }
}
