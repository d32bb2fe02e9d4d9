import KioskDocuments
import KioskPageEncoding
import KioskPrintModel
import KioskRenderingMessages
import Testing

/// Rows of the golden plans, drawn by `kiosk-render`: an arrow and four squares are looked for among the dots, and seen
/// with the eyes of who holds the sheet.
@Suite(.enabled(if: Renderer.isComplete)) struct DrawnPlanTests {
    private static let scaling = [
        "a4 on A4", "a4 on A4, scaling=fit", "a4 on A4-borderless, scaling=fill", "a4 on Letter",
        "a4 on Letter, scaling=fill", "a4-wide on A4", "a4-wide on Letter, scaling=fit", "a4-wide on A5-wide",
        "letter on A4, scaling=fill", "letter on A3-uneven, scaling=fit", "a3 on A4", "a3 on A4, scaling=none",
        "a5 on A4, scaling=none", "a5 on A4, scaling=fit", "4x6in on A4, scaling=auto",
        "4x6in on A4-borderless, scaling=fill", "square on Letter, scaling=fill", "square on A5-wide, scaling=fit",
        "strip on A4, scaling=fit", "strip on A3-uneven, scaling=none",
    ]
    private static let orientation =
        ["portrait", "landscape", "reverse-landscape", "reverse-portrait"].flatMap { orientation in
            ["a4 on A4, scaling=fit", "a4-wide on A5-wide, scaling=none"].map { "\($0), orientation=\(orientation)" }
        }
    private static let labels = [
        "4x6in on label-4x6in", "6x4in on label-4x6in", "102x51 on label-102x51", "51x102 on label-102x51",
        "62x100 on roll-62", "100x62 on roll-62", "72x180 on roll-80", "a4 on label-4x6in, scaling=auto-fit",
        "a4 on roll-80, scaling=auto-fit",
    ]
    private static let numberUp = [
        "a4 ×2 on A4, number-up=2", "a4 ×4 on A4, number-up=4, border=double", "a4 ×6 on A4, number-up=6",
        "a4 ×8 on A4, number-up=8", "a4 ×9 on A4, number-up=9", "a4 ×12 on A4, number-up=12",
        "a4 ×16 on A4, number-up=16", "a4 ×8 on A4, number-up=8, turned clockwise",
        "a4-wide ×2 on A4, number-up=2", "a4-wide ×6 on A4, number-up=6",
        "a4-wide ×9 on A4, number-up=9, turned clockwise",
    ]
    private static let backs = [("a4", 1), ("a4", 2), ("a4-wide", 1)].flatMap { page, count in
        ["normal", "flipped", "rotated", "manual-tumble"].flatMap { back in
            ["long", "short"].map { edge in
                "\(page) ×\(2 * count) on A4, scaling=fit, number-up=\(count), two-sided-\(edge)-edge, back=\(back)"
            }
        }
    }
    private static let rows = scaling + orientation + labels + numberUp + backs

    @Test(arguments: rows)
    func `the arrow of each page stands where it was planned, as its reader sees it`(_ title: String) async throws {
        let golden = try GoldenPlan.row(title)
        let plan = try golden.plan()
        #expect(golden.isSame(plan))
        let document = ArrowDocument(page: try golden.page, count: golden.pageCount)
        let sides = (0..<plan.sideCount).map { SideDrawing($0, of: plan, dpi: golden.dpi, color: .black1) }
        let drawn = try await Renderer.draw(document.bytes, sides)
        #expect(drawn.count == golden.sides.count)
        for (index, side) in drawn.enumerated() {
            let isBack = golden.sides[index].isBack
            let picture = try DotPicture(width: side.width, height: side.height, rows: side.bytes)
            var shapes = picture.shapes
            if isBack, let back = golden.sheetBack {
                shapes = PaperPath(back, golden.sheetSides).seen(shapes, width: side.width, height: side.height)
            }
            // A back has its pages where its front has them.
            let front = isBack ? index - 1 : index
            let cells = zip(golden.sides[front].cells, plan.side(front).cells)
            let added = isBack ? golden.sides[front].cells.count : 0
            for (cell, planned) in cells {
                check(shapes, cell, planned, page: cell.page + added, of: document, golden.dpi)
            }
            guard !isBack else { continue }
            for frame in golden.sides[index].frames { check(frame, in: picture) }
            if Self.numberUp.contains(title) { checkOrder(shapes, of: golden, document) }
            if Self.scaling.contains(title) || Self.orientation.contains(title) {
                try checkScaling(shapes, of: golden, document)
            }
        }
    }

    /// Checks what is seen of one page: `cell` has the reviewed words, `planned` the same numbers with all digits.
    private func check(
        _ shapes: [DotPicture.Shape], _ cell: GoldenPlan.Cell, _ planned: PlacedPage, page: Int,
        of document: ArrowDocument, _ dpi: Int
    ) {
        let dotsPerPoint = cell.percent / 100 * Double(dpi) / 72
        let own = shapes.filter { shape in
            shape.centre.x > Double(cell.clip[0]) && shape.centre.x < Double(cell.clip[2])
                && shape.centre.y > Double(cell.clip[1]) && shape.centre.y < Double(cell.clip[3])
        }
        let places = ArrowDocument.Mark.allCases.map { mark in
            (mark, place(document.rectangle(mark, page: page - 1), planned))
        }
        let whole = places.filter { _, place in
            place[0] >= Double(cell.clip[0]) && place[1] >= Double(cell.clip[1]) && place[2] <= Double(cell.clip[2])
                && place[3] <= Double(cell.clip[3])
        }
        #expect(whole.contains { $0.0 == .arrow }, "no arrow is to be seen on page \(page)")
        for (mark, place) in whole {
            let isThere = own.contains { shape in
                document.mark(shape, dotsPerPoint: dotsPerPoint) == mark
                    && zip([shape.left, shape.top, shape.right, shape.bottom], place).allSatisfy { abs($0 - $1) <= 1.5 }
            }
            #expect(isThere, "\(mark) of page \(page) is not at \(place)")
        }
        let arrows = own.filter { document.mark($0, dotsPerPoint: dotsPerPoint) == .arrow }
        #expect(arrows.map(ArrowDocument.direction) == [cell.up])
        // Of a page that is cropped not all squares are there.
        guard whole.count == places.count else { return }
        guard let found = FoundPage(own, of: document, dotsPerPoint: dotsPerPoint) else {
            Issue.record("page \(page) has not all its marks, or has some twice")
            return
        }
        #expect(found.page + 1 == page)
        #expect(!found.isMirrored)
        #expect(found.up == cell.up && found.arrow == cell.up)
        for scale in [found.dotsPerPoint.0, found.dotsPerPoint.1] {
            #expect(
                abs(scale / dotsPerPoint - 1) < 0.004,
                "page \(page) is drawn at \(scale / dotsPerPoint * cell.percent) %")
        }
    }

    /// The rectangle of dots of one of points: left, top, right, bottom.
    private func place(_ rectangle: [Double], _ planned: PlacedPage) -> [Double] {
        let one = planned.matrix.point(x: rectangle[0], y: rectangle[1])
        let other = planned.matrix.point(x: rectangle[2], y: rectangle[3])
        return [min(one.x, other.x), min(one.y, other.y), max(one.x, other.x), max(one.y, other.y)]
    }

    /// A border is black at the middle of each edge, and white inside.
    private func check(_ frame: [Int], in picture: DotPicture) {
        let (x, y) = ((frame[0] + frame[2]) / 2, (frame[1] + frame[3]) / 2)
        for (x, y) in [(frame[0], y), (frame[2] - 1, y), (x, frame[1]), (x, frame[3] - 1)] {
            #expect(picture.isBlack(x, y))
        }
    }

    // MARK: What the ticket means, reckoned a second time

    /// Checks a page alone on a sheet, after the words of docs/documents.md: how large it is, and where its middle
    /// lies.
    private func checkScaling(
        _ shapes: [DotPicture.Shape], of golden: GoldenPlan, _ document: ArrowDocument
    ) throws {
        let (medium, page) = (try golden.medium, document.page)
        let isWide = (page: page.width > page.height, sheet: medium.width > medium.height)
        let isTurned: Bool
        switch golden.orientation {
        case nil: isTurned = page.width != page.height && isWide.page != isWide.sheet
        case .portrait, .reversePortrait: isTurned = false
        case .landscape, .reverseLandscape: isTurned = true
        }
        // All in millimetres.
        let point = 25.4 / 72
        let (across, along) =
            isTurned ? (page.height * point, page.width * point) : (page.width * point, page.height * point)
        let (width, height) = (Double(medium.width) / 100, Double(medium.height) / 100)
        let margins = try #require(medium.margins)
        let printable = (
            left: Double(margins.left) / 100, top: Double(margins.top) / 100,
            right: width - Double(margins.right) / 100, bottom: height - Double(margins.bottom) / 100
        )
        let fit = min((printable.right - printable.left) / across, (printable.bottom - printable.top) / along)
        let fits = across <= width + 1 && along <= height + 1
        let isBorderless = printable.left == 0 && printable.top == 0
        var (scale, middle) = (1.0, DotPicture.Point(width / 2, height / 2))
        switch golden.scaling ?? .autoFit {
        case .none: break
        case .fill: scale = max(width / across, height / along)
        case .auto where !fits && isBorderless: scale = max(width / across, height / along)
        case .auto where fits, .autoFit where fits: break
        default:
            scale = fit
            middle = DotPicture.Point((printable.left + printable.right) / 2, (printable.top + printable.bottom) / 2)
        }
        let dotsPerPoint = scale * 300 / 72
        let arrow = try #require(shapes.first { document.mark($0, dotsPerPoint: dotsPerPoint) == .arrow })
        let dot = 25.4 / 300
        // A page begins on a whole dot, and its edges are whole dots.
        #expect(
            abs(arrow.centre.x * dot - middle.x) < 1.6 * dot && abs(arrow.centre.y * dot - middle.y) < 1.6 * dot,
            "\(arrow.centre) is not the middle, \(middle)")
        let up =
            switch golden.orientation {
            case nil: isTurned ? "left" : "above"
            case .portrait: "above"
            case .landscape: "left"
            case .reverseLandscape: "right"
            case .reversePortrait: "below"
            }
        #expect(ArrowDocument.direction(arrow) == up)
    }

    /// Checks that pages on one side are read from left to right, then down.
    private func checkOrder(_ shapes: [DotPicture.Shape], of golden: GoldenPlan, _ document: ArrowDocument) {
        let dotsPerPoint = golden.sides[0].cells[0].percent / 100 * 300 / 72
        let arrows = shapes.filter { document.mark($0, dotsPerPoint: dotsPerPoint) == .arrow }
        let bars = shapes.filter { document.mark($0, dotsPerPoint: dotsPerPoint) == .bar }
        #expect(arrows.count == golden.pageCount && bars.count == golden.pageCount)
        // Held so that the arrows point upwards.
        let up = Set(arrows.map(ArrowDocument.direction))
        #expect(up.count == 1)
        func held(_ point: DotPicture.Point) -> DotPicture.Point {
            switch up.first {
            case "left": DotPicture.Point(-point.y, point.x)
            case "right": DotPicture.Point(point.y, -point.x)
            case "below": DotPicture.Point(-point.x, -point.y)
            default: point
            }
        }
        // Bars of one row of pages are at one height.
        let row = 0.1 * min(document.page.width, document.page.height) * dotsPerPoint
        let read = bars.sorted { one, other in
            let (one, other) = (held(one.centre), held(other.centre))
            return abs(one.y - other.y) > row ? one.y < other.y : one.x < other.x
        }
        #expect(read.map { document.page($0, dotsPerPoint: dotsPerPoint) } == Array(0..<golden.pageCount))
    }
}
