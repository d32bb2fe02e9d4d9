/// What a backslash and the characters behind it stand for.
enum MarkupEscape {
    enum Context {
        case text, value
    }

    /// Hands over the bytes of UTF-8 that an escape stands for, none where it stands for nothing; the index behind it.
    static func read(_ bytes: ArraySlice<UInt8>, at start: Int, in context: Context, _ emit: ([UInt8]) -> Void) -> Int {
        guard start + 1 < bytes.endIndex else { return bytes.endIndex }
        let next = bytes[start + 1]
        switch next {
        case _ where Markup.structural.contains(next): emit([next])
        case _ where context == .text && Markup.decorating.contains(next): emit([next])
        case Markup.semicolon where context == .value: emit([next])
        case UInt8(ascii: "n"): emit([0x0A])
        case UInt8(ascii: "x"): return hexadecimal(bytes, at: start + 2, in: context, emit)
        default: return end(of: start + 1, in: bytes)
        }
        return start + 2
    }

    /// Two digits name a character up to U+00FF; in text, control characters are nothing. Where they are none, up to
    /// two characters are lost with the escape, as the specification's own program does it.
    private static func hexadecimal(
        _ bytes: ArraySlice<UInt8>, at start: Int, in context: Context, _ emit: ([UInt8]) -> Void
    ) -> Int {
        let digits = bytes[start...].prefix(2)
        if digits.count == 2, let high = digits.first?.hexadecimalDigit, let low = digits.last?.hexadecimalDigit {
            let value = high << 4 | low
            let isControl = value.isControl || (0x80..<0xA0).contains(value)
            if context == .value || !isControl { emit(Array(String(Unicode.Scalar(value)).utf8)) }
            return start + 2
        }
        var index = start
        for _ in 0..<2 where index < bytes.endIndex {
            let byte = bytes[index]
            if byte == Markup.backslash || context == .text && Markup.toggles.contains(byte) { break }
            index = end(of: index, in: bytes)
        }
        return index
    }

    /// Behind the scalar that begins here.
    private static func end(of index: Int, in bytes: ArraySlice<UInt8>) -> Int {
        var end = min(index + 1, bytes.endIndex)
        while end < bytes.endIndex, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
