/// A text as Unicode scalars that can be reached by line and column, with the line breaks that libyaml knows.
struct SourceText {
    private(set) var scalars: [Unicode.Scalar]
    /// Where each line begins; there is always one.
    private(set) var lineStarts: [Int]

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        lineStarts = [0]
        for index in scalars.indices where Self.isBreak(scalars[index]) {
            // CR LF is one break.
            if scalars[index] == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { continue }
            lineStarts.append(index + 1)
        }
    }

    var text: String { Self.string(scalars[...]) }
    var end: Int { scalars.count }

    /// The break that the file uses; a line feed where there is none yet.
    var lineBreak: String {
        guard let index = scalars.firstIndex(where: Self.isBreak) else { return "\n" }
        return scalars[index] == "\r" && index + 1 < end && scalars[index + 1] == "\n" ? "\r\n" : "\n"
    }

    static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// YAML 1.1 §5.4, as libyaml reads it.
    static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    /// The offset of a position, held inside the text.
    func offset(of position: TextPosition) -> Int {
        guard (1...lineStarts.count).contains(position.line) else { return end }
        return min(end, lineStarts[position.line - 1] + position.column - 1)
    }

    func position(of offset: Int) -> TextPosition {
        let line = lineIndex(of: offset)
        return TextPosition(line: line + 1, column: offset - lineStarts[line] + 1)
    }

    /// The index of the line that holds an offset.
    func lineIndex(of offset: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    func lineStart(of offset: Int) -> Int { lineStarts[lineIndex(of: offset)] }

    /// Where the line that holds an offset ends, before its break.
    func lineEnd(of offset: Int) -> Int {
        var index = offset
        while index < end, !Self.isBreak(scalars[index]) { index += 1 }
        return index
    }

    /// Where the line after the one that holds an offset begins; the text's end behind the last.
    func nextLineStart(of offset: Int) -> Int {
        let line = lineIndex(of: offset) + 1
        return line < lineStarts.count ? lineStarts[line] : end
    }

    /// The first offset from `offset` on that holds no space or tab.
    func skippingBlanks(from offset: Int) -> Int {
        var index = offset
        while index < end, Self.isBlank(scalars[index]) { index += 1 }
        return index
    }

    /// Whether the line that holds an offset has nothing but blanks, or a comment.
    func isBlankOrComment(lineOf offset: Int) -> Bool {
        let index = skippingBlanks(from: lineStart(of: offset))
        return index >= end || Self.isBreak(scalars[index]) || scalars[index] == "#"
    }

    subscript(range: Range<Int>) -> String { Self.string(scalars[range]) }

    func hasPrefix(_ text: String, at offset: Int) -> Bool { scalars[offset...].starts(with: text.unicodeScalars) }
}
