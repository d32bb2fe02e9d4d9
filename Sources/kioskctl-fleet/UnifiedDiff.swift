/// The lines that differ between two texts, as `diff -u` shows them.
enum UnifiedDiff {
    /// Lines around a difference that are shown.
    private static let context = 3
    /// Beyond so many pairs of lines the whole middle is told as replaced: the time grows with them.
    private static let maximumPairs = 4_000_000

    /// A line, and whether it is only in the old text, only in the new one, or in both.
    private struct Line {
        var mark: Character
        var text: Substring
    }

    /// Lines that begin with ` `, `-`, `+` or `@@`, without the lines of file names; none where the texts are the same.
    static func lines(from old: String, to new: String) -> [String] {
        let all = compare(split(old), split(new))
        var hunks: [String] = []
        var (index, oldLine, newLine) = (0, 1, 1)
        var shown = [Bool](repeating: false, count: all.count)
        for (index, line) in all.enumerated() where line.mark != " " {
            for near in max(0, index - context)...min(all.count - 1, index + context) { shown[near] = true }
        }
        while index < all.count {
            guard shown[index] else {
                (index, oldLine, newLine) = (index + 1, oldLine + 1, newLine + 1)
                continue
            }
            let end = shown[index...].firstIndex(of: false) ?? all.count
            let hunk = all[index..<end]
            let (removed, added) = (hunk.count { $0.mark != "+" }, hunk.count { $0.mark != "-" })
            // An empty side stands behind the line before it.
            let (first, second) = (removed == 0 ? oldLine - 1 : oldLine, added == 0 ? newLine - 1 : newLine)
            hunks.append("@@ -\(first),\(removed) +\(second),\(added) @@")
            hunks += hunk.map { "\($0.mark)\($0.text)" }
            (index, oldLine, newLine) = (end, oldLine + removed, newLine + added)
        }
        return hunks
    }

    private static func split(_ text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func compare(_ old: [Substring], _ new: [Substring]) -> [Line] {
        var (start, end) = (0, 0)
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        while end < min(old.count, new.count) - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        let middle = compareMiddle(Array(old[start..<old.count - end]), Array(new[start..<new.count - end]))
        return old[..<start].map { Line(mark: " ", text: $0) } + middle
            + old[(old.count - end)...].map { Line(mark: " ", text: $0) }
    }

    private static func compareMiddle(_ old: [Substring], _ new: [Substring]) -> [Line] {
        guard old.count.multipliedReportingOverflow(by: new.count).partialValue <= maximumPairs else {
            return old.map { Line(mark: "-", text: $0) } + new.map { Line(mark: "+", text: $0) }
        }
        var (removed, added) = (Set<Int>(), Set<Int>())
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [Line] = []
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, removed.contains(i) {
                lines.append(Line(mark: "-", text: old[i]))
                i += 1
            } else if j < new.count, added.contains(j) {
                lines.append(Line(mark: "+", text: new[j]))
                j += 1
            } else {
                lines.append(Line(mark: " ", text: new[j]))
                (i, j) = (i + 1, j + 1)
            }
        }
        return lines
    }
}
