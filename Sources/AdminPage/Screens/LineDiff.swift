/// The lines that differ between two texts, with a few of the lines around them.
package struct LineDiff: Sendable {
    /// A line, and whether it is only in one of the texts.
    package struct Line: Hashable, Sendable {
        /// Where a line stands.
        package enum Kind: Sendable { case same, added, removed, skipped }
        /// Where the line stands.
        package var kind: Kind
        /// The line, without its end.
        package var text: String
    }

    /// The lines to show.
    package let lines: [Line]
    /// How many lines are only in the new text.
    package let added: Int
    /// How many lines are only in the old text.
    package let removed: Int

    /// The lines around a difference that are shown.
    private static let context = 2
    /// Beyond so many pairs of lines the whole middle is told as replaced: the time grows with them.
    private static let maximumPairs = 4_000_000

    /// Compares two texts.
    package init(from old: String, to new: String) {
        let (old, new) = (Self.lines(of: old), Self.lines(of: new))
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var end = 0
        while end < min(old.count, new.count) - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        let (before, after) = (Array(old[start..<old.count - end]), Array(new[start..<new.count - end]))
        var all = old[..<start].map { Line(kind: .same, text: String($0)) }
        all += Self.middle(before, after)
        all += old[(old.count - end)...].map { Line(kind: .same, text: String($0)) }
        added = all.count { $0.kind == .added }
        removed = all.count { $0.kind == .removed }
        lines = Self.shortened(all)
    }

    private static func lines(of text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func middle(_ old: [Substring], _ new: [Substring]) -> [Line] {
        guard old.count.multipliedReportingOverflow(by: new.count).partialValue <= maximumPairs else {
            return old.map { Line(kind: .removed, text: String($0)) } + new.map { Line(kind: .added, text: String($0)) }
        }
        let difference = new.difference(from: old)
        let removed = Set(difference.removals.map(\.offset))
        let added = Set(difference.insertions.map(\.offset))
        var lines: [Line] = []
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, removed.contains(i) {
                lines.append(Line(kind: .removed, text: String(old[i])))
                i += 1
            } else if j < new.count, added.contains(j) {
                lines.append(Line(kind: .added, text: String(new[j])))
                j += 1
            } else {
                lines.append(Line(kind: .same, text: String(new[j])))
                (i, j) = (i + 1, j + 1)
            }
        }
        return lines
    }

    private static func shortened(_ lines: [Line]) -> [Line] {
        var isShown = [Bool](repeating: false, count: lines.count)
        for (index, line) in lines.enumerated() where line.kind != .same {
            for near in max(0, index - context)...min(lines.count - 1, index + context) { isShown[near] = true }
        }
        var result: [Line] = []
        for (index, line) in lines.enumerated() {
            if isShown[index] {
                result.append(line)
            } else if result.last?.kind != .skipped {
                result.append(Line(kind: .skipped, text: "⋯"))
            }
        }
        return result
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
