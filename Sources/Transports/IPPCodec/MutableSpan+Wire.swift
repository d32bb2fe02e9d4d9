// Big-endian integers and octets (RFC 8010 §3: "network byte order"), each put at an index that moves behind it.
extension MutableSpan<UInt8> {
    @inline(__always)
    mutating func put(_ byte: UInt8, at index: inout Int) {
        self[index] = byte
        index += 1
    }

    @inline(__always)
    mutating func put(_ number: UInt16, at index: inout Int) {
        self[index] = UInt8(truncatingIfNeeded: number >> 8)
        self[index + 1] = UInt8(truncatingIfNeeded: number)
        index += 2
    }

    @inline(__always)
    mutating func put(_ number: Int32, at index: inout Int) {
        put(UInt16(truncatingIfNeeded: number >> 16), at: &index)
        put(UInt16(truncatingIfNeeded: number), at: &index)
    }

    /// Of a name or a value, known to fit.
    @inline(__always)
    mutating func put(length: Int, at index: inout Int) {
        put(UInt16(length), at: &index)
    }

    @inline(__always)
    mutating func put(_ octets: Span<UInt8>, at index: inout Int) {
        for octet in octets.indices {
            self[index + octet] = octets[octet]
        }
        index += octets.count
    }
}
