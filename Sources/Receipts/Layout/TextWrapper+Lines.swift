extension TextWrapper {
    /// A line of a column.
    struct Line {
        /// From left to right, the first at column 0.
        var runs: [PlacedRun]
        var width: Int

        /// Neighbours of one style and direction stand together.
        init(_ clusters: ArraySlice<TextCluster>, isRightToLeft: Bool) {
            runs = []
            width = 0
            for cluster in BidiParagraph.visualOrder(clusters, isRightToLeft: isRightToLeft) {
                let isReversed = !cluster.level.isMultiple(of: 2)
                let last = runs.count - 1
                if last >= 0, runs[last].style == cluster.style, runs[last].isRightToLeft == isReversed {
                    if isReversed { runs[last].text = cluster.text + runs[last].text } else { runs[last].text += cluster.text }
                    runs[last].width += cluster.width
                } else {
                    runs.append(PlacedRun(column: width, width: cluster.width, text: cluster.text, style: cluster.style, isRightToLeft: isReversed))
                }
                width += cluster.width
            }
        }

        /// ASCII that fits as it stands, which is most of what receipts say; nil for anything else.
        init?(_ spans: [TextSpan], within limit: Int) {
            runs = []
            width = 0
            for span in spans {
                guard span.text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
                let count = span.text.utf8.count * span.style.width
                guard width + count <= limit else { return nil }
                runs.append(PlacedRun(column: width, width: count, text: span.text, style: span.style, isRightToLeft: false))
                width += count
            }
        }
    }
}
