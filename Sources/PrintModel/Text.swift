// Helpers for text that people, files and printers write.

extension String {
    /// This text with every control character (C0, DEL, C1, line and paragraph separators, bidirectional controls)
    /// replaced by a space: fit for a log line, a table and a terminal, whoever wrote it.
    public var withoutControlCharacters: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            scalars.append(Self.isControl(scalar) ? " " : scalar)
        }
        return String(scalars)
    }

    /// Whether this text contains a control character.
    public var hasControlCharacters: Bool { unicodeScalars.contains(where: Self.isControl) }

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
    package func splitOnce(at separator: Character) -> (Substring, Substring?) {
        guard let index = firstIndex(of: separator) else { return (self[...], nil) }
        return (self[..<index], self[self.index(after: index)...])
    }
}

extension Substring {
    /// This text without spaces and tabs at both ends.
    package func trimmingBlanks() -> Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let rest = drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { rest[...$0] } ?? ""
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
