import KioskPrintModel

/// How the pixels of back sides differ from what the reader sees (PWG 5102.4 §4.2, its table of transforms).
struct BackSide: Hashable, Sendable {
    /// −1: mirrored from left to right.
    let crossFeed: Int
    /// −1: mirrored upside down.
    let feed: Int

    /// A back side that is sent as it is read.
    static let asRead = BackSide(crossFeed: 1, feed: 1)

    private init(crossFeed: Int, feed: Int) { (self.crossFeed, self.feed) = (crossFeed, feed) }

    init(_ sheetBack: PageSupport.SheetBack, _ sides: Ticket.Sides) {
        let isTumble = sides == .twoSidedShortEdge
        self =
            switch sheetBack {
            case .normal: .asRead
            case .flipped: isTumble ? BackSide(crossFeed: -1, feed: 1) : BackSide(crossFeed: 1, feed: -1)
            case .rotated: isTumble ? .asRead : BackSide(crossFeed: -1, feed: -1)
            case .manualTumble: isTumble ? BackSide(crossFeed: -1, feed: -1) : .asRead
            }
    }

    /// Makes a side that is as it is read into one that is as it is sent.
    func apply(to side: inout PlannedSide) {
        let (width, height) = (side.width, side.height)
        (side.crossFeedTransform, side.feedTransform) = (crossFeed, feed)
        for index in side.cells.indices {
            apply(to: &side.cells[index].matrix, width: Double(width), height: Double(height))
            apply(to: &side.cells[index].clip, width: width, height: height)
        }
        for index in side.frames.indices { apply(to: &side.frames[index].rectangle, width: width, height: height) }
    }

    private func apply(to matrix: inout PageMatrix, width: Double, height: Double) {
        if crossFeed < 0 { (matrix.a, matrix.c, matrix.e) = (-matrix.a, -matrix.c, width - matrix.e) }
        if feed < 0 { (matrix.b, matrix.d, matrix.f) = (-matrix.b, -matrix.d, height - matrix.f) }
    }

    private func apply(to rectangle: inout DotRectangle, width: Int, height: Int) {
        if crossFeed < 0 { (rectangle.left, rectangle.right) = (width - rectangle.right, width - rectangle.left) }
        if feed < 0 { (rectangle.top, rectangle.bottom) = (height - rectangle.bottom, height - rectangle.top) }
    }
}
