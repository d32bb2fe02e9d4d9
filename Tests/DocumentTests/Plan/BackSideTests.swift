import KioskPrintModel
import Testing

@testable import KioskDocuments

/// Back sides, on simulated printers: how the paper runs through them is written here a second time, from what PWG
/// 5102.4 §4.2 says of each `pwg-raster-document-sheet-back`.
@Suite struct BackSideTests {
    private typealias Samples = PlanSamples

    /// A linear map and a step: a·x + e, d·y + f.
    private struct Mirror {
        var x: Double
        var y: Double
        var width: Double
        var height: Double

        func callAsFunction(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
            (x < 0 ? width - point.x : point.x, y < 0 ? height - point.y : point.y)
        }
    }

    /// Where a dot of the back side comes to lie, as seen through the paper from its front.
    private static func printed(
        _ back: PageSupport.SheetBack, _ sides: Ticket.Sides, _ width: Double, _ height: Double
    ) -> Mirror {
        switch (back, sides) {
        // The printer turns the pixels itself as the sheet is to be read.
        case (.normal, .twoSidedShortEdge): Mirror(x: 1, y: -1, width: width, height: height)
        case (.normal, _): Mirror(x: -1, y: 1, width: width, height: height)
        // The others have one way of the paper, whatever the job says. The sheet turns over its short edge…
        case (.rotated, _): Mirror(x: 1, y: -1, width: width, height: height)
        // …over its long edge…
        case (.manualTumble, _): Mirror(x: -1, y: 1, width: width, height: height)
        // …or is fed backwards and printed in a mirror.
        case (.flipped, _): Mirror(x: -1, y: -1, width: width, height: height)
        }
    }

    /// Where a reader sees what lies there on the front, after turning the sheet.
    private static func read(_ sides: Ticket.Sides, _ width: Double, _ height: Double) -> Mirror {
        sides == .twoSidedShortEdge
            ? Mirror(x: 1, y: -1, width: width, height: height) : Mirror(x: -1, y: 1, width: width, height: height)
    }

    private static let cases: [(PageSupport.SheetBack, Ticket.Sides, PageSize, Int, Ticket.Orientation?)] =
        PageSupport.SheetBack.allCases.flatMap { back in
            [Ticket.Sides.twoSidedLongEdge, .twoSidedShortEdge].flatMap { sides in
                [Samples.a4, Samples.a4Landscape, Samples.letter].flatMap { page in
                    [1, 2, 4, 6].flatMap { count in
                        ([nil] + Ticket.Orientation.allCases).map { (back, sides, page, count, $0) }
                    }
                }
            }
        }

    private static let uneven = Samples.medium(
        "iso_a4_210x297mm", Medium.Margins(top: 300, left: 400, bottom: 1_250, right: 500))

    @Test(arguments: cases.indices)
    func `a reader who turns the sheet sees the back's pages where the front has its own`(index: Int) throws {
        let (back, sides, page, count, orientation) = Self.cases[index]
        let plan = try Samples.plan(
            Array(repeating: page, count: 2 * count), Samples.printer(Self.uneven),
            settings: PlanSettings(dpi: 300, sides: Samples.bothSides, sheetBack: back)
        ) {
            ($0.sides, $0.numberUp, $0.orientation, $0.pageBorder) = (sides, count, orientation, .single)
        }
        #expect(plan.sideCount == 2 && plan.sides == sides)
        let (front, reverse) = (plan.side(0), plan.side(1))
        #expect(!front.isBack && reverse.isBack && front.sheet == 0 && reverse.sheet == 0)
        #expect(front.crossFeedTransform == 1 && front.feedTransform == 1)
        let (width, height) = (Double(front.width), Double(front.height))
        let printed = Self.printed(back, sides, width, height)
        let read = Self.read(sides, width, height)
        #expect(front.cells.count == count && reverse.cells.count == count)
        for (one, other) in zip(front.cells, reverse.cells) {
            #expect(other.page == one.page + count)
            for corner in [(0.0, 0.0), (page.width, 0), (0, page.height), (page.width, page.height)] {
                let expected = one.matrix.point(x: corner.0, y: corner.1)
                let seen = read(printed(other.matrix.point(x: corner.0, y: corner.1)))
                #expect(abs(seen.x - expected.x) < 0.001 && abs(seen.y - expected.y) < 0.001)
            }
            let (first, last) = (
                read(printed((Double(other.clip.left), Double(other.clip.top)))),
                read(printed((Double(other.clip.right), Double(other.clip.bottom))))
            )
            #expect(Int(min(first.x, last.x)) == one.clip.left && Int(max(first.x, last.x)) == one.clip.right)
            #expect(Int(min(first.y, last.y)) == one.clip.top && Int(max(first.y, last.y)) == one.clip.bottom)
        }
        #expect(front.frames.count == count && reverse.frames.count == count)
    }

    /// The table of PWG 5102.4 §4.2: cross-feed and feed.
    private static let transforms: [(PageSupport.SheetBack, Ticket.Sides, Int, Int)] = [
        (.normal, .twoSidedLongEdge, 1, 1), (.normal, .twoSidedShortEdge, 1, 1),
        (.flipped, .twoSidedLongEdge, 1, -1), (.flipped, .twoSidedShortEdge, -1, 1),
        (.rotated, .twoSidedLongEdge, -1, -1), (.rotated, .twoSidedShortEdge, 1, 1),
        (.manualTumble, .twoSidedLongEdge, 1, 1), (.manualTumble, .twoSidedShortEdge, -1, -1),
    ]

    @Test(arguments: transforms.indices) func `the transforms of the standard's table`(index: Int) throws {
        let (back, sides, crossFeed, feed) = Self.transforms[index]
        let plan = try Samples.plan(
            [Samples.a4, Samples.a4], settings: PlanSettings(dpi: 300, sides: Samples.bothSides, sheetBack: back)
        ) { $0.sides = sides }
        #expect(plan.side(1).crossFeedTransform == crossFeed && plan.side(1).feedTransform == feed)
        #expect(plan.side(1).cells[0].up == [0, -feed])
    }

    @Test func `without pixels no back side is turned`() throws {
        let plan = try Samples.plan([Samples.a4, Samples.a4]) { $0.sides = .twoSidedShortEdge }
        #expect(plan.side(1).isBack && plan.side(1).feedTransform == 1)
        #expect(plan.side(0).cells[0].matrix == plan.side(1).cells[0].matrix)
    }

    @Test func `what both sides print on leaves the wider border of each edge`() throws {
        let plan = try Samples.plan(
            [Samples.a4, Samples.a4], Samples.printer(Self.uneven),
            settings: PlanSettings(dpi: 254, sides: Samples.bothSides, sheetBack: .rotated)
        ) { ($0.sides, $0.scaling) = (.twoSidedLongEdge, .fit) }
        for index in 0..<2 {
            let side = plan.side(index)
            #expect(side.cells[0].clip == DotRectangle(left: 50, top: 125, right: 2050, bottom: 2845))
        }
        // One side alone has its own.
        let single = try Samples.plan([Samples.a4], Samples.printer(Self.uneven), settings: PlanSettings(dpi: 254)) {
            $0.scaling = .fit
        }
        #expect(single.side(0).cells[0].clip == DotRectangle(left: 40, top: 30, right: 2050, bottom: 2845))
    }
}
