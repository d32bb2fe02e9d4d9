import PrintModel

extension Base64 {
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    /// Decodes Base64; nil for text that is none. It skips blanks and line breaks, and accepts missing padding.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let values = Self.values
        // The digits behind the last whole group make three bytes at most.
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3 + 3)
        var (bits, count, padding, index, written) = (0, 0, 0, text.startIndex, 0)
        while index < text.endIndex {
            if count.isMultiple(of: 4), padding == 0 { decodeGroups(text, &index, values, &bytes, &written) }
            guard index < text.endIndex else { break }
            let byte = text[index]
            index += 1
            if byte.isBlank || byte == 0x0A || byte == 0x0D { continue }
            if byte == UInt8(ascii: "=") { padding += 1; continue }
            let value = values[Int(byte)]
            guard value != 0xFF, padding == 0 else { return nil }
            bits = (bits << 6 | Int(value)) & 0xFF_FFFF
            count += 1
            // Each digit but a group's first completes a byte.
            guard count % 4 != 1 else { continue }
            bytes[written] = UInt8(truncatingIfNeeded: bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0))
            written += 1
        }
        bytes.removeLast(bytes.count - written)
        return count % 4 == 1 || padding > 2 ? nil : bytes
    }

    /// Decodes groups of four digits with nothing in between: nearly all of a file.
    private static func decodeGroups(
        _ text: ArraySlice<UInt8>, _ index: inout Int, _ values: [UInt8], _ bytes: inout [UInt8], _ written: inout Int
    ) {
        let slice = text[index...]
        let digits = slice.span
        let values = values.span
        var decoded = bytes.mutableSpan
        var read = 0
        while digits.count - read >= 4, decoded.count - written >= 3 {
            // All indices are in bounds: there are four digits, 256 values, and room for three bytes.
            let first = unsafe UInt32(values[unchecked: Int(digits[unchecked: read])])
            let second = unsafe UInt32(values[unchecked: Int(digits[unchecked: read + 1])])
            let third = unsafe UInt32(values[unchecked: Int(digits[unchecked: read + 2])])
            let fourth = unsafe UInt32(values[unchecked: Int(digits[unchecked: read + 3])])
            guard first | second | third | fourth < 64 else { break }
            let bits = first << 18 | second << 12 | third << 6 | fourth
            unsafe decoded[unchecked: written] = UInt8(truncatingIfNeeded: bits >> 16)
            unsafe decoded[unchecked: written + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            unsafe decoded[unchecked: written + 2] = UInt8(truncatingIfNeeded: bits)
            read += 4
            written += 3
        }
        index += read
    }
}
