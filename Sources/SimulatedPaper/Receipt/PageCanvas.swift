/// The page of page mode: areas, each filled in a direction of its own, and printed together.
struct PageCanvas {
    /// `ESC T`: where printing starts, and by how many quarter turns against the clock the text runs.
    enum Direction: Int {
        case upperLeft, lowerLeft, lowerRight, upperRight

        var quarters: Int { rawValue }
        /// Lines run along the paper.
        var isSideways: Bool { self == .lowerLeft || self == .upperRight }
    }

    private static let tallest = 4000

    private let tallest: Int
    private var whole: Bitmap
    private var area: (x: Int, y: Int, width: Int, height: Int)
    private(set) var direction = Direction.upperLeft
    /// What stands in the area in this direction, upright.
    private var canvas: Bitmap
    private var isDrawnOn = false
    /// The baseline's row in the canvas.
    var baseline = PageCanvas.firstBaseline

    /// A character of font A fills the area's first rows (Epson, page mode: 24 - 3).
    private static let firstBaseline = PrinterFont.a.height - PrinterFont.a.descent

    init(_ model: PaperModel) {
        tallest = min(Self.tallest, model.longestPaper)
        whole = Bitmap(width: model.width, height: tallest)
        area = (0, 0, model.width, tallest)
        canvas = whole
    }

    /// Dots of a line.
    var width: Int { canvas.width }
    var height: Int { canvas.height }

    /// `ESC W`; nil outside the page.
    mutating func setArea(x: Int, y: Int, width: Int, height: Int) -> Bool {
        guard width > 0, height > 0, x < whole.width, y < whole.height else { return false }
        settle()
        area = (x, y, min(width, whole.width - x), min(height, whole.height - y))
        begin()
        return true
    }

    mutating func turn(to direction: Direction) {
        settle()
        self.direction = direction
        begin()
    }

    mutating func print(_ items: [LineItem], feeding rows: Int) {
        for item in items { canvas.draw(item.picture, x: item.x, y: baseline - item.ascent) }
        isDrawnOn = isDrawnOn || !items.isEmpty
        baseline = min(2 * tallest, baseline + rows)
    }

    /// A picture whose lower edge is the baseline.
    mutating func place(_ picture: Bitmap, x: Int) {
        canvas.draw(picture, x: x, y: baseline - picture.height)
        isDrawnOn = true
    }

    /// What is to be printed: down to the last area's end, or all that is black.
    mutating func finished() -> Bitmap {
        settle()
        var height = min(area.y + area.height, whole.height)
        if area.height == tallest {
            height = whole.lastBlackRow.map { $0 + 1 } ?? 0
        }
        var picture = whole
        picture.resize(height: height)
        return picture
    }

    mutating func clear() {
        whole = Bitmap(width: whole.width, height: tallest)
        begin()
    }

    /// Puts the canvas onto the page.
    private mutating func settle() {
        guard isDrawnOn else { return }
        whole.draw(canvas.turned(quarters: 4 - direction.quarters), x: area.x, y: area.y)
        canvas = Bitmap(width: canvas.width, height: canvas.height)
        isDrawnOn = false
    }

    private mutating func begin() {
        let size =
            direction.isSideways ? (width: area.height, height: area.width) : (width: area.width, height: area.height)
        if isDrawnOn || canvas.width != size.width || canvas.height != size.height {
            canvas = Bitmap(width: size.width, height: size.height)
            isDrawnOn = false
        }
        baseline = Self.firstBaseline
    }
}
