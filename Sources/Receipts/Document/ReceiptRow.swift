/// A line of text in columns; where a cell wraps, several lines of paper.
package struct ReceiptRow: Hashable, Sendable {
    /// From left to right, at least one.
    package var cells: [ReceiptCell]

    package init(_ cells: [ReceiptCell]) { self.cells = cells }
}

/// What one column of a row says.
package struct ReceiptCell: Hashable, Sendable {
    package var alignment: HorizontalAlignment
    package var spans: [TextSpan]

    package init(_ spans: [TextSpan], alignment: HorizontalAlignment) {
        self.spans = spans
        self.alignment = alignment
    }

    package init(_ text: String, alignment: HorizontalAlignment = .left, style: TextStyle = TextStyle()) {
        self.init(text.isEmpty ? [] : [TextSpan(text, style)], alignment: alignment)
    }
}

/// Text of one look. A line feed in it begins a new line; it holds no other control character.
package struct TextSpan: Hashable, Sendable {
    package var text: String
    package var style: TextStyle

    package init(_ text: String, _ style: TextStyle = TextStyle()) {
        self.text = text
        self.style = style
    }
}

package struct TextStyle: Hashable, Sendable {
    package var underline: Bool
    /// Bold.
    package var emphasis: Bool
    /// White on black.
    package var invert: Bool
    /// Times the font's own width and height.
    package var width: Int
    package var height: Int

    package init(underline: Bool = false, emphasis: Bool = false, invert: Bool = false, width: Int = 1, height: Int = 1)
    {
        self.underline = underline
        self.emphasis = emphasis
        self.invert = invert
        self.width = width
        self.height = height
    }

    /// What ESC/POS can do (GS !).
    package static let scales = 1...8
}
