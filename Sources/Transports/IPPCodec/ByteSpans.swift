// Big-endian integers and octets, as IPP sends them (RFC 8010 §3: "network byte order").

extension Span<UInt8> {
    // Callers have checked the bounds; the subscript checks them again.

    func unsigned16(at index: Int) -> UInt16 {
        UInt16(self[index]) << 8 | UInt16(self[index + 1])
    }

    func signed32(at index: Int) -> Int32 {
        Int32(bitPattern: UInt32(unsigned16(at: index)) << 16 | UInt32(unsigned16(at: index + 2)))
    }
}

extension MutableSpan<UInt8> {
    // Each method writes at `index` and advances it.

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

    /// Writes the length of a name or a value. It must fit in 16 bits.
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

extension Array where Element == UInt8 {
    init(copying span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        append(copying: span)
    }

    mutating func append(copying span: Span<UInt8>) {
        for index in span.indices { append(span[index]) }
    }
}
