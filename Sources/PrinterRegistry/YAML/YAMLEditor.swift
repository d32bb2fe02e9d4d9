/// Changes values in the text of a YAML file, and leaves the rest of the text unchanged.
///
/// It supports the ways in which registries are written, and does not change what it does not support: the caller has
/// to read the result back and compare.
struct YAMLEditor {
    private let source: SourceText
    private var edits: TextEdits

    init(_ source: SourceText) {
        self.source = source
        edits = TextEdits(source)
    }

    /// The text after all changes.
    var result: String { edits.result }

    /// The place of a value in the text.
    struct Place {
        /// The offset of its key or dash.
        var parent: Int
        /// Whether it is inside brackets or braces: then it must stay in its line.
        var isInFlow: Bool
        /// The number of levels of a new value that get lines of their own.
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

    /// Replaces an empty value: `printers:`, `printers: ~` or `printers: []`.
    private mutating func fill(_ node: YAMLNode, with new: YAMLValue, at place: Place) {
        let (start, end) = span(of: node, at: place)
        // Inside the parent's brackets no new lines are possible; inside the empty value's own they are.
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
        // A missing value has an empty span, right after the colon.
        edits.replace(start..<end, with: start == end ? " \(text)" : text)
    }

    private func span(of node: YAMLNode, at place: Place) -> (start: Int, end: Int) {
        (source.offset(of: node.position), source.end(of: node, parentColumn: source.column(of: place.parent)))
    }

    /// Removes items from a flow sequence or mapping, with their commas. `kept` marks those that stay, at least one.
    private mutating func removeFromFlow(_ spans: [Range<Int>], kept: [Bool]) {
        guard let firstKept = kept.firstIndex(of: true) else { return }
        if firstKept > 0 { edits.replace(spans[0].lowerBound..<spans[firstKept].lowerBound, with: "") }
        for index in spans.indices where index > firstKept && !kept[index] {
            edits.replace(spans[index - 1].upperBound..<spans[index].upperBound, with: "")
        }
    }

    /// Whether there is a blank line before the last of several entries: then a new entry gets one too.
    private func isSpaced(_ starts: [Int]) -> Bool {
        guard starts.count > 1, let last = starts.last else { return false }
        let line = source.lineStart(of: last)
        return line > 0
            && source.scalars[source.skippingBlanks(from: source.lineStart(of: line - 1))...].first.map(
                SourceText.isBreak) == true
    }
}

// MARK: - Mappings

extension YAMLEditor {
    private mutating func changeMapping(
        _ node: YAMLNode, _ pairs: [YAMLNode.Pair], from old: YAMLValue?, to entries: [YAMLValue.Entry], at place: Place
    ) {
        let isFlow = source.isFlow(node)
        // A key that the file has and the old value lacks is an explicit default: it stays.
        let kept = pairs.map { pair in
            entries.contains { $0.key == pair.key.text } || old?[pair.key.text ?? ""] == nil
        }
        guard kept.contains(true) else { return replaceMapping(node, pairs, with: entries, at: place) }
        let spans = pairs.map { source.offset(of: $0.key.position)..<source.end(of: $0) }
        if isFlow { removeFromFlow(spans, kept: kept) } else { removeFromBlock(spans, kept: kept) }
        // Present values first: an insertion after one comes after its own additions.
        for (index, pair) in pairs.enumerated() {
            guard let entry = entries.first(where: { $0.key == pair.key.text }) else { continue }
            let inner = Place(parent: spans[index].lowerBound, isInFlow: place.isInFlow, levels: place.levels - 1)
            change(pair.value, from: old?[entry.key], to: entry.value, at: inner)
        }
        var predecessor = kept.lastIndex(of: true)
        for entry in entries {
            if let found = pairs.firstIndex(where: { $0.key.text == entry.key }) {
                predecessor = found
            } else if old?[entry.key] == nil || !entry.value.isEmpty, let predecessor {
                insert(entry, behind: spans[predecessor], starts: spans.map(\.lowerBound), isFlow: isFlow, at: place)
            }
        }
    }

    private mutating func insert(
        _ entry: YAMLValue.Entry, behind span: Range<Int>, starts: [Int], isFlow: Bool, at place: Place
    ) {
        guard !isFlow else { return edits.insert(", \(entry.key): \(entry.value.inline)", at: span.upperBound) }
        let indentation = String(repeating: " ", count: source.column(of: starts[0]))
        var lines = YAMLValue.lines(of: entry, levels: place.levels - 1).map { indentation + $0 }
        if lines.count > 1, isSpaced(starts) { lines.insert("", at: 0) }
        edits.insert(lines: lines, afterLineOf: span.upperBound)
    }

    /// Removes whole lines, except where the first key shares its line with a dash.
    private mutating func removeFromBlock(_ spans: [Range<Int>], kept: [Bool]) {
        guard let firstKept = kept.firstIndex(of: true) else { return }
        var index = 0
        let first = spans[0].lowerBound
        if source.skippingBlanks(from: source.lineStart(of: first)) != first, firstKept > 0 {
            edits.replace(first..<spans[firstKept].lowerBound, with: "")
            index = firstKept
        }
        for index in index..<spans.count where !kept[index] {
            edits.removeLines(from: spans[index].lowerBound, through: spans[index].upperBound)
        }
    }

    /// Replaces a mapping of which no key stays.
    private mutating func replaceMapping(
        _ node: YAMLNode, _ pairs: [YAMLNode.Pair], with entries: [YAMLValue.Entry], at place: Place
    ) {
        let start = source.offset(of: node.position)
        let end = source.end(of: node, parentColumn: source.column(of: place.parent))
        let new = YAMLValue.map(entries)
        if source.isFlow(node) || place.isInFlow {
            edits.replace(start..<end, with: new.inline)
        } else if entries.isEmpty {
            for pair in pairs {
                edits.removeLines(from: source.offset(of: pair.key.position), through: source.end(of: pair))
            }
        } else {
            let indentation = String(repeating: " ", count: source.column(of: start))
            edits.replace(
                start..<end,
                with: new.lines(levels: max(1, place.levels)).joined(separator: source.lineBreak + indentation))
        }
    }
}

// MARK: - Lists

extension YAMLEditor {
    private mutating func changeList(
        _ node: YAMLNode, _ items: [YAMLNode], from old: [YAMLValue], to new: [YAMLValue], at place: Place
    ) {
        if items.contains(where: { $0.pairs != nil }) {
            changeEntries(node, items, from: old, to: new, at: place)
        } else if source.isFlow(node) {
            let end = source.end(of: node, parentColumn: source.column(of: place.parent))
            edits.replace(source.offset(of: node.position)..<end, with: YAMLValue.list(new).inline)
        } else {
            changeLines(items, from: old, to: new, at: place)
        }
    }

    /// A list of mappings that have an `id`: the printers.
    private mutating func changeEntries(
        _ node: YAMLNode, _ items: [YAMLNode], from old: [YAMLValue], to new: [YAMLValue], at place: Place
    ) {
        let isFlow = source.isFlow(node)
        let kept = old.map { value in new.contains { $0["id"] == value["id"] } }
        let spans = items.map { item in
            let start = isFlow ? source.offset(of: item.position) : source.dash(of: item)
            return start..<source.end(of: item, parentColumn: source.column(of: start))
        }
        let added = new.filter { value in !old.contains { $0["id"] == value["id"] } }
        if isFlow, !kept.contains(true) {
            let end = source.end(of: node, parentColumn: source.column(of: place.parent))
            return edits.replace(source.offset(of: node.position)..<end, with: YAMLValue.list(new).inline)
        }
        for (index, item) in items.enumerated() where kept[index] {
            guard let value = new.first(where: { $0["id"] == old[index]["id"] }) else { continue }
            change(
                item, from: old[index], to: value,
                at: Place(parent: spans[index].lowerBound, isInFlow: isFlow, levels: 1))
        }
        if isFlow {
            removeFromFlow(spans, kept: kept)
            guard let last = kept.lastIndex(of: true) else { return }
            for value in added { edits.insert(", \(value.inline)", at: spans[last].upperBound) }
        } else {
            for (span, _) in zip(spans, kept).filter({ !$0.1 }) {
                edits.removeLines(from: span.lowerBound, through: span.upperBound)
            }
            // An insertion comes after removed lines, and is not removed with them.
            let anchor = kept.lastIndex(of: true).map { spans[$0].upperBound } ?? place.parent
            append(added, behind: anchor, like: items[0], starts: spans.map(\.lowerBound))
        }
    }

    private mutating func append(_ values: [YAMLValue], behind anchor: Int, like item: YAMLNode, starts: [Int]) {
        let indentation = String(repeating: " ", count: source.column(of: starts[0]))
        for value in values {
            var lines = YAMLValue.list([value]).lines(levels: 2).map { indentation + $0 }
            if isSpaced(starts) { lines.insert("", at: 0) }
            edits.insert(lines: lines, afterLineOf: anchor)
        }
    }

    /// A list of single values with a line each.
    private mutating func changeLines(_ items: [YAMLNode], from old: [YAMLValue], to new: [YAMLValue], at place: Place)
    {
        let spans = items.map { item in
            let dash = source.dash(of: item)
            return dash..<source.end(of: item, parentColumn: source.column(of: dash))
        }
        let indentation = String(repeating: " ", count: source.column(of: spans[0].lowerBound))
        let kept = old.filter(new.contains)
        guard !kept.isEmpty, new.starts(with: kept) else {
            return reorderLines(spans, from: old, to: new, indentation: indentation, at: place)
        }
        for (span, value) in zip(spans, old) where !new.contains(value) {
            edits.removeLines(from: span.lowerBound, through: span.upperBound)
        }
        guard let last = old.lastIndex(where: new.contains), new.count > kept.count else { return }
        let lines = new.dropFirst(kept.count).map { "\(indentation)- \($0.inline)" }
        edits.insert(lines: lines, afterLineOf: spans[last].upperBound)
    }

    /// Rebuilds a list from its old lines and new ones. Comments above a value move with it; those above a removed
    /// value stay.
    private mutating func reorderLines(
        _ spans: [Range<Int>], from old: [YAMLValue], to new: [YAMLValue], indentation: String, at place: Place
    ) {
        let starts = spans.map { source.lineStart(of: $0.lowerBound) }
        let ends = spans.map { source.nextLineStart(of: $0.upperBound) }
        guard let first = starts.first, let end = ends.last else { return }
        var lines: [YAMLValue: String] = [:]
        var text = ""
        for (index, value) in old.enumerated() {
            let lead = source[(index == 0 ? first : ends[index - 1])..<starts[index]]
            if new.contains(value) { lines[value] = lead + source[starts[index]..<ends[index]] } else { text += lead }
        }
        for value in new {
            let line = lines[value] ?? "\(indentation)- \(value.inline)"
            text += line
            if line.unicodeScalars.last.map(SourceText.isBreak) != true { text += source.lineBreak }
        }
        edits.replace(first..<end, with: text)
        if new.isEmpty, let colon = source.scalars[place.parent..<first].firstIndex(of: ":") {
            edits.insert(" []", at: colon + 1)
        }
    }
}
