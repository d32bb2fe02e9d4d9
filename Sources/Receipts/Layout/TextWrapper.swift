/// Breaks the text of a cell into the lines of its column.
enum TextWrapper {
    /// The lines of a cell's text. `width` is the column's, in cells.
    static func lines(_ spans: [TextSpan], width: Int, wrapping: TextWrapping) -> [Line] {
        var lines: [Line] = []
        guard !spans.isEmpty, width > 0 else { return lines }
        if let line = Line(spans, within: width) { return [line] }
        for var paragraph in TextCluster.paragraphs(spans).droppingEndOfLastLine {
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

/// A grapheme cluster in a cell of the grid, or in two: a character with everything that combines with it.
struct TextCluster: Hashable, Sendable {
    let text: String
    /// 0, 1 or 2 cells.
    let cells: Int
    var style: TextStyle
    /// The level in the Unicode Bidirectional Algorithm: odd is from right to left.
    var level: UInt8 = 0

    /// The cells on the grid, after magnification.
    var width: Int { cells * style.width }

    init(_ character: Character, _ style: TextStyle) {
        text = String(character)
        cells = Self.cells(of: character)
        self.style = style
    }

    /// Creates the cluster of a scalar that stands alone.
    private init(alone scalar: Unicode.Scalar, _ style: TextStyle) {
        text = String(scalar)
        cells = scalar.isASCII || !EastAsianWidth.isWide(scalar) ? 1 : 2
        self.style = style
    }

    /// The cells of a character. Combining marks and format characters take none, East Asian wide characters and emoji
    /// two.
    static func cells(of character: Character) -> Int {
        if let ascii = character.asciiValue { return ascii.isControl ? 0 : 1 }
        var cells = 0
        for scalar in character.unicodeScalars {
            // The emoji variation selector turns a plain symbol into an emoji, the enclosing keycap a digit into a key.
            if scalar.value == 0xFE0F || scalar.value == 0x20E3 { return 2 }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format, .control: continue
            default: cells += EastAsianWidth.isWide(scalar) ? 2 : 1
            }
        }
        // Vowels and final consonants join the Hangul syllable before them; a sequence of emoji is one emoji.
        return min(cells, 2)
    }

    /// The clusters of each line. Line feeds in the text separate the lines.
    static func paragraphs(_ spans: [TextSpan]) -> [[TextCluster]] {
        var paragraphs: [[TextCluster]] = [[]]
        for span in spans {
            // Where nothing combines, every scalar is a cluster.
            if span.text.unicodeScalars.allSatisfy(\.standsAlone) {
                paragraphs[paragraphs.count - 1] += span.text.unicodeScalars.map { TextCluster(alone: $0, span.style) }
                continue
            }
            for character in span.text {
                if character == "\n" {
                    paragraphs.append([])
                } else {
                    paragraphs[paragraphs.count - 1] += EmojiSequence.printed(character).map {
                        TextCluster($0, span.style)
                    }
                }
            }
        }
        return paragraphs
    }
}

extension [[TextCluster]] {
    /// The lines without the empty one after the last line feed: a line feed ends a line and begins none by itself.
    fileprivate var droppingEndOfLastLine: ArraySlice<[TextCluster]> {
        count > 1 && last?.isEmpty == true ? dropLast() : self[...]
    }
}

/// Emoji that consist of several characters, and have no glyph of their own in fonts of one ink.
enum EmojiSequence {
    /// The characters that are printed for one: the members of a family or other sequence one after another, the
    /// letters of a country's flag, the black flag for that of a region. Any other character is itself.
    static func printed(_ character: Character) -> [Character] {
        let scalars = character.unicodeScalars
        // Joiners in Indic scripts stay: they shape the letters around them.
        guard scalars.count > 1, let first = scalars.first, first.value > 0x203B, first.properties.isEmoji else {
            return [character]
        }
        if scalars.allSatisfy(\.isRegionalIndicator) {
            return scalars.compactMap { Unicode.Scalar($0.value - 0x1F1E6 + 0x41).map { Character($0) } }
        }
        let parts = scalars.filter { !$0.isTag }.split(separator: "\u{200D}")
        return parts.map { String(String.UnicodeScalarView($0)) }.flatMap { Array($0) }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is one of the letters that make a country's flag (Unicode Technical Standard #51).
    fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }
    /// Whether the scalar names the region of a flag, or ends its name.
    fileprivate var isTag: Bool { (0xE0020...0xE007F).contains(value) }
}

extension Character {
    /// The cells of a printer's font that it takes: 0, 1 or 2.
    package var cells: Int { TextCluster.cells(of: self) }
}

/// The characters that are two cells wide (Unicode Standard Annex #11: Wide and Fullwidth), including unassigned ones
/// between them.
enum EastAsianWidth {
    static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= bounds[0] else { return false }
        var (low, high) = (0, bounds.count / 2)
        while low < high {
            let middle = (low + high) / 2
            if bounds[2 * middle + 1] < scalar.value { low = middle + 1 } else { high = middle }
        }
        return 2 * low < bounds.count && bounds[2 * low] <= scalar.value
    }

    /// The first and last character of each range, ascending. From Unicode 14.
    private static let bounds: [UInt32] = [
        0x1100, 0x115F, 0x231A, 0x231B, 0x2329, 0x232A, 0x23E9, 0x23EC, 0x23F0, 0x23F0, 0x23F3, 0x23F3, 0x25FD, 0x25FE,
        0x2614, 0x2615, 0x2648, 0x2653, 0x267F, 0x267F, 0x2693, 0x2693, 0x26A1, 0x26A1, 0x26AA, 0x26AB, 0x26BD, 0x26BE,
        0x26C4, 0x26C5, 0x26CE, 0x26CE, 0x26D4, 0x26D4, 0x26EA, 0x26EA, 0x26F2, 0x26F3, 0x26F5, 0x26F5, 0x26FA, 0x26FA,
        0x26FD, 0x26FD, 0x2705, 0x2705, 0x270A, 0x270B, 0x2728, 0x2728, 0x274C, 0x274C, 0x274E, 0x274E, 0x2753, 0x2755,
        0x2757, 0x2757, 0x2795, 0x2797, 0x27B0, 0x27B0, 0x27BF, 0x27BF, 0x2B1B, 0x2B1C, 0x2B50, 0x2B50, 0x2B55, 0x2B55,
        0x2E80, 0x303E, 0x3041, 0x3247, 0x3250, 0x4DBF, 0x4E00, 0xA4C6, 0xA960, 0xA97C, 0xAC00, 0xD7A3, 0xF900, 0xFAD9,
        0xFE10, 0xFE6B, 0xFF01, 0xFF60, 0xFFE0, 0xFFE6, 0x16FE0, 0x1B2FB, 0x1F004, 0x1F004, 0x1F0CF, 0x1F0CF, 0x1F18E,
        0x1F18E,
        0x1F191, 0x1F19A, 0x1F200, 0x1F320, 0x1F32D, 0x1F335, 0x1F337, 0x1F37C, 0x1F37E, 0x1F393, 0x1F3A0, 0x1F3CA,
        0x1F3CF, 0x1F3D3, 0x1F3E0, 0x1F3F0, 0x1F3F4, 0x1F3F4, 0x1F3F8, 0x1F43E, 0x1F440, 0x1F440, 0x1F442, 0x1F4FC,
        0x1F4FF, 0x1F53D, 0x1F54B, 0x1F54E, 0x1F550, 0x1F567, 0x1F57A, 0x1F57A, 0x1F595, 0x1F596, 0x1F5A4, 0x1F5A4,
        0x1F5FB, 0x1F64F, 0x1F680, 0x1F6C5, 0x1F6CC, 0x1F6CC, 0x1F6D0, 0x1F6D2, 0x1F6D5, 0x1F6DF, 0x1F6EB, 0x1F6EC,
        0x1F6F4, 0x1F6FC, 0x1F7E0, 0x1F7F0, 0x1F90C, 0x1F93A, 0x1F93C, 0x1F945, 0x1F947, 0x1F9FF, 0x1FA70, 0x1FAF6,
        0x20000, 0x3FFFD,
    ]
}

extension Unicode.Scalar {
    /// Whether the scalar is a whole grapheme cluster beside any other scalar that stands alone, and takes one or two
    /// cells. None of these combines (Unicode Standard Annex #29, "Grapheme Cluster Boundaries"). Text of only these
    /// scalars needs no search for cluster boundaries.
    var standsAlone: Bool {
        switch value {
        // ASCII, Latin but for the soft hyphen, Greek, Cyrillic.
        case 0x20...0x7E, 0xA0...0xAC, 0xAE...0x2FF, 0x370...0x377, 0x37A...0x37F, 0x384...0x38A, 0x38E...0x3A1,
            0x3A3...0x482, 0x48A...0x52F:
            true
        // Punctuation, currencies, arrows, mathematics and boxes.
        case 0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20C0, 0x2190...0x2426, 0x2460...0x2B73: true
        // Kana, unified ideographs, and whole syllables of Hangul.
        case 0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }
}
