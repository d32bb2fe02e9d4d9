/// Brings a file from one value to another by changing nothing else in its text.
///
/// It knows the ways in which registries are written, and leaves alone what it does not know: whoever calls it reads
/// the result back and compares.
struct YAMLEditor {
    let source: SourceText
    var edits: TextEdits

    init(_ source: SourceText) {
        self.source = source
        edits = TextEdits(source)
    }

    /// Where a value stands, for its edits.
    struct Place {
        /// The offset of its key or dash.
        var parent: Int
        /// Whether something around it stands in brackets: then it must stay in its line.
        var isInFlow: Bool
        /// How many levels of lines a new value gets at this place.
        var levels: Int
    }

    /// Changes the text of `node` from meaning `old` to meaning `new`.
    mutating func change(_ node: YAMLNode, from old: YAMLValue?, to new: YAMLValue, at place: Place) {
        guard old != new else { return }
        var place = place
        place.isInFlow = place.isInFlow || source.isFlow(node)
        switch (node.content, new) {
        case (.mapping(let pairs), .map(let entries)) where !pairs.isEmpty:
            changeMapping(node, pairs, from: old, to: entries, at: place)
        case (.sequence(let items), .list(let values)) where !items.isEmpty:
            guard case .list(let oldValues) = old, oldValues.count == items.count else { return }
            changeList(node, items, from: oldValues, to: values, at: place)
        case (.scalar, .list), (.scalar, .map), (.mapping, _), (.sequence, _):
            fill(node, with: new, at: place)
        case (.scalar(_, let style), _):
            replace(node, with: new.inline(like: style), at: place)
        }
    }

    /// Puts a value in the place of an empty one: `printers:`, `printers: ~` or `printers: []`.
    private mutating func fill(_ node: YAMLNode, with new: YAMLValue, at place: Place) {
        let (start, end) = span(of: node, at: place)
        // The parent's own brackets forbid lines; the empty value's do not.
        guard place.levels > 0, !(place.isInFlow && !source.isFlow(node)), !new.isEmpty else {
            return replace(node, with: new.inline, at: place)
        }
        var blank = start
        while blank > 0, SourceText.isBlank(source.scalars[blank - 1]) { blank -= 1 }
        if end > start { edits.replace(blank..<end, with: "") }
        let indentation = String(repeating: " ", count: source.column(of: place.parent) + 2)
        edits.insert(lines: new.lines(levels: place.levels).map { indentation + $0 }, afterLineOf: end)
    }

    private mutating func replace(_ node: YAMLNode, with text: String, at place: Place) {
        let (start, end) = span(of: node, at: place)
        // A value that was left out ends where it begins: right behind the colon.
        edits.replace(start..<end, with: start == end ? " \(text)" : text)
    }

    private func span(of node: YAMLNode, at place: Place) -> (start: Int, end: Int) {
        (source.offset(of: node.position), source.end(of: node, parentColumn: source.column(of: place.parent)))
    }

    /// Removes items from between brackets, with the commas that they leave over. `kept` tells which stay; at least one
    /// does.
    mutating func removeFromFlow(_ spans: [Range<Int>], kept: [Bool]) {
        guard let firstKept = kept.firstIndex(of: true) else { return }
        if firstKept > 0 { edits.replace(spans[0].lowerBound..<spans[firstKept].lowerBound, with: "") }
        for index in spans.indices where index > firstKept && !kept[index] {
            edits.replace(spans[index - 1].upperBound..<spans[index].upperBound, with: "")
        }
    }

    /// Whether a blank line stands before the last of several entries: then one belongs before a new entry too.
    func isSpaced(_ starts: [Int]) -> Bool {
        guard starts.count > 1, let last = starts.last else { return false }
        let line = source.lineStart(of: last)
        return line > 0
            && source.scalars[source.skippingBlanks(from: source.lineStart(of: line - 1))...].first.map(
                SourceText.isBreak) == true
    }
}
