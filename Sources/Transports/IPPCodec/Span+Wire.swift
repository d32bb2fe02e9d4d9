// Big-endian integers (RFC 8010 §3: "network byte order"). Callers have checked the bounds; the subscript checks again.
extension Span<UInt8> {
    func unsigned16(at index: Int) -> UInt16 {
        UInt16(self[index]) << 8 | UInt16(self[index + 1])
    }

    func signed32(at index: Int) -> Int32 {
        Int32(bitPattern: UInt32(unsigned16(at: index)) << 16 | UInt32(unsigned16(at: index + 2)))
    }
}
