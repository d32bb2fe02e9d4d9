/// Searches for a byte value or a range of ASCII values, eight bytes at a time: an image's line can have megabytes
/// without a match.
struct ByteSearch {
    private let value: UInt64
    /// The addends that set the high bit from the range's first byte on, and from the first byte above it on.
    private let lower: UInt64
    private let upper: UInt64

    init(_ value: UInt8, or range: ClosedRange<UInt8>) {
        self.value = UInt64(value) &* Self.ones
        lower = UInt64(0x80 - range.lowerBound) &* Self.ones
        upper = UInt64(0x7F - range.upperBound) &* Self.ones
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The index of the first match from `start` on. `start` is one of the slice's indices, or its end.
    func first(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        let origin = bytes.startIndex
        let raw = unsafe bytes.span.bytes
        var offset = start - origin
        while raw.byteCount - offset >= 8 {
            // At least eight bytes are left.
            let found = matches(
                UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            if found != 0 { return origin + offset + found.trailingZeroBitCount / 8 }
            offset += 8
        }
        return bytes[(origin + offset)...].firstIndex { matches(UInt64($0) | ~0xFF) & 0xFF != 0 }
    }

    /// The high bit of each byte that matches. Behind the first match, other bytes may have it too.
    private func matches(_ word: UInt64) -> UInt64 {
        let (different, low) = (word ^ value, word & ~Self.highs)
        let isValue = (different &- Self.ones) & ~different
        let isInRange = (low &+ lower) & ~(low &+ upper) & ~word
        return (isValue | isInRange) & Self.highs
    }
}

/// Checks bytes eight at a time: a picture is read more than once on its way from markup to paper.
enum WordwiseBytes {
    static func isASCII(_ bytes: ArraySlice<UInt8>) -> Bool {
        let raw = unsafe bytes.span.bytes
        var (offset, bits): (Int, UInt64) = (0, 0)
        while raw.byteCount - offset >= 8 {
            // At least eight bytes are left.
            bits |= unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        return bits & 0x8080_8080_8080_8080 == 0 && bytes.dropFirst(offset).allSatisfy { $0 < 0x80 }
    }

    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        let first = unsafe one.span.bytes
        let second = unsafe other.span.bytes
        var offset = 0
        while one.count - offset >= 8 {
            // Both have at least eight bytes left.
            let word = unsafe first.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard unsafe word == second.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) else {
                return false
            }
            offset += 8
        }
        return one[offset...] == other[offset...]
    }
}
