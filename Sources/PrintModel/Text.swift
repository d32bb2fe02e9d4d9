// Strings as people, files, URLs and printers write them: without control characters, percent-encoded, in hexadecimal
// and Base64, and as periods and counts of bytes.

extension String {
    /// This text with every control character (C0, DEL, C1, line and paragraph separators, bidirectional controls)
    /// replaced by a space: fit for a log line, a table and a terminal, whoever wrote it.
    public var withoutControlCharacters: String {
        if isPrintableASCII { return self }
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            scalars.append(Self.isControl(scalar) ? " " : scalar)
        }
        return String(scalars)
    }

    /// Whether this string contains a control character.
    public var hasControlCharacters: Bool { !isPrintableASCII && unicodeScalars.contains(where: Self.isControl) }

    /// Whether all of it is printable ASCII, as nearly every text is that is looked at for each receipt.
    private var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The longest prefix of at most `count` bytes of UTF-8 that ends on a character's boundary.
    public func prefix(utf8Count count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = startIndex
        var used = 0
        while end < endIndex {
            let next = index(after: end)
            used += self[end..<next].utf8.count
            guard used <= count else { break }
            end = next
        }
        return String(self[..<end])
    }

    /// The first occurrence of `text` in this string.
    package func firstRange(ofText text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            start = index(after: start)
        }
        return nil
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The parts before and after the first separator; the second is nil where there is none.
    ///
    /// The separator is a character of ASCII. It is looked for among the bytes, without finding the characters' bounds.
    package func splitOnce(at separator: Unicode.Scalar) -> (Substring, Substring?) {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return (self[...], nil) }
        return (self[..<index], self[utf8.index(after: index)...])
    }
}

extension Substring {
    /// This text without spaces and tabs at both ends.
    package func trimmingBlanks() -> Substring {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return self[first..<utf8.index(after: last)]
    }
}

extension FixedWidthInteger {
    /// Reads decimal digits; nil for anything else. `init(_:)` would accept a sign too.
    init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(text, radix: 10)
    }
}

extension Decoder {
    /// Decodes a string and reads a value from it; throws `problem` of the string where `read` returns nil.
    func decodeText<Value>(_ read: (String) -> Value?, problem: (String) -> String) throws -> Value {
        let text = try singleValueContainer().decode(String.self)
        guard let value = read(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: problem(text)))
        }
        return value
    }
}

// MARK: - Encodings

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
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// Hexadecimal digits (RFC 4648 §8).
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two lower-case digits for each byte.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in ASCII; nil for any other byte.
    package var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
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

// MARK: - Quantities

/// Periods as files and command lines write them: `10m`, or bare seconds.
extension Duration {
    /// Largest first.
    private static let fileUnits: [(letter: Character, seconds: Int)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]

    /// Reads digits, with or without a unit; nil for anything else.
    package static func seconds(of text: String) -> Int? {
        let unit = fileUnits.first { $0.letter == text.last }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let count = Int(digits: digits) else { return nil }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit?.seconds ?? 1)
        return overflow ? nil : seconds
    }

    /// The shortest spelling: `10m`, or bare seconds where no larger unit fits.
    package static func fileText(ofSeconds seconds: Int) -> String {
        guard seconds > 0, let unit = fileUnits.first(where: { seconds.isMultiple(of: $0.seconds) }), unit.seconds > 1
        else {
            return "\(seconds)"
        }
        return "\(seconds / unit.seconds)\(unit.letter)"
    }
}

/// Counts of bytes as files and command lines write them: `200MB`, or bare digits. Units are decimal, as on disks.
package enum ByteCounts {
    private static let units: [(name: String, bytes: Int64)] = [
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
    ]

    /// Reads digits, with or without a unit; nil for anything else.
    package static func bytes(of text: String) -> Int64? {
        let unit = units.first { text.lowercased().hasSuffix($0.name.lowercased()) }
        let digits = text.dropLast(unit == nil ? 0 : 2)
        guard let count = Int64(digits: digits) else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return overflow ? nil : bytes
    }

    /// The shortest spelling.
    package static func text(of bytes: Int64) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes.isMultiple(of: $0.bytes) }) else { return "\(bytes)" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
