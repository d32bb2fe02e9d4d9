import KioskPrintModel
import Testing

@testable import KioskDocuments

@Suite struct NumberUpTests {
    private typealias Samples = PlanSamples

    /// The middle of a page on its side as a reader sees it who holds the sheet so that `up` is above.
    private static func seen(_ cell: PlacedPage, _ page: PageSize, up: [Int]) -> (right: Double, down: Double) {
        let bounds = cell.bounds(of: page)
        let (x, y) = ((bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2)
        // Down is against up, and right is a quarter clockwise from up.
        return (x * Double(-up[1]) + y * Double(up[0]), x * Double(-up[0]) + y * Double(-up[1]))
    }

    private static let cases: [(Int, PageSize, Ticket.Orientation?, Ticket.Orientation?)] =
        Ticket.pageCounts.flatMap { count in
            [Samples.a4, Samples.a4Landscape].flatMap { page in
                [(count, page, nil, nil), (count, page, nil, .reverseLandscape)]
                    + Ticket.Orientation.allCases.map { (count, page, $0, nil) }
            }
        }

    @Test(arguments: cases.indices)
    func `pages follow each other to the right and then downwards, as their reader sees them`(index: Int) throws {
        let (count, page, orientation, preferred) = Self.cases[index]
        let support = PageSupport(ready: [Samples.a4Medium], landscape: preferred)
        let plan = try Samples.plan(Array(repeating: page, count: count), support) {
            ($0.numberUp, $0.orientation) = (count, orientation)
        }
        #expect(plan.sideCount == 1)
        let cells = plan.side(0).cells
        #expect(cells.map(\.page) == Array(0..<count))
        let up = cells[0].up
        #expect(cells.allSatisfy { $0.up == up && $0.matrix.dotsPerPoint == cells[0].matrix.dotsPerPoint })
        let middles = cells.map { Self.seen($0, page, up: up) }
        for (one, next) in zip(middles, middles.dropFirst()) {
            let isSameRow = abs(next.down - one.down) < 3
            #expect(isSameRow ? next.right > one.right + 10 : next.down > one.down + 10 && next.right < one.right + 3)
        }
        guard count > 1 else { return }
        // No cell covers another, and all lie where the printer prints.
        for (position, cell) in cells.enumerated() {
            #expect(cell.clip.left >= 49 && cell.clip.top >= 49 && cell.clip.width > 0 && cell.clip.height > 0)
            #expect(cell.clip.right <= 2431 && cell.clip.bottom <= 3458)
            for other in cells[(position + 1)...] {
                #expect(
                    cell.clip.right <= other.clip.left || other.clip.right <= cell.clip.left
                        || cell.clip.bottom <= other.clip.top || other.clip.bottom <= cell.clip.top)
            }
            let bounds = cell.bounds(of: page)
            #expect(bounds.left >= Double(cell.clip.left) - 2 && bounds.right <= Double(cell.clip.right) + 2)
            #expect(bounds.top >= Double(cell.clip.top) - 2 && bounds.bottom <= Double(cell.clip.bottom) + 2)
        }
    }

    @Test(arguments: [
        (1, 1, 1), (2, 1, 2), (4, 2, 2), (6, 2, 3), (8, 2, 4), (9, 3, 3), (12, 3, 4), (16, 4, 4),
    ])
    func `the grid of an upright sheet`(count: Int, columns: Int, rows: Int) throws {
        let grid = try #require(NumberUpGrid(count, onWideSheet: false))
        #expect(grid.columns == columns && grid.rows == rows)
        let wide = try #require(NumberUpGrid(count, onWideSheet: true))
        #expect(wide.columns == rows && wide.rows == columns)
    }

    @Test(arguments: zip([2, 4, 6, 8, 9, 12, 16], [true, false, true, true, false, true, false]))
    func `2, 6, 8 and 12 turn the sheet for upright pages, and only those`(count: Int, isTurned: Bool) throws {
        let upright = try Samples.plan([Samples.a4]) { $0.numberUp = count }
        #expect(upright.side(0).cells[0].up == (isTurned ? [-1, 0] : [0, -1]))
        let wide = try Samples.plan([Samples.a4Landscape]) { $0.numberUp = count }
        #expect(wide.side(0).cells[0].up == (isTurned ? [0, -1] : [-1, 0]))
    }

    @Test func `a page that lies otherwise than most is turned in its cell, and keeps its place`() throws {
        let pages = [Samples.a4Landscape, Samples.a4, Samples.a4, Samples.a4]
        let cells = try Samples.plan(pages) { $0.numberUp = 4 }.side(0).cells
        #expect(cells.map(\.up) == [[-1, 0], [0, -1], [0, -1], [0, -1]])
        #expect(cells[0].clip.left < cells[1].clip.left && cells[0].clip.top == cells[1].clip.top)
        #expect(cells[2].clip.top > cells[0].clip.top)
    }

    @Test func `numbers without a grid are refused`() {
        for count in [-1, 0, 3, 5, 7, 10, 17, Int.max] {
            let problem = #expect(throws: PlanProblem.self) {
                try Samples.plan([Samples.a4]) { $0.numberUp = count }
            }
            #expect(problem?.code == .numberUp)
        }
    }

    @Test(arguments: zip(Ticket.PageBorder.allCases, [0, 1, 1, 2, 2]))
    func `each page has its frame, and lies inside of it`(border: Ticket.PageBorder, lines: Int) throws {
        let plan = try Samples.plan(Array(repeating: Samples.a4, count: 3)) {
            ($0.numberUp, $0.pageBorder) = (4, border)
        }
        let side = plan.side(0)
        #expect(Set(side.cells.map { $0.matrix.dotsPerPoint }).count == 1)
        // An empty cell has none.
        #expect(side.frames.count == 3 * lines)
        for (position, frame) in side.frames.enumerated() {
            let clip = side.cells[position / lines].clip
            #expect(frame.rectangle.left + frame.lineWidth <= clip.left)
            #expect(frame.rectangle.right - frame.lineWidth >= clip.right)
            #expect(frame.rectangle.top + frame.lineWidth <= clip.top)
            #expect(frame.rectangle.bottom - frame.lineWidth >= clip.bottom)
            #expect(frame.rectangle.left >= 49 && frame.rectangle.bottom <= 3458)
            #expect(frame.lineWidth == (border == .singleThick || border == .doubleThick ? 4 : 2))
        }
        let framed = try Samples.plan([Samples.a4]) { $0.pageBorder = border }
        #expect(framed.side(0).frames.count == lines)
        #expect((framed.side(0).cells[0].scale(dpi: 300) < 1) == (lines > 0))
    }
}
