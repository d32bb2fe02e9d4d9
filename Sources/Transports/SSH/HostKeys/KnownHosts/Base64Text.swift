/// A strict Base64 codec (RFC 4648 §4): requires the padding, accepts nothing else, and has one spelling for each
/// value.
enum Base64Text {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    /// The value of each character; 255 for characters outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    static func encode(_ octets: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((octets.count + 2) / 3 * 4)
        for start in stride(from: 0, to: octets.count, by: 3) {
            let group = octets[start..<min(start + 3, octets.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : padding)
            }
        }
        return text
    }

    /// Decodes a text; nil for what is no Base64.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let body =
            text.suffix(2) == [padding, padding] ? text.dropLast(2) : text.last == padding ? text.dropLast() : text
        var (octets, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        octets.reserveCapacity(body.count / 4 * 3 + 2)
        for character in body {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            octets.append(UInt8(truncatingIfNeeded: bits >> count))
            bits &= 1 << count - 1
        }
        return bits == 0 ? octets : nil
    }
}
