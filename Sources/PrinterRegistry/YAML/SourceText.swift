/// A text as Unicode scalars with access by line and column, and with libyaml's line breaks.
struct SourceText {
    let scalars: [Unicode.Scalar]
    /// The offset of each line's start; there is always one line.
    let lineStarts: [Int]

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        var lineStarts = [0]
        for index in scalars.indices where Self.isBreak(scalars[index]) {
            // CR LF is one break.
            if scalars[index] == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { continue }
            lineStarts.append(index + 1)
        }
        self.lineStarts = lineStarts
    }

    var text: String { Self.string(scalars[...]) }
    var end: Int { scalars.count }

    /// The line break that the file uses; a line feed where it has none yet.
    var lineBreak: String {
        guard let index = scalars.firstIndex(where: Self.isBreak) else { return "\n" }
        return scalars[index] == "\r" && index + 1 < end && scalars[index + 1] == "\n" ? "\r\n" : "\n"
    }

    static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// Whether this is a line break (YAML 1.1 §5.4), as libyaml reads it.
    static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    /// The offset of a position, limited to the text.
    func offset(of position: TextPosition) -> Int {
        guard (1...lineStarts.count).contains(position.line) else { return end }
        return min(end, lineStarts[position.line - 1] + position.column - 1)
    }

    func position(of offset: Int) -> TextPosition {
        let line = lineIndex(of: offset)
        return TextPosition(line: line + 1, column: offset - lineStarts[line] + 1)
    }

    /// The index of the line that contains an offset.
    func lineIndex(of offset: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    func lineStart(of offset: Int) -> Int { lineStarts[lineIndex(of: offset)] }

    /// The end of the line that contains an offset, before its break.
    func lineEnd(of offset: Int) -> Int {
        var index = offset
        while index < end, !Self.isBreak(scalars[index]) { index += 1 }
        return index
    }

    /// The start of the line after the one that contains an offset; the text's end after the last line.
    func nextLineStart(of offset: Int) -> Int {
        let line = lineIndex(of: offset) + 1
        return line < lineStarts.count ? lineStarts[line] : end
    }

    /// The first offset from `offset` on without a space or tab.
    func skippingBlanks(from offset: Int) -> Int {
        var index = offset
        while index < end, Self.isBlank(scalars[index]) { index += 1 }
        return index
    }

    /// Whether the line that contains an offset is blank or a comment.
    func isBlankOrComment(lineOf offset: Int) -> Bool {
        let index = skippingBlanks(from: lineStart(of: offset))
        return index >= end || Self.isBreak(scalars[index]) || scalars[index] == "#"
    }

    subscript(range: Range<Int>) -> String { Self.string(scalars[range]) }

    func hasPrefix(_ text: String, at offset: Int) -> Bool { scalars[offset...].starts(with: text.unicodeScalars) }
}

/// A position in a text: line and column from 1, the column in Unicode scalars, as in libyaml.
struct TextPosition: Hashable, Comparable {
    var line: Int
    var column: Int

    static let start = TextPosition(line: 1, column: 1)

    static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// Changes of a text, collected by their offsets in the original and applied together.
struct TextEdits {
    private let source: SourceText
    private var edits: [(range: Range<Int>, replacement: String)] = []

    init(_ source: SourceText) { self.source = source }

    mutating func replace(_ range: Range<Int>, with text: String) { edits.append((range, text)) }

    mutating func insert(_ text: String, at offset: Int) { edits.append((offset..<offset, text)) }

    /// Inserts lines after the line that contains an offset. Several at one place keep the order of the calls.
    mutating func insert(lines: [String], afterLineOf offset: Int) {
        let position = source.nextLineStart(of: offset)
        let text = lines.joined(separator: source.lineBreak)
        if position == source.end, let last = source.scalars.last, !SourceText.isBreak(last) {
            insert(source.lineBreak + text, at: position)
        } else {
            insert(text + source.lineBreak, at: position)
        }
    }

    /// Removes the lines from the one that contains `first` to the one that contains `last`.
    mutating func removeLines(from first: Int, through last: Int) {
        replace(source.lineStart(of: first)..<source.nextLineStart(of: last), with: "")
    }

    /// The text after all changes.
    var result: String {
        var scalars = source.scalars
        // From the end, so that earlier offsets stay valid. At one offset a removal comes before insertions, and the
        // last insertion comes first, since each one is placed before the previous.
        let ordered = edits.enumerated().sorted { left, right in
            let (a, b) = (left.element.range, right.element.range)
            if a.lowerBound != b.lowerBound { return a.lowerBound > b.lowerBound }
            if a.isEmpty != b.isEmpty { return !a.isEmpty }
            return left.offset > right.offset
        }
        for edit in ordered {
            scalars.replaceSubrange(edit.element.range, with: edit.element.replacement.unicodeScalars)
        }
        return SourceText.string(scalars[...])
    }
}
