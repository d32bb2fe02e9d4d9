/// Control characters that are next to each other, such as those with which commands begin, and where a document has
/// the next of them. Between them are text and dots, of which there is most, and which are passed over eight at a time:
/// documents may be as fast as USB is.
struct ControlBytes {
    private let first: UInt8
    private let last: UInt8

    /// ASCII only.
    init(_ range: ClosedRange<UInt8>) { (first, last) = (min(range.lowerBound, 0x7E), min(range.upperBound, 0x7E)) }

    /// The place of the next from `start` on, or `end`.
    func next(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        let wordSize = MemoryLayout<UInt64>.size
        // Each byte's uppermost bit: whether it is at least the first, and whether it is above the last. Sums of seven
        // bits never carry into the next byte.
        let (toFirst, toLast) = (Self.everywhere(0x80 - first), Self.everywhere(0x7F - last))
        var index = start
        while end - index >= wordSize {
            let word = unsafe UInt64(
                littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let low = word & Self.everywhere(0x7F)
            let marks = (low &+ toFirst) & ~(low &+ toLast) & ~word & Self.everywhere(0x80)
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += wordSize
        }
        while index < end, unsafe bytes[index] < first || bytes[index] > last { index += 1 }
        return index
    }

    private static func everywhere(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}
