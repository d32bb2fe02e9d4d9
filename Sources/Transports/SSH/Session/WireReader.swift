/// Reads the fields of SSH's messages (RFC 4251 §5) off received octets; nil where they end too soon.
struct WireReader {
    private var rest: ArraySlice<UInt8>

    init(_ octets: some Sequence<UInt8>) { rest = Array(octets)[...] }

    var isAtEnd: Bool { rest.isEmpty }

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
