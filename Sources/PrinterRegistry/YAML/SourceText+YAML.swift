/// For `YAMLEditor`: where nodes end in the text, found by scanning, since Yams reports only where they begin.
/// The extension below it finds and hides duplicate keys for `YAMLComposer`.
extension SourceText {
    /// The offset after a node. `parentColumn` is the column, from 0, of the key or dash that it belongs to.
    func end(of node: YAMLNode, parentColumn: Int) -> Int {
        let start = offset(of: node.position)
        switch node.content {
        case .scalar(let text, .plain): return endOfPlain(text, from: start)
        case .scalar(_, .singleQuoted): return endOfSingleQuoted(from: start)
        case .scalar(_, .doubleQuoted): return endOfDoubleQuoted(from: start)
        case .scalar(_, .block): return endOfBlockScalar(from: start, parentColumn: parentColumn)
        case .sequence(let items):
            let last = items.last.map { end(of: $0, parentColumn: column(of: start)) }
            return isFlow(node) ? endOfFlow(from: last ?? start + 1) : last ?? start
        case .mapping(let pairs):
            let last = pairs.last.map { end(of: $0) }
            return isFlow(node) ? endOfFlow(from: last ?? start + 1) : last ?? start
        }
    }

    /// The offset after a pair's value.
    func end(of pair: YAMLNode.Pair) -> Int {
        end(of: pair.value, parentColumn: column(of: offset(of: pair.key.position)))
    }

    /// Whether a list or mapping is written in brackets or braces (flow style).
    func isFlow(_ node: YAMLNode) -> Bool {
        let start = offset(of: node.position)
        return start < end && (scalars[start] == "[" || scalars[start] == "{")
    }

    func column(of offset: Int) -> Int { offset - lineStart(of: offset) }

    /// A plain scalar has no escapes: except for white space, the file contains its text, in one line or several.
    private func endOfPlain(_ text: String, from start: Int) -> Int {
        var (index, end) = (start, start)
        for scalar in text.unicodeScalars where !Self.isBlank(scalar) && !Self.isBreak(scalar) {
            while index < self.end, scalars[index] != scalar { index += 1 }
            index = min(index + 1, self.end)
            end = index
        }
        return end
    }

    private func endOfSingleQuoted(from start: Int) -> Int {
        var index = start + 1
        while index < end {
            if scalars[index] == "'" {
                guard index + 1 < end, scalars[index + 1] == "'" else { return index + 1 }
                index += 1
            }
            index += 1
        }
        return end
    }

    private func endOfDoubleQuoted(from start: Int) -> Int {
        var index = start + 1
        while index < end, scalars[index] != "\"" { index += scalars[index] == "\\" ? 2 : 1 }
        return min(index + 1, end)
    }

    /// A block scalar (`|` or `>`) contains every line that is blank or indented further than its parent.
    private func endOfBlockScalar(from start: Int, parentColumn: Int) -> Int {
        var last = lineEnd(of: start)
        var line = nextLineStart(of: start)
        while line < end {
            let content = skippingBlanks(from: line)
            let isBlank = content >= end || Self.isBreak(scalars[content])
            if !isBlank, content - line <= parentColumn { break }
            if !isBlank { last = lineEnd(of: content) }
            let next = nextLineStart(of: line)
            if next == line { break }
            line = next
        }
        return last
    }

    /// The offset after the closing bracket, given the end of the last item.
    private func endOfFlow(from start: Int) -> Int {
        var index = start
        while index < end, scalars[index] != "]", scalars[index] != "}" {
            index = scalars[index] == "#" ? lineEnd(of: index) : index + 1
        }
        return min(index + 1, end)
    }

    /// The offset of the dash of an item in a block list.
    func dash(of item: YAMLNode) -> Int {
        var line = lineIndex(of: offset(of: item.position))
        var end = offset(of: item.position)
        while true {
            let first = skippingBlanks(from: lineStarts[line])
            if first < end, scalars[first] == "-" { return first }
            guard line > 0 else { return offset(of: item.position) }
            end = lineStarts[line]
            line -= 1
        }
    }
}

/// For `YAMLComposer`: duplicate keys, at the first of which Yams stops. Each that is found is hidden in a copy of the
/// text, which is parsed again, so that all are reported at once.
extension SourceText {
    /// The position of a key's second occurrence in its mapping; nil when it is not found.
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

    /// Whether a mapping's key is at this offset, plain or in quotes.
    private func isKey(_ key: String, at offset: Int) -> Bool {
        ["", "\"", "'"].contains { quote in
            let spelling = quote + key + quote
            guard offset < end, hasPrefix(spelling, at: offset) else { return false }
            let colon = skippingBlanks(from: offset + spelling.unicodeScalars.count)
            return colon < end && scalars[colon] == ":"
        }
    }

    /// The private-use characters that replace hidden keys; nobody writes them.
    private static let hiding: ClosedRange<UInt32> = 0xF000...0xF0FF

    /// Replaces a key by a unique one of the same length, so that it is a duplicate no longer. Returns false where
    /// there is no key.
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
