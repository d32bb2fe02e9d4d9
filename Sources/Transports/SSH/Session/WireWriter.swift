/// Writes the fields of SSH's messages (RFC 4251 §5).
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
