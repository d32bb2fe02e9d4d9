/// Breaks a cell's text into lines of its column.
enum TextWrapper {
    static func lines(_ spans: [TextSpan], width: Int, wrapping: TextWrapping) -> [Line] {
        var lines: [Line] = []
        guard !spans.isEmpty, width > 0 else { return lines }
        if let line = Line(spans, within: width) { return [line] }
        for var paragraph in TextCluster.paragraphs(spans) {
            BidiParagraph.setLevels(&paragraph)
            let isRightToLeft = paragraph.contains { $0.level > 0 } && BidiParagraph.isRightToLeft(paragraph)
            let fitting = paragraph.compactMap { fitted($0, width) }
            let broken = wrapping == .word ? byWord(fitting, width) : byCharacter(fitting, width)
            lines += broken.map { Line($0, isRightToLeft: isRightToLeft) }
            // Without wrapping, the first line is all that is shown.
            if wrapping == .none { return Array(lines.prefix(1)) }
        }
        return lines
    }

    /// Large letters become narrower where the column is too narrow for one. Nil where not even the smallest fits.
    private static func fitted(_ cluster: TextCluster, _ width: Int) -> TextCluster? {
        guard cluster.width > width else { return cluster }
        guard cluster.cells <= width else { return nil }
        var cluster = cluster
        cluster.style.width = width / cluster.cells
        return cluster
    }

    private static func byCharacter(_ clusters: [TextCluster], _ width: Int) -> [ArraySlice<TextCluster>] {
        var (lines, start, used): ([ArraySlice<TextCluster>], Int, Int) = ([], 0, 0)
        for (index, cluster) in clusters.enumerated() {
            if used + cluster.width > width {
                lines.append(clusters[start..<index])
                (start, used) = (index, 0)
            }
            used += cluster.width
        }
        return lines + [clusters[start...]]
    }

    /// At the last place where a line may end, else wherever the column does. The blank at such a place is not shown.
    private static func byWord(_ clusters: [TextCluster], _ width: Int) -> [ArraySlice<TextCluster>] {
        var (lines, start): ([ArraySlice<TextCluster>], Int) = ([], 0)
        while start < clusters.count {
            var (end, used, place): (Int, Int, Int?) = (start, 0, nil)
            while end < clusters.count, used + clusters[end].width <= width {
                used += clusters[end].width
                end += 1
                if end < clusters.count, mayBreak(clusters[end - 1], clusters[end]) { place = end }
            }
            guard end < clusters.count else {
                lines.append(clusters[start...])
                return lines
            }
            let isBlank = clusters[end].text == " "
            let stop = isBlank ? end : place ?? end
            lines.append(trimmed(clusters[start..<stop]))
            start = stop
            while start < clusters.count, clusters[start].text == " " { start += 1 }
        }
        return lines.isEmpty ? [clusters[...]] : lines
    }

    private static func trimmed(_ line: ArraySlice<TextCluster>) -> ArraySlice<TextCluster> {
        let end = line.lastIndex { $0.text != " " }.map { $0 + 1 } ?? line.endIndex
        return line[..<end]
    }

    private static let closing = Set("、。，．）」』】〕！？：；ー,.)]}!?:;%€$¥")
    private static let opening = Set("（「『【〔([{")

    /// Behind a blank or hyphen; between characters of scripts that have no blanks, except at their brackets and stops.
    private static func mayBreak(_ before: TextCluster, _ after: TextCluster) -> Bool {
        if before.text == " " { return after.text != " " }
        if before.text == "-" { return after.text.first?.isLetter == true }
        guard before.cells == 2 || after.cells == 2, after.text != " " else { return false }
        return !(after.text.first.map(closing.contains) ?? false) && !(before.text.first.map(opening.contains) ?? false)
    }
}
