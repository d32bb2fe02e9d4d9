/// Base32 without padding (RFC 4648 §6), in upper case.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var (characters, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 5 {
                count -= 5
                characters.append(alphabet[bits >> count & 31])
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { characters.append(alphabet[bits << (5 - count) & 31]) }
        return String(decoding: characters, as: UTF8.self)
    }

    /// The bytes of a text; nil where it has other characters, or bits behind the last byte that are not 0. The caller
    /// bounds its length.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            (bits, count) = (bits << 5 | value, count + 5)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count))
                bits &= (1 << count) - 1
            }
        }
        return count < 5 && bits == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): Int(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}
