/// Breaks the text of a cell into the lines of its column.
enum TextWrapper {
    /// The lines of a cell's text. `width` is the column's, in cells.
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
            // Without wrapping, only the first line is shown.
            if wrapping == .none { return Array(lines.prefix(1)) }
        }
        return lines
    }

    /// The cluster, made narrower where the column is too narrow for it. Nil where not even the smallest fits.
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

    /// Breaks at the last place where a line may end, or else where the column ends. Drops the spaces at a break.
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

    /// Whether a line may end between two clusters: after a space or hyphen, and between characters of scripts without
    /// spaces, except at brackets and stops.
    private static func mayBreak(_ before: TextCluster, _ after: TextCluster) -> Bool {
        if before.text == " " { return after.text != " " }
        if before.text == "-" { return after.text.first?.isLetter == true }
        guard before.cells == 2 || after.cells == 2, after.text != " " else { return false }
        return !(after.text.first.map(closing.contains) ?? false) && !(before.text.first.map(opening.contains) ?? false)
    }

    /// A line of a column.
    struct Line {
        /// From left to right, the first at column 0.
        private(set) var runs: [PlacedRun]
        private(set) var width: Int

        /// Joins neighbouring clusters of one style and direction into runs.
        init(_ clusters: ArraySlice<TextCluster>, isRightToLeft: Bool) {
            runs = []
            width = 0
            for cluster in BidiParagraph.visualOrder(clusters, isRightToLeft: isRightToLeft) {
                let isReversed = !cluster.level.isMultiple(of: 2)
                let last = runs.count - 1
                if last >= 0, runs[last].style == cluster.style, runs[last].isRightToLeft == isReversed {
                    if isReversed {
                        runs[last].text = cluster.text + runs[last].text
                    } else {
                        runs[last].text += cluster.text
                    }
                    runs[last].width += cluster.width
                } else {
                    runs.append(
                        PlacedRun(
                            column: width, width: cluster.width, text: cluster.text, style: cluster.style,
                            isRightToLeft: isReversed))
                }
                width += cluster.width
            }
        }

        /// Takes text in Latin, Greek and Cyrillic letters that fits as it is, which is most text on receipts. Nil for
        /// any other text.
        init?(_ spans: [TextSpan], within limit: Int) {
            runs = []
            runs.reserveCapacity(spans.count)
            width = 0
            for span in spans {
                guard let cells = Self.plainCells(of: span.text) else { return nil }
                let count = cells * span.style.width
                guard width + count <= limit else { return nil }
                runs.append(
                    PlacedRun(column: width, width: count, text: span.text, style: span.style, isRightToLeft: false))
                width += count
            }
        }

        /// The cells of text in which every scalar takes one cell and runs from left to right. Nil for any other text.
        private static func plainCells(of text: String) -> Int? {
            var cells = 0
            for scalar in text.unicodeScalars {
                switch scalar.value {
                // Control characters, the soft hyphen and combining marks are left out.
                case 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x300, 0x370..<0x483, 0x48A..<0x530, 0x20AC: cells += 1
                default: return nil
                }
            }
            return cells
        }
    }
}
