import KioskDocuments
import KioskTestSupport

/// A document whose pages show where they are, which way up, and whether in a mirror: a square of another size near
/// each corner, an arrow that points to the upper edge, and a bar whose length is the page's number.
struct ArrowDocument {
    let page: PageSize
    let count: Int

    /// The measure of all marks: a page's shorter edge.
    private var unit: Double { min(page.width, page.height) }

    enum Mark: CaseIterable {
        case topLeft, topRight, bottomLeft, bottomRight, bar, arrow
    }

    /// The edges of the squares, in parts of the unit.
    private static let edges: [Mark: Double] = [
        .topLeft: 0.10, .topRight: 0.08, .bottomLeft: 0.06, .bottomRight: 0.04,
    ]
    private static let inset = 0.14
    private static let barUnit = 0.03

    /// The middle of a mark, in points from the page's top left corner.
    func middle(_ mark: Mark) -> DotPicture.Point {
        let inset = Self.inset * unit
        switch mark {
        case .topLeft: return DotPicture.Point(inset, inset)
        case .topRight: return DotPicture.Point(page.width - inset, inset)
        case .bottomLeft: return DotPicture.Point(inset, page.height - inset)
        case .bottomRight: return DotPicture.Point(page.width - inset, page.height - inset)
        case .bar: return DotPicture.Point(page.width / 2, inset)
        case .arrow: return DotPicture.Point(page.width / 2, page.height / 2)
        }
    }

    /// The width and height of a mark in points.
    private func size(_ mark: Mark, page index: Int) -> (Double, Double) {
        switch mark {
        case .bar: (Self.barUnit * Double(index + 2) * unit, Self.barUnit * unit)
        case .arrow: (0.26 * unit, 0.44 * unit)
        default: (Self.edges[mark, default: 0] * unit, Self.edges[mark, default: 0] * unit)
        }
    }

    /// The rectangle of a mark: left, top, right, bottom in points from the page's top left corner.
    func rectangle(_ mark: Mark, page index: Int) -> [Double] {
        let (middle, size) = (middle(mark), size(mark, page: index))
        return [middle.x - size.0 / 2, middle.y - size.1 / 2, middle.x + size.0 / 2, middle.y + size.1 / 2]
    }

    var bytes: [UInt8] {
        var pdf = PDFWriter()
        for index in 0..<count {
            var content = ""
            for mark in Mark.allCases where mark != .arrow {
                let rectangle = rectangle(mark, page: index)
                let (width, height) = (rectangle[2] - rectangle[0], rectangle[3] - rectangle[1])
                content += "\(rectangle[0]) \(page.height - rectangle[3]) \(width) \(height) re f\n"
            }
            // A head of 0.26 by 0.14 on a shaft of 0.03.
            let steps = [
                (0.0, 0.22), (0.13, 0.08), (0.015, 0.08), (0.015, -0.22), (-0.015, -0.22), (-0.015, 0.08),
                (-0.13, 0.08),
            ]
            for (number, step) in steps.enumerated() {
                content +=
                    "\(page.width / 2 + step.0 * unit) \(page.height / 2 + step.1 * unit) \(number == 0 ? "m" : "l")\n"
            }
            pdf.addPage(width: page.width, height: page.height, content + "h f")
        }
        return pdf.bytes
    }

    // MARK: Finding them

    /// Which mark a shape is, on a page that is drawn with so many dots a point; nil for what is none, such as a
    /// border.
    func mark(_ shape: DotPicture.Shape, dotsPerPoint: Double) -> Mark? {
        let dots = unit * dotsPerPoint
        let (long, short) = (max(shape.width, shape.height) / dots, min(shape.width, shape.height) / dots)
        let slack = 2 / dots
        if shape.filling > 0.9, abs(long - short) < slack {
            return Self.edges.first { abs($0.value - long) < slack }?.key
        }
        if shape.filling > 0.85, abs(short - Self.barUnit) < slack { return .bar }
        // Its points are finer than a dot.
        if abs(long - 0.44) < 2 * slack, abs(short - 0.26) < 2 * slack { return .arrow }
        return nil
    }

    /// The page's index by its bar.
    func page(_ bar: DotPicture.Shape, dotsPerPoint: Double) -> Int {
        Int((max(bar.width, bar.height) / (unit * dotsPerPoint * Self.barUnit) - 2).rounded())
    }

    /// Where an arrow points: above, below, left or right. Its head is heavier than its shaft.
    static func direction(_ arrow: DotPicture.Shape) -> String {
        let heavy = arrow.middle - arrow.centre
        if arrow.height > arrow.width { return heavy.y < 0 ? "above" : "below" }
        return heavy.x < 0 ? "left" : "right"
    }
}

/// A page as its marks show it.
struct FoundPage {
    /// From 0.
    var page: Int
    /// x' = ax + cy + e, y' = bx + dy + f: from the page's points to dots.
    var matrix: [Double]
    /// Where the arrow points.
    var arrow: String
    /// The marks that are seen whole.
    var marks: [ArrowDocument.Mark: DotPicture.Shape]

    /// Where a point of the page is.
    func dot(_ point: DotPicture.Point) -> DotPicture.Point {
        DotPicture.Point(
            matrix[0] * point.x + matrix[2] * point.y + matrix[4], matrix[1] * point.x + matrix[3] * point.y + matrix[5]
        )
    }

    /// Whether it is seen in a mirror.
    var isMirrored: Bool { matrix[0] * matrix[3] - matrix[1] * matrix[2] < 0 }

    /// Where its upper edge is.
    var up: String {
        if abs(matrix[3]) > abs(matrix[2]) { return matrix[3] > 0 ? "above" : "below" }
        return matrix[2] > 0 ? "left" : "right"
    }

    /// The dots of a point across and down.
    var dotsPerPoint: (Double, Double) {
        (
            (matrix[0] * matrix[0] + matrix[1] * matrix[1]).squareRoot(),
            (matrix[2] * matrix[2] + matrix[3] * matrix[3]).squareRoot()
        )
    }

    /// What these shapes show, which are those of one page; nil where a mark is missing, or there twice.
    init?(_ shapes: [DotPicture.Shape], of document: ArrowDocument, dotsPerPoint: Double) {
        marks = [:]
        for shape in shapes {
            guard let mark = document.mark(shape, dotsPerPoint: dotsPerPoint) else { continue }
            guard marks.updateValue(shape, forKey: mark) == nil else { return nil }
        }
        guard let origin = marks[.topLeft]?.middle, let right = marks[.topRight]?.middle,
            let down = marks[.bottomLeft]?.middle, let bar = marks[.bar], let arrow = marks[.arrow],
            marks[.bottomRight] != nil
        else { return nil }
        let corner = document.middle(.topLeft)
        let across = (document.middle(.topRight) - corner).x
        let along = (document.middle(.bottomLeft) - corner).y
        let (a, b) = ((right - origin).x / across, (right - origin).y / across)
        let (c, d) = ((down - origin).x / along, (down - origin).y / along)
        matrix = [
            a, b, c, d, origin.x - a * corner.x - c * corner.y, origin.y - b * corner.x - d * corner.y,
        ]
        page = document.page(bar, dotsPerPoint: dotsPerPoint)
        self.arrow = ArrowDocument.direction(arrow)
    }
}
