/// The way from a page's points to the dots of a side: x' = a·x + c·y + e, y' = b·x + d·y + f. Both have their origin
/// at the top left, and y runs down.
package struct PageMatrix: Hashable, Sendable {
    /// What a step to the right adds to x'.
    package var a: Double
    /// What a step to the right adds to y'.
    package var b: Double
    /// What a step down adds to x'.
    package var c: Double
    /// What a step down adds to y'.
    package var d: Double
    /// The x' of the page's top left corner.
    package var e: Double
    /// The y' of the page's top left corner.
    package var f: Double

    /// Creates a matrix.
    package init(a: Double, b: Double, c: Double, d: Double, e: Double, f: Double) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
    }

    /// Where a point of the page lies.
    package func point(x: Double, y: Double) -> (x: Double, y: Double) { (a * x + c * y + e, b * x + d * y + f) }

    /// The dots for each point of the page, the same in both directions.
    package var dotsPerPoint: Double { (a * a + b * b).squareRoot() }
}

/// A rectangle of dots: `right` and `bottom` are the first that lie outside.
package struct DotRectangle: Hashable, Sendable {
    /// The first dot from the left.
    package var left: Int
    /// The first dot from above.
    package var top: Int
    /// The first dot to the right of it.
    package var right: Int
    /// The first dot below it.
    package var bottom: Int

    /// Creates a rectangle.
    package init(left: Int, top: Int, right: Int, bottom: Int) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    /// The dots from left to right.
    package var width: Int { right - left }
    /// The dots from top to bottom.
    package var height: Int { bottom - top }

    /// This rectangle, smaller by so much at each edge; empty where nothing is left.
    func inset(by border: Int) -> DotRectangle {
        let (across, along) = (min(border, width / 2), min(border, height / 2))
        return DotRectangle(left: left + across, top: top + along, right: right - across, bottom: bottom - along)
    }

    /// The smallest rectangle that holds both.
    func union(_ other: DotRectangle) -> DotRectangle {
        DotRectangle(
            left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
            bottom: max(bottom, other.bottom))
    }
}
