/// Base64 (RFC 4648 §4), with its padding.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for digit in 0..<4 { text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 63] : UInt8(ascii: "=")) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil where it is none. Blanks and line breaks in it are passed over; missing padding is forgiven.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let values = Self.values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (bits, count, padding, index) = (0, 0, 0, text.startIndex)
        while index < text.endIndex {
            if count.isMultiple(of: 4), padding == 0 { decodeGroups(text, &index, values, &bytes) }
            guard index < text.endIndex else { break }
            let byte = text[index]
            index += 1
            if byte.isBlank || byte == 0x0A || byte == 0x0D { continue }
            if byte == UInt8(ascii: "=") { padding += 1; continue }
            let value = values[Int(byte)]
            guard value != 0xFF, padding == 0 else { return nil }
            bits = (bits << 6 | Int(value)) & 0xFF_FFFF
            count += 1
            switch count % 4 {
            case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
            case 3: bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
            case 0: bytes.append(UInt8(truncatingIfNeeded: bits))
            default: break
            }
        }
        return count % 4 == 1 || padding > 2 ? nil : bytes
    }

    /// Groups of four digits with nothing in between, which nearly all of a file is.
    private static func decodeGroups(_ text: ArraySlice<UInt8>, _ index: inout Int, _ values: [UInt8], _ bytes: inout [UInt8]) {
        while text.endIndex - index >= 4 {
            let (first, second) = (values[Int(text[index])], values[Int(text[index + 1])])
            let (third, fourth) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
            guard first | second | third | fourth < 64 else { return }
            bytes.append(first << 2 | second >> 4)
            bytes.append(second << 4 | third >> 2)
            bytes.append(third << 6 | fourth)
            index += 4
        }
    }
}
