extension YAMLEditor {
    mutating func changeMapping(
        _ node: YAMLNode, _ pairs: [YAMLNode.Pair], from old: YAMLValue?, to entries: [YAMLValue.Entry], at place: Place
    ) {
        let isFlow = source.isFlow(node)
        // What stands in the file though the old value does not mention it is a standard spelt out: it stays.
        let kept = pairs.map { pair in
            entries.contains { $0.key == pair.key.text } || old?[pair.key.text ?? ""] == nil
        }
        guard kept.contains(true) else { return replaceMapping(node, pairs, with: entries, at: place) }
        let spans = pairs.map { source.offset(of: $0.key.position)..<source.end(of: $0) }
        if isFlow { removeFromFlow(spans, kept: kept) } else { removeFromBlock(spans, kept: kept) }
        // Present values first: what is inserted behind one belongs behind what it gains.
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

    /// For a mapping none of whose keys stays.
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
