/// One stroke of the brush. A line's steps are painted in their order.
enum PaintStep: Hashable {
    case drawing(Drawing, x: Int, y: Int)
    case rectangle(x: Range<Int>, y: Range<Int>)
    /// Turns black to white and white to black.
    case inversion(x: Range<Int>, y: Range<Int>)
}
