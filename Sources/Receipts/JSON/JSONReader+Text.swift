extension JSONReader {
    mutating func string() throws(ReceiptError) -> String {
        let start = index
        index += 1
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw error("the text holds a control character; it is escaped in JSON") }
            if byte == UInt8(ascii: "\\") {
                text += String(try escape()).utf8
            } else {
                text.append(byte)
                index += 1
            }
        }
        guard next != nil else { throw error("the text's closing quote is missing", at: start) }
        index += 1
        guard let string = String(validating: text, as: UTF8.self) else {
            throw error("the text is not UTF-8", .encoding, at: start)
        }
        return string
    }

    private mutating func escape() throws(ReceiptError) -> Unicode.Scalar {
        let start = index
        index += 1
        defer { index += 1 }
        switch next {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let scalar = scalar() else { throw error("the escape names no character", at: start) }
            return scalar
        default: throw error("the escape is none of JSON", at: start)
        }
    }

    /// At the u of an escape; ends at its last digit. Characters beyond U+FFFF are two escapes.
    private mutating func scalar() -> Unicode.Scalar? {
        guard let high = unit(at: index + 1) else { return nil }
        index += 4
        guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
        guard bytes.dropFirst(index + 1).starts(with: "\\u".utf8), let low = unit(at: index + 3),
            (0xDC00..<0xE000).contains(low)
        else { return nil }
        index += 6
        return Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    }

    private func unit(at start: Int) -> UInt32? {
        let digits = bytes.dropFirst(start).prefix(4).compactMap(\.hexadecimalDigit)
        return digits.count == 4 ? digits.reduce(0) { $0 << 4 | UInt32($1) } : nil
    }
}
