/// A rangeOfInteger value (RFC 8011 §5.1.14). A peer may send its bounds in the wrong order, so it is no `ClosedRange`.
package struct IPPRange: Hashable, Sendable, CustomStringConvertible {
    package var lower: Int32
    package var upper: Int32

    package init(_ lower: Int32, _ upper: Int32) {
        self.lower = lower
        self.upper = upper
    }

    package init(_ range: ClosedRange<Int32>) {
        self.init(range.lowerBound, range.upperBound)
    }

    /// Nil when the bounds are in the wrong order.
    package var closed: ClosedRange<Int32>? { lower <= upper ? lower...upper : nil }

    package func contains(_ value: Int32) -> Bool { lower <= value && value <= upper }

    package var description: String { "\(lower)-\(upper)" }
}
