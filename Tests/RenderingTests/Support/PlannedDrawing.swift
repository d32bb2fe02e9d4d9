import KioskDocuments
import KioskPageEncoding
import KioskPrintModel
import KioskRenderingMessages

extension SideDrawing {
    /// A side of a plan, as the daemon has it drawn.
    init(_ index: Int, of plan: DocumentPlan, dpi: Int, color: PageColor) {
        let side = plan.side(index)
        var header = RasterPage(width: side.width, height: side.height, dpi: dpi, color: color)
        header.mediaName = plan.paper.name
        (header.paperWidth, header.paperHeight) = (side.paperWidth, side.paperHeight)
        (header.sides, header.isBack) = (plan.sides, side.isBack)
        (header.crossFeedTransform, header.feedTransform) = (side.crossFeedTransform, side.feedTransform)
        header.sideCount = plan.sideCount
        header.margins = plan.paper.margins
        header.imageBox = side.imageBox.map(KioskPageEncoding.DotRectangle.init)
        self.init(
            header,
            cells: side.cells.map { cell in
                let matrix = cell.matrix
                return PageDrawing(
                    page: cell.page,
                    matrix: KioskRenderingMessages.PageMatrix(
                        matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f),
                    clip: KioskPageEncoding.DotRectangle(cell.clip))
            },
            frames: side.frames.map {
                SideDrawing.Frame(KioskPageEncoding.DotRectangle($0.rectangle), lineWidth: $0.lineWidth)
            })
    }
}

extension KioskPageEncoding.DotRectangle {
    fileprivate init(_ rectangle: KioskDocuments.DotRectangle) {
        self.init(left: rectangle.left, top: rectangle.top, right: rectangle.right, bottom: rectangle.bottom)
    }
}

/// How the paper runs through a printer when its back is printed, and how its reader turns it. A printer of each
/// `pwg-raster-document-sheet-back` (PWG 5102.4 §4.2) is told by its mechanics, not by what is to be sent to it.
struct PaperPath {
    /// Whether the front's lower edge comes to the head first: the sheet was drawn in again by its end.
    var leadsWithLowerEdge: Bool
    /// Whether the head writes each row from right to left.
    var isMirrored: Bool
    /// Whether the reader turns the sheet upwards, at its short edge, and so sees the front's lower edge above.
    var isReadFromLowerEdge: Bool

    init(_ back: PageSupport.SheetBack, _ sides: Ticket.Sides) {
        isReadFromLowerEdge = sides == .twoSidedShortEdge
        switch back {
        // It takes what the reader sees, and knows itself what is done with it.
        case .normal: (leadsWithLowerEdge, isMirrored) = (isReadFromLowerEdge, false)
        case .flipped: (leadsWithLowerEdge, isMirrored) = (true, true)
        case .rotated: (leadsWithLowerEdge, isMirrored) = (true, false)
        // Somebody has put the pile in again, turned over like a page of a book.
        case .manualTumble: (leadsWithLowerEdge, isMirrored) = (false, false)
        }
    }

    /// The shapes of a back side's pixels as the reader sees them.
    func seen(_ shapes: [DotPicture.Shape], width: Int, height: Int) -> [DotPicture.Shape] {
        let (width, height) = (Double(width), Double(height))
        return shapes.map { shape in
            var shape = shape
            if isMirrored { shape.mirror(width) }
            if leadsWithLowerEdge != isReadFromLowerEdge {
                shape.mirror(width)
                shape.mirrorVertically(height)
            }
            return shape
        }
    }
}

extension DotPicture.Shape {
    /// Mirrors it from left to right on a side of this width.
    mutating func mirror(_ width: Double) {
        (left, right) = (width - right, width - left)
        middle.x = width - middle.x
    }

    /// Mirrors it upside down on a side of this height.
    mutating func mirrorVertically(_ height: Double) {
        (top, bottom) = (height - bottom, height - top)
        middle.y = height - middle.y
    }
}
