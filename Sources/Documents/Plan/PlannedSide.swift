/// One side of a sheet, as it is sent.
package struct PlannedSide: Hashable, Sendable {
    /// The sheet, from 0 in each copy.
    package var sheet: Int
    /// Whether it is the back of its sheet.
    package var isBack: Bool
    /// The dots across.
    package var width: Int
    /// The dots along.
    package var height: Int
    /// The extent across the feed, in hundredths of a millimetre.
    package var paperWidth: Int
    /// The extent along the feed, in hundredths of a millimetre: on rolls, that of this side's page.
    package var paperHeight: Int
    /// The pages, in the order in which they are read.
    package var cells: [PlacedPage] = []
    /// The frames around the pages.
    package var frames: [PlannedFrame] = []
    /// −1 where the pixels are mirrored from left to right (PWG 5102.4 CrossFeedTransform); else 1.
    package var crossFeedTransform = 1
    /// −1 where the pixels are mirrored upside down (PWG 5102.4 FeedTransform); else 1.
    package var feedTransform = 1

    /// A side of this sheet, as it is read.
    init(sheet number: Int, isBack: Bool, _ sheet: Sheet, cells: [PlacedPage]) {
        self.sheet = number
        self.isBack = isBack
        width = sheet.widthInDots
        height = sheet.heightInDots
        paperWidth = sheet.width
        paperHeight = sheet.height
        self.cells = cells
    }

    /// Whether nothing is drawn on it.
    package var isBlank: Bool { cells.isEmpty }

    /// The smallest rectangle that holds all that is drawn (PWG 5102.4 ImageBox); nil for a blank side.
    package var imageBox: DotRectangle? {
        guard let first = cells.first else { return nil }
        let clips = cells.dropFirst().reduce(first.clip) { $0.union($1.clip) }
        return frames.reduce(clips) { $0.union($1.rectangle) }
    }
}

/// A page at its place on a side.
package struct PlacedPage: Hashable, Sendable {
    /// The page of the document, from 0.
    package var page: Int
    /// The way from the page's points to the side's dots.
    package var matrix: PageMatrix
    /// Where the page is drawn, and nothing of it outside.
    package var clip: DotRectangle
}

/// A frame around a page: lines inside of the edges of a rectangle.
package struct PlannedFrame: Hashable, Sendable {
    /// The outer edges.
    package var rectangle: DotRectangle
    /// The width of the lines in dots.
    package var lineWidth: Int
}
