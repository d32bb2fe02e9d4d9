/// The size of a document's page in points (1/72 inch), as its reader sees it: after the page's CropBox and Rotate.
package struct PageSize: Hashable, Sendable {
    /// The extent from left to right.
    package var width: Double
    /// The extent from top to bottom.
    package var height: Double
    /// The bounds of what the page shows; nil where they are not known. A page of unknown content counts as white in the
    /// border that the printer leaves white.
    package var content: PageRectangle?

    /// Creates a size.
    package init(width: Double, height: Double, content: PageRectangle? = nil) {
        self.width = width
        self.height = height
        self.content = content
    }

    /// The edges that are planned, in points: PDF's smallest page has 3, and the longest roll some 100 m. Others are
    /// mistakes, or made to do harm.
    package static let edges = 1.0...1_000_000

    /// Whether both edges are numbers of which a plan can be made.
    var isUsable: Bool { Self.edges.contains(width) && Self.edges.contains(height) }

    /// Whether the page is wider than it is high; nil where its edges are about equal.
    var isWide: Bool? { isWiderThanHigh(width, height) }
}

/// Whether a rectangle is wider than it is high; nil where its edges differ by less than 1 mm.
func isWiderThanHigh(_ width: Double, _ height: Double) -> Bool? {
    abs(width - height) <= 72 / 25.4 ? nil : width > height
}

/// A rectangle on a page or a sheet, in points from the top left corner.
package struct PageRectangle: Hashable, Sendable {
    /// The left edge.
    package var left: Double
    /// The upper edge.
    package var top: Double
    /// The right edge.
    package var right: Double
    /// The lower edge.
    package var bottom: Double

    /// Creates a rectangle.
    package init(left: Double, top: Double, right: Double, bottom: Double) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    var width: Double { right - left }
    var height: Double { bottom - top }

    /// Whether the other rectangle lies in this one, but for what nobody misses.
    func holds(_ other: PageRectangle, overhang: Double) -> Bool {
        other.left >= left - overhang && other.top >= top - overhang && other.right <= right + overhang
            && other.bottom <= bottom + overhang
    }
}
