/// A row of text in columns. It takes several lines of paper where a cell wraps.
package struct ReceiptRow: Hashable, Sendable {
    /// From left to right, at least one.
    package var cells: [ReceiptCell]

    package init(_ cells: [ReceiptCell]) { self.cells = cells }
}

/// The text in one column of a row.
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

/// A run of text in one style. A line feed begins a new line; there are no other control characters.
package struct TextSpan: Hashable, Sendable {
    package var text: String
    package var style: TextStyle

    package init(_ text: String, _ style: TextStyle = TextStyle()) {
        self.text = text
        self.style = style
    }
}

/// The style of a run of text.
package struct TextStyle: Hashable, Sendable {
    package var underline: Bool
    /// Bold.
    package var emphasis: Bool
    /// White on black.
    package var invert: Bool
    /// Magnification of the font's width and height.
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

    /// The magnifications of ESC/POS (GS !).
    package static let scales = 1...8
}

/// A change of how lines are set. A setting that is nil stays unchanged.
package struct LineSettings: Hashable, Sendable {
    /// Widths of the columns of a row. Where the list is empty, all columns share the line equally.
    package var widths: [ColumnWidth]?
    package var border: ColumnBorder?
    /// Alignment of a row that is narrower than the paper.
    package var alignment: HorizontalAlignment?
    package var wrapping: TextWrapping?
    package var font: ReceiptFont?
    package var spacing: LineSpacing?

    package init(
        widths: [ColumnWidth]? = nil, border: ColumnBorder? = nil, alignment: HorizontalAlignment? = nil,
        wrapping: TextWrapping? = nil, font: ReceiptFont? = nil, spacing: LineSpacing? = nil
    ) {
        self.widths = widths
        self.border = border
        self.alignment = alignment
        self.wrapping = wrapping
        self.font = font
        self.spacing = spacing
    }

    package var isEmpty: Bool { self == LineSettings() }
}

/// The alignment of text in its column, or of anything that is narrower than the paper.
package enum HorizontalAlignment: String, Hashable, Sendable, CaseIterable {
    case left, center, right
}

/// Where text breaks into lines.
package enum TextWrapping: String, Hashable, Sendable, CaseIterable {
    /// Breaks where the column ends.
    case character = "wrap"
    /// Breaks at spaces, where there are any.
    case word
    /// Leaves out what does not fit.
    case none = "nowrap"
}

/// The width of a column.
package enum ColumnWidth: Hashable, Sendable {
    /// An equal share of what the other columns leave.
    case share
    /// A number of characters. A column of 0 is hidden.
    case characters(Int)

    /// The widest column in characters. No paper is wider.
    package static let maximum = 999
}

/// What separates columns.
package enum ColumnBorder: Hashable, Sendable {
    /// A vertical line, and a box around the rows.
    case line
    /// Blank characters.
    case space(Int)

    package static let spaces = 0...2

    /// Characters between two columns.
    var width: Int {
        switch self {
        case .line: 1
        case .space(let width): width
        }
    }
}

/// A font of the printer: A is the standard one, B is smaller.
package enum ReceiptFont: String, Hashable, Sendable, CaseIterable {
    case a, b
}

/// Blank dots below a line of text. Inside a box there are none.
package enum LineSpacing: Hashable, Sendable {
    /// The spacing of the printer's profile.
    case standard
    case dots(Int)

    package static let range = 0...127
}
