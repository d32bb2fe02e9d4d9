/// The paper that text is laid out for, in points of 1/72 inch, as the text is read.
package struct TextPaper: Hashable, Sendable {
    package var width: Double
    package var height: Double
    /// The margins.
    package var top: Double
    package var left: Double
    package var bottom: Double
    package var right: Double

    /// 18 mm.
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
