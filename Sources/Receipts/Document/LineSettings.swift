/// A change of how lines are set: what is nil stays as it was.
package struct LineSettings: Hashable, Sendable {
    /// Of the columns of a row; empty: every column takes an equal share.
    package var widths: [ColumnWidth]?
    package var border: ColumnBorder?
    /// Where a row stands that is narrower than the paper.
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

package enum HorizontalAlignment: String, Hashable, Sendable, CaseIterable {
    case left, center, right
}

package enum TextWrapping: String, Hashable, Sendable, CaseIterable {
    /// Wherever the column ends.
    case character = "wrap"
    /// At spaces, where there are any.
    case word
    /// What does not fit is left out.
    case none = "nowrap"
}

package enum ColumnWidth: Hashable, Sendable {
    /// A share of what the others leave.
    case share
    /// In characters; a column of 0 is not shown.
    case characters(Int)

    /// No paper is wider.
    package static let maximum = 999
}

/// What stands between columns.
package enum ColumnBorder: Hashable, Sendable {
    /// A vertical line, and a box around the rows.
    case line
    /// Empty characters.
    case space(Int)

    package static let spaces = 0...2

    /// In characters.
    var width: Int {
        switch self {
        case .line: 1
        case .space(let width): width
        }
    }
}

/// One of the printer's own: A is the usual one, B is smaller.
package enum ReceiptFont: String, Hashable, Sendable, CaseIterable {
    case a, b
}

/// Empty dots below a line of text; inside a box there are none.
package enum LineSpacing: Hashable, Sendable {
    /// As the printer's profile says.
    case standard
    case dots(Int)

    package static let range = 0...127
}
