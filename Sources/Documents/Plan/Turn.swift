import KioskPrintModel

/// A turn of a page on its sheet.
enum Turn: Hashable, Sendable {
    case none
    /// By 90°: the page's upper edge lies at the left.
    case anticlockwise
    /// By 180°.
    case half
    /// By 90°: the page's upper edge lies at the right.
    case clockwise

    /// The turn that a ticket asks for (RFC 8011 §5.2.10).
    init(_ orientation: Ticket.Orientation) {
        self =
            switch orientation {
            case .portrait: .none
            case .landscape: .anticlockwise
            case .reverseLandscape: .clockwise
            case .reversePortrait: .half
            }
    }

    /// Whether width and height change places.
    var swapsEdges: Bool { self == .anticlockwise || self == .clockwise }

    /// The extent of a page that is turned so.
    func extent(of page: PageSize) -> (width: Double, height: Double) {
        swapsEdges ? (page.height, page.width) : (page.width, page.height)
    }

    /// The matrix of a page that is turned so, scaled, and whose upper left corner after that lies at `left` and `top`.
    func matrix(of page: PageSize, scale: Double, left: Double, top: Double) -> PageMatrix {
        let (width, height) = (page.width * scale, page.height * scale)
        return switch self {
        case .none: PageMatrix(a: scale, b: 0, c: 0, d: scale, e: left, f: top)
        case .anticlockwise: PageMatrix(a: 0, b: -scale, c: scale, d: 0, e: left, f: top + width)
        case .half: PageMatrix(a: -scale, b: 0, c: 0, d: -scale, e: left + width, f: top + height)
        case .clockwise: PageMatrix(a: 0, b: scale, c: -scale, d: 0, e: left + height, f: top)
        }
    }

    /// The bounds of a part of the page after the turn, from the upper left corner of the turned page.
    func bounds(of part: PageRectangle, on page: PageSize) -> PageRectangle {
        let matrix = matrix(of: page, scale: 1, left: 0, top: 0)
        let (one, other) = (matrix.point(x: part.left, y: part.top), matrix.point(x: part.right, y: part.bottom))
        return PageRectangle(
            left: min(one.x, other.x), top: min(one.y, other.y), right: max(one.x, other.x),
            bottom: max(one.y, other.y))
    }
}
