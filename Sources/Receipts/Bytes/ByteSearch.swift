/// Looks for a byte value, or one of a range of ASCII's, eight bytes at a time: an image's line has megabytes with none
/// of them.
struct ByteSearch {
    private let value: UInt64
    /// What lifts the range's first byte, and the first above it, to the high bit.
    private let lower: UInt64
    private let upper: UInt64

    init(_ value: UInt8, or range: ClosedRange<UInt8>) {
        self.value = UInt64(value) &* Self.ones
        lower = UInt64(0x80 - range.lowerBound) &* Self.ones
        upper = UInt64(0x7F - range.upperBound) &* Self.ones
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The first place from `start` on with such a byte. `start` is one of the slice's indices, or its end.
    func first(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        let origin = bytes.startIndex
        let raw = unsafe bytes.span.bytes
        var offset = start - origin
        while raw.byteCount - offset >= 8 {
            // Eight bytes are there.
            let found = matches(
                UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            if found != 0 { return origin + offset + found.trailingZeroBitCount / 8 }
            offset += 8
        }
        return bytes[(origin + offset)...].firstIndex { matches(UInt64($0) | ~0xFF) & 0xFF != 0 }
    }

    /// The high bit of each byte that is one of them; behind the first such byte perhaps of others, too.
    private func matches(_ word: UInt64) -> UInt64 {
        let (different, low) = (word ^ value, word & ~Self.highs)
        let isValue = (different &- Self.ones) & ~different
        let isInRange = (low &+ lower) & ~(low &+ upper) & ~word
        return (isValue | isInRange) & Self.highs
    }
}
