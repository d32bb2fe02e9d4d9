/// A reader of the fields in SSH's messages (RFC 4251 §5); nil where they end too soon.
struct WireReader {
    private var rest: ArraySlice<UInt8>

    init(_ octets: some Sequence<UInt8>) { rest = Array(octets)[...] }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func number() -> UInt32? {
        guard rest.count >= 4 else { return nil }
        let value = rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        rest = rest.dropFirst(4)
        return value
    }

    mutating func string() -> [UInt8]? {
        guard let count = number(), Int(count) <= rest.count else { return nil }
        let value = Array(rest.prefix(Int(count)))
        rest = rest.dropFirst(Int(count))
        return value
    }
}

/// A writer of the fields in SSH's messages (RFC 4251 §5).
struct WireWriter {
    private(set) var octets: [UInt8] = []

    mutating func byte(_ value: UInt8) { octets.append(value) }

    mutating func number(_ value: UInt32) {
        octets += [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }

    mutating func string(_ value: some Collection<UInt8>) {
        number(UInt32(clamping: value.count))
        octets += value
    }
}
