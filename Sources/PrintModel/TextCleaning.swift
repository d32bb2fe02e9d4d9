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

    /// Whether any control character stands in this text.
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
}
