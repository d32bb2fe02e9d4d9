/// The paper that text is laid out for, in points of 1/72 inch, as the text is read.
package struct TextPaper: Hashable, Sendable {
    /// The extent from left to right.
    package var width: Double
    /// The extent from top to bottom.
    package var height: Double
    /// The margin above the text.
    package var top: Double
    /// The margin at the left of the text.
    package var left: Double
    /// The margin below the text.
    package var bottom: Double
    /// The margin at the right of the text.
    package var right: Double

    /// The margin of paper that is not narrow: 18 mm.
    package static let usualMargin = 18 * 72 / 25.4

    /// Creates a paper with the usual margins, or those of a tenth of its width where it is narrow, and at least these
    /// borders; without arguments, ISO A4.
    package init(
        width: Double = 595.276, height: Double = 841.89,
        borders: (top: Double, left: Double, bottom: Double, right: Double) = (0, 0, 0, 0)
    ) {
        let margin = min(Self.usualMargin, min(width, height) / 10)
        (self.width, self.height) = (width, height)
        (top, left) = (max(margin, borders.top), max(margin, borders.left))
        (bottom, right) = (max(margin, borders.bottom), max(margin, borders.right))
    }
}
