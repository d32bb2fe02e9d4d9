/// Changes of a text, collected against its present offsets and made all at once.
struct TextEdits {
    private let source: SourceText
    private var edits: [(range: Range<Int>, replacement: String)] = []

    init(_ source: SourceText) { self.source = source }

    mutating func replace(_ range: Range<Int>, with text: String) { edits.append((range, text)) }

    mutating func insert(_ text: String, at offset: Int) { edits.append((offset..<offset, text)) }

    /// Puts lines behind the line that holds an offset. Several at one place stand in the order of the calls.
    mutating func insert(lines: [String], afterLineOf offset: Int) {
        let position = source.nextLineStart(of: offset)
        let text = lines.joined(separator: source.lineBreak)
        if position == source.end, let last = source.scalars.last, !SourceText.isBreak(last) {
            insert(source.lineBreak + text, at: position)
        } else {
            insert(text + source.lineBreak, at: position)
        }
    }

    /// Removes the lines from the one that holds `first` to the one that holds `last`.
    mutating func removeLines(from first: Int, through last: Int) {
        replace(source.lineStart(of: first)..<source.nextLineStart(of: last), with: "")
    }

    /// The text after all changes.
    var result: String {
        var scalars = source.scalars
        // From the back, so that offsets in front stay true. At one offset removal comes before insertion, and the
        // insertion that was asked for last comes first, since each pushes the former back.
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
