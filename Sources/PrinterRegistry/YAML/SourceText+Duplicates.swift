extension SourceText {
    /// Where a mapping's key stands again; nil when it is not found.
    func duplicate(of key: String, after first: TextPosition) -> TextPosition? {
        let start = offset(of: first)
        let isFlow = scalars[lineStart(of: start)..<start].contains { $0 == "{" || $0 == "," }
        return (isFlow ? flowDuplicate(of: key, after: start) : blockDuplicate(of: key, after: start)).map(position)
    }

    private func blockDuplicate(of key: String, after first: Int) -> Int? {
        let column = first - lineStart(of: first)
        for start in lineStarts where start > first && !isBlankOrComment(lineOf: start) {
            let content = skippingBlanks(from: start)
            if content - start < column { return nil }
            if content - start == column, isKey(key, at: content) { return content }
        }
        return nil
    }

    private func flowDuplicate(of key: String, after first: Int) -> Int? {
        var depth = 0
        var index = first
        while index < end, depth >= 0 {
            switch scalars[index] {
            case "[", "{": depth += 1
            case "]", "}": depth -= 1
            case ",":
                var next = index + 1
                while next < end, Self.isBlank(scalars[next]) || Self.isBreak(scalars[next]) { next += 1 }
                if depth == 0, isKey(key, at: next) { return next }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Whether a key of a mapping stands here, bare or in quotes.
    private func isKey(_ key: String, at offset: Int) -> Bool {
        ["", "\"", "'"].contains { quote in
            let spelling = quote + key + quote
            guard offset < end, hasPrefix(spelling, at: offset) else { return false }
            let colon = skippingBlanks(from: offset + spelling.unicodeScalars.count)
            return colon < end && scalars[colon] == ":"
        }
    }

    /// The private-use characters that stand for hidden keys; nobody writes them.
    private static let hiding: ClosedRange<UInt32> = 0xF000...0xF0FF

    /// Puts a word of the same length in a key's place that equals no other key.
    /// False where there is nothing to put it in the place of.
    mutating func hide(_ key: String, at position: TextPosition, number: Int) -> Bool {
        var start = offset(of: position)
        if start < end, scalars[start] == "\"" || scalars[start] == "'" { start += 1 }
        let length = key.unicodeScalars.count
        guard length > 0, start + length <= end,
            let mark = Unicode.Scalar(Self.hiding.lowerBound + UInt32(clamping: number) % UInt32(Self.hiding.count))
        else { return false }
        var text = scalars
        text.replaceSubrange(start..<start + length, with: repeatElement(mark, count: length))
        self = SourceText(Self.string(text[...]))
        return true
    }

    /// Whether `hide` wrote this key.
    static func isHidden(_ key: String) -> Bool { key.unicodeScalars.first.map { hiding.contains($0.value) } ?? false }
}
