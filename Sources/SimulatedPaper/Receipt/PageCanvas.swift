/// A character or picture on a line that is not printed yet.
struct LineItem {
    /// The distance from the line's start.
    var x: Int
    var picture: Bitmap
    /// Rows of the picture below the baseline.
    var descent: Int
    var isRed = false

    var ascent: Int { picture.height - descent }
}

/// The page of page mode: areas that are filled each in its own direction, and printed together.
struct PageCanvas {
    /// The print direction (`ESC T`): the corner where printing starts, and the quarter turns of the text,
    /// anticlockwise.
    enum Direction: Int {
        case upperLeft, lowerLeft, lowerRight, upperRight

        var quarters: Int { rawValue }
        /// Whether lines run along the paper.
        var isSideways: Bool { self == .lowerLeft || self == .upperRight }
    }

    private static let maximumHeight = 4000

    private let pageHeight: Int
    private var whole: Bitmap
    private var area: (x: Int, y: Int, width: Int, height: Int)
    private var direction = Direction.upperLeft
    /// The contents of the area in this direction, upright.
    private var canvas: Bitmap
    private var isDrawnOn = false
    /// The row of the baseline in the canvas.
    var baseline = PageCanvas.firstBaseline

    /// The first baseline, for which a character of font A fills the first rows of the area (Epson, page mode: 24 - 3).
    private static let firstBaseline = PrinterFont.a.height - PrinterFont.a.descent

    init(_ model: PaperModel) {
        pageHeight = min(Self.maximumHeight, model.maximumPaperLength)
        whole = Bitmap(width: model.width, height: pageHeight)
        area = (0, 0, model.width, pageHeight)
        canvas = whole
    }

    /// The length of a line, in dots.
    var width: Int { canvas.width }
    var height: Int { canvas.height }

    /// Sets the print area (`ESC W`). Returns false where it is outside the page.
    mutating func setArea(x: Int, y: Int, width: Int, height: Int) -> Bool {
        guard width > 0, height > 0, x < whole.width, y < whole.height else { return false }
        flushCanvas()
        area = (x, y, min(width, whole.width - x), min(height, whole.height - y))
        beginCanvas()
        return true
    }

    mutating func turn(to direction: Direction) {
        flushCanvas()
        self.direction = direction
        beginCanvas()
    }

    mutating func print(_ items: [LineItem], feeding rows: Int) {
        for item in items { canvas.draw(item.picture, x: item.x, y: baseline - item.ascent) }
        isDrawnOn = isDrawnOn || !items.isEmpty
        baseline = min(2 * pageHeight, baseline + rows)
    }

    /// Draws a picture with its lower edge on the baseline.
    mutating func place(_ picture: Bitmap, x: Int) {
        canvas.draw(picture, x: x, y: baseline - picture.height)
        isDrawnOn = true
    }

    /// Draws a horizontal or vertical line from the area's start; false where it is outside of the area.
    mutating func drawLine(from start: (x: Int, y: Int), to end: (x: Int, y: Int), thickness: Int) -> Bool {
        let (left, right) = (min(start.x, end.x), max(start.x, end.x))
        let (top, bottom) = (min(start.y, end.y), max(start.y, end.y))
        guard left >= 0, right < width, top >= 0, bottom < height else { return false }
        let isVertical = left == right
        canvas.fill(
            x: left, y: top, width: isVertical ? thickness : right - left + 1,
            height: isVertical ? bottom - top + 1 : thickness)
        isDrawnOn = true
        return true
    }

    /// The page to be printed: down to the last area's end, or to the last black row.
    mutating func finished() -> Bitmap {
        flushCanvas()
        var height = min(area.y + area.height, whole.height)
        if area.height == pageHeight {
            height = whole.lastBlackRow.map { $0 + 1 } ?? 0
        }
        var picture = whole
        picture.resize(height: height)
        return picture
    }

    mutating func clear() {
        whole = Bitmap(width: whole.width, height: pageHeight)
        beginCanvas()
    }

    /// Draws the canvas onto the page.
    private mutating func flushCanvas() {
        guard isDrawnOn else { return }
        whole.draw(canvas.turned(quarters: 4 - direction.quarters), x: area.x, y: area.y)
        canvas = Bitmap(width: canvas.width, height: canvas.height)
        isDrawnOn = false
    }

    /// Begins a new canvas for the area and direction.
    private mutating func beginCanvas() {
        let size =
            direction.isSideways ? (width: area.height, height: area.width) : (width: area.width, height: area.height)
        if isDrawnOn || canvas.width != size.width || canvas.height != size.height {
            canvas = Bitmap(width: size.width, height: size.height)
            isDrawnOn = false
        }
        baseline = Self.firstBaseline
    }
}
