extension YAMLEditor {
    mutating func changeList(
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
            // Lines that are removed take no insertion with them: it stands behind them.
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

    /// Puts a list together anew from its old lines and new ones. Comments above a value go with it; those above a
    /// removed value stay.
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
