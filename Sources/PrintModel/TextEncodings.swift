/// Percent-encoding of URL components (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Unreserved characters (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The characters that a registered name may contain without encoding: unreserved and sub-delims (RFC 3986 §3.2.2).
    package static func isRegisteredName(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "!$&'()*+,;=".utf8.contains(byte)
    }

    package static func encode(_ text: some StringProtocol, keeping keep: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if keep(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The decoded text; nil when an escape is cut off or the bytes are not UTF-8.
    package static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Base64 (RFC 4648 §4), with its padding.
package enum Base64 {
    package static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The value of each character; 0xFF for those outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for digit in 0..<4 {
                text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes Base64; nil for text that is none. It skips blanks and line breaks, and accepts missing padding. With
    /// `strict` it does neither, and accepts one spelling of each value only.
    package static func decode(_ text: ArraySlice<UInt8>, strict: Bool = false) -> [UInt8]? {
        if strict, !text.count.isMultiple(of: 4) { return nil }
        let values = Self.values
        // The digits behind the last whole group make three bytes at most.
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3 + 3)
        var (bits, count, padding, index, written) = (0, 0, 0, text.startIndex, 0)
        while index < text.endIndex {
            if count.isMultiple(of: 4), padding == 0 { decodeGroups(text, &index, values, &bytes, &written) }
            guard index < text.endIndex else { break }
            let byte = text[index]
            index += 1
            if !strict, isSpace(byte) { continue }
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
        guard count % 4 != 1, padding <= 2 else { return nil }
        // The last digit's bits that belong to no byte.
        let unused = count % 4 == 2 ? bits & 0xF : count % 4 == 3 ? bits & 0x3 : 0
        if strict, unused != 0 { return nil }
        bytes.removeLast(bytes.count - written)
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

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
