/// Rows are compared, and runs in them found, eight bytes at a time.
extension Span<UInt8> {
    /// Eight bytes as one number, the first in the lowest byte.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The first index from `start` whose byte differs from the one `distance` after it; `end` where there is none
    /// before it. `end + distance` is within the row.
    @inline(__always)
    func firstChange(from start: Int, to end: Int, distance: Int) -> Int {
        var index = start
        while index + 8 <= end {
            let difference = word(at: index) ^ word(at: index + distance)
            if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < end, self[index] == self[index + distance] { index += 1 }
        return index
    }

    /// The first index from `start` whose byte equals the next one; `end` where there is none before it. `end + 1` is
    /// within the row.
    @inline(__always)
    func firstPair(from start: Int, to end: Int) -> Int {
        var index = start
        while index + 8 <= end {
            let difference = word(at: index) ^ word(at: index + 1)
            // The highest bit of the lowest byte that is 0; those of higher bytes may be set by a borrow.
            let zeros = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
            if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < end, self[index] != self[index + 1] { index += 1 }
        return index
    }

    /// The first index from `start` where another row differs; the row's length where there is none. The other row is
    /// as long.
    @inline(__always)
    func firstDifference(from start: Int, to other: Span<UInt8>) -> Int {
        var index = start
        while index + 8 <= count {
            let difference = word(at: index) ^ other.word(at: index)
            if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count, self[index] == other[index] { index += 1 }
        return index
    }

    /// Whether the bytes equal those of a row of the same length.
    @inline(__always)
    func equals(_ other: Span<UInt8>) -> Bool { firstDifference(from: 0, to: other) == count }

    /// The number of bytes up to the last one that is not 0.
    func countWithoutTrailingZeros() -> Int {
        var end = count
        while end >= 8 {
            let word = word(at: end - 8)
            if word != 0 { return end - word.leadingZeroBitCount / 8 }
            end -= 8
        }
        while end > 0, self[end - 1] == 0 { end -= 1 }
        return end
    }
}

extension MutableSpan<UInt8> {
    /// Copies the bytes of `source` in a range to those from `index` on.
    @inline(__always)
    mutating func copy(_ source: Span<UInt8>, _ range: Range<Int>, to index: Int) {
        var (from, to) = (range.lowerBound, index)
        while from + 8 <= range.upperBound {
            store(source.word(at: from), at: to)
            from += 8
            to += 8
        }
        while from < range.upperBound {
            self[to] = source[from]
            from += 1
            to += 1
        }
    }

    /// Copies like `copy`, by whole words where there is room for them behind: up to seven bytes after the copied ones
    /// are lost.
    @inline(__always)
    mutating func copyLoosely(_ source: Span<UInt8>, _ range: Range<Int>, to index: Int) {
        guard range.upperBound + 8 <= source.count, index + range.count + 8 <= count else {
            copy(source, range, to: index)
            return
        }
        var (from, to) = (range.lowerBound, index)
        while from < range.upperBound {
            store(source.word(at: from), at: to)
            from += 8
            to += 8
        }
    }

    /// Stores eight bytes, the lowest first.
    @inline(__always)
    mutating func store(_ word: UInt64, at index: Int) {
        var bytes = unsafe mutableBytes
        bytes.storeBytes(of: word.littleEndian, toByteOffset: index, as: UInt64.self)
    }
}

extension [UInt8] {
    /// Replaces all bytes by those of a row.
    mutating func assign(_ row: Span<UInt8>) {
        if count != row.count { self = [UInt8](repeating: 0, count: row.count) }
        var span = mutableSpan
        span.copy(row, 0..<row.count, to: 0)
    }

    /// Appends the bytes of a row.
    mutating func append(_ row: Span<UInt8>) {
        reserveCapacity(count + row.count)
        for index in row.indices { append(row[index]) }
    }

    /// Appends four bytes, the highest first. Larger numbers and negative ones lose their higher bits.
    mutating func appendBigEndian(_ value: Int) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
