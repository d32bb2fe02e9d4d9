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

        /// Letters of Latin, Greek and Cyrillic that fit as they stand, which is most of what receipts say; nil for
        /// anything else.
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

        /// Of text whose scalars each have a cell of their own, and go from left to right wherever they stand.
        private static func plainCells(of text: String) -> Int? {
            var cells = 0
            for scalar in text.unicodeScalars {
                switch scalar.value {
                // Without controls, the soft hyphen, and what combines with the letter before.
                case 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x300, 0x370..<0x483, 0x48A..<0x530, 0x20AC: cells += 1
                default: return nil
                }
            }
            return cells
        }
    }
}
