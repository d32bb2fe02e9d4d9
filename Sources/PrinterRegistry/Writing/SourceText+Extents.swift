/// Where nodes end in the text. libyaml tells only where they begin.
extension SourceText {
    /// The offset behind a node. `parentColumn` is the column, from 0, of the key or dash that it belongs to.
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

    /// The offset behind a pair's value.
    func end(of pair: YAMLNode.Pair) -> Int {
        end(of: pair.value, parentColumn: column(of: offset(of: pair.key.position)))
    }

    /// Whether a list or mapping stands in brackets.
    func isFlow(_ node: YAMLNode) -> Bool {
        let start = offset(of: node.position)
        return start < end && (scalars[start] == "[" || scalars[start] == "{")
    }

    func column(of offset: Int) -> Int { offset - lineStart(of: offset) }

    /// A plain scalar has no escapes: all but its white space stands in the text as it is, over one line or several.
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

    /// `|` and `>`: every line that is blank or indented further than its parent.
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

    /// Behind the closing bracket, given the end of the last item.
    private func endOfFlow(from start: Int) -> Int {
        var index = start
        while index < end, scalars[index] != "]", scalars[index] != "}" {
            index = scalars[index] == "#" ? lineEnd(of: index) : index + 1
        }
        return min(index + 1, end)
    }

    /// The dash that a block list's item belongs to.
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
