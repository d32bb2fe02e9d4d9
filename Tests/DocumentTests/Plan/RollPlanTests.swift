import KioskPrintModel
import Testing

@testable import KioskDocuments

/// Labels and rolls.
@Suite struct RollPlanTests {
    private typealias Samples = PlanSamples

    private static let rolls = PlanSettings(kind: .rolls, dpi: 203)
    private static let labels = PlanSettings(kind: .labels, dpi: 203)

    @Test func `a roll is cut to the page, and the page is as large as it is`() throws {
        let plan = try Samples.plan(
            [Samples.page(80, 173.4), Samples.page(80, 60)], Samples.printer(Samples.roll(80)), settings: Self.rolls)
        #expect(plan.paper.choice == .roll && plan.paper.width == 8_000 && plan.paper.height == 17_340)
        #expect(plan.paper.name == "custom_80x173.4mm_80x173.4mm")
        #expect(plan.side(0).paperHeight == 17_340 && plan.side(1).paperHeight == 6_000)
        #expect(plan.side(0).height == 17_340 * 203 / 2540 && plan.side(1).height == 6_000 * 203 / 2540)
        for side in 0..<2 {
            let cell = plan.side(side).cells[0]
            #expect(cell.scale(dpi: 203) == 1)
            #expect(cell.matrix.e == 0 && cell.matrix.f == 0)
        }
        #expect(plan.remarks.isEmpty)
    }

    @Test func `a page shorter than the shortest cut lies at the top of it`() throws {
        let plan = try Samples.plan([Samples.page(80, 10)], Samples.printer(Samples.roll(80)), settings: Self.rolls)
        #expect(plan.side(0).paperHeight == 2_500)
        #expect(plan.side(0).cells[0].matrix.f == 0)
    }

    @Test func `a page that is as high as the roll is wide is turned, and one that fits across is not`() throws {
        let support = Samples.printer(Samples.roll(62))
        let turned = try Samples.plan([Samples.page(100, 62)], support, settings: Self.labels)
        #expect(turned.side(0).cells[0].up == [-1, 0] && turned.paper.height == 10_000)
        // Labels that are wider than long are not turned (OpenPrinting/cups#823).
        let wide = try Samples.plan([Samples.page(62, 29)], support, settings: Self.labels)
        #expect(wide.side(0).cells[0].up == [0, -1] && wide.paper.height == 2_900)
        let clockwise = PageSupport(ready: [Samples.roll(62)], landscape: .reverseLandscape)
        #expect(
            try Samples.plan([Samples.page(100, 62)], clockwise, settings: Self.labels).side(0).cells[0].up == [1, 0])
    }

    @Test func `a page of another width is fitted to the roll, with a remark, unless the ticket says how`() throws {
        let support = Samples.printer(Samples.roll(80, margin: 400))
        let fitted = try Samples.plan([Samples.page(210, 297)], support, settings: Self.rolls)
        let scale = fitted.side(0).cells[0].scale(dpi: 203)
        // Within a dot of the page's 1,678.
        #expect(abs(scale - 72.0 / 210) < 1 / 1_678)
        // The page's length with the roll's borders.
        #expect(abs(Double(fitted.paper.height) - (29_700 * 72.0 / 210 + 600)) <= 1)
        #expect(fitted.remarks.contains { $0.hasPrefix("page 1 of 210 × 297 mm is scaled to 80 mm wide paper") })
        let exact = try Samples.plan([Samples.page(210, 297)], support, settings: Self.rolls) {
            $0.scaling = Ticket.Scaling.none
        }
        #expect(exact.side(0).cells[0].scale(dpi: 203) == 1 && exact.paper.height == 29_700)
        // What is drawn of it is the middle.
        let bounds = exact.side(0).cells[0].bounds(of: Samples.page(210, 297))
        #expect(abs(bounds.left + bounds.right - Double(exact.side(0).width)) < 2)
    }

    @Test func `what is not wider than the roll by more than the tolerance is not scaled`() throws {
        for width in [30, 60.9, 61.1, 62, 62.2, 62.9] {
            let plan = try Samples.plan(
                [Samples.page(width, 100)], Samples.printer(Samples.roll(62)), settings: Self.labels)
            #expect(plan.side(0).cells[0].scale(dpi: 203) == 1, "\(width)")
        }
        let wider = try Samples.plan(
            [Samples.page(63.1, 100)], Samples.printer(Samples.roll(62)), settings: Self.labels)
        #expect(wider.side(0).cells[0].scale(dpi: 203) < 1)
    }

    @Test func `a page longer than the longest cut is printed in pieces that continue each other`() throws {
        let page = Samples.page(80, 2_345)
        let plan = try Samples.plan(
            [Samples.page(80, 50), page], Samples.printer(Samples.roll(80)), settings: Self.rolls)
        #expect(plan.sideCount == 4)
        let sides = (1..<4).map { plan.side($0) }
        #expect(sides.map(\.paperHeight) == [100_000, 100_000, 34_500])
        #expect(plan.remarks == ["page 2 is longer than the roll is cut, 1000 mm: it is printed in 3 pieces"])
        // The first row of each piece is the row behind the last one of the piece before.
        var above = 0
        for side in sides {
            #expect(side.cells[0].page == 1)
            #expect(side.cells[0].matrix.f == Double(-above))
            above += side.cells[0].clip.height
        }
        #expect(abs(Double(above) - 234_500 * 203 / 2540) < 4)
    }

    @Test func `a blank back is as long as its front`() throws {
        let settings = PlanSettings(kind: .rolls, dpi: 203, sides: Samples.bothSides, sheetBack: .rotated)
        let pages = [Samples.page(80, 50), Samples.page(80, 60), Samples.page(80, 70)]
        let plan = try Samples.plan(pages, Samples.printer(Samples.roll(80)), settings: settings) {
            ($0.sides, $0.copies, $0.scaling) = (.twoSidedLongEdge, 2, .fill)
        }
        #expect((0..<4).map { plan.side($0).paperHeight } == [5_000, 6_000, 7_000, 7_000])
        #expect(plan.side(3).isBlank && plan.side(3).isBack && plan.side(3).feedTransform == -1)
    }

    @Test func `fitted pieces lie between the roll's borders`() throws {
        let support = Samples.printer(Samples.roll(80, margin: 400))
        let plan = try Samples.plan([Samples.page(40, 1_000)], support, settings: Self.rolls) { $0.scaling = .fit }
        #expect(plan.sideCount == 2)
        var above = 0
        for index in 0..<2 {
            let side = plan.side(index)
            let cell = side.cells[0]
            #expect(cell.clip.top == 24 && cell.clip.bottom <= side.height - 23)
            #expect(cell.matrix.f == Double(cell.clip.top - above))
            above += cell.clip.height
        }
    }

    @Test func `the ticket's medium with a length says where the roll is cut`() throws {
        let support = Samples.printer(Samples.roll(62))
        let plan = try Samples.plan([Samples.page(62, 50)], support, settings: Self.labels) {
            $0.media = "roll_label_62x100mm"
        }
        #expect(plan.paper.name == "roll_label_62x100mm" && plan.paper.cutLengths == nil)
        #expect(plan.side(0).paperHeight == 10_000)
        // A roll alone is cut to its pages.
        for known in [support, nil] {
            let endless = try Samples.plan([Samples.page(62, 50), Samples.page(62, 70)], known, settings: Self.labels) {
                $0.media = "roll_paper_62x0mm"
            }
            #expect((0..<2).map { endless.side($0).paperHeight } == [5_000, 7_000])
        }
        #expect(throws: PlanProblem.self) {
            try Samples.plan([Samples.page(62, 50)], support, settings: Self.labels) {
                $0.media = "roll_label_62x1100mm"
            }
        }
    }

    @Test func `a page is made smaller to fit its label, and never larger`() throws {
        let support = Samples.printer(Samples.medium("na_index-4x6_4x6in", nil))
        let plan = try Samples.plan([Samples.page(102, 51)], support, settings: Self.labels)
        #expect(plan.side(0).cells[0].scale(dpi: 203) == 1 && plan.remarks.isEmpty)
        let smaller = try Samples.plan([Samples.page(80, 51)], support, settings: Self.labels)
        // In the middle, as large as it is.
        #expect(smaller.side(0).cells[0].scale(dpi: 203) == 1 && smaller.remarks.isEmpty)
        let bounds = smaller.side(0).cells[0].bounds(of: Samples.page(80, 51))
        #expect(abs(bounds.left + bounds.right - 812) <= 1 && abs(bounds.top + bounds.bottom - 1_218) <= 1)
        let larger = try Samples.plan([Samples.page(210, 297)], support, settings: Self.labels)
        #expect(larger.side(0).cells[0].scale(dpi: 203) < 1 && larger.remarks.count == 2)
    }

    @Test func `a page too wide for its label or roll is turned where it lies otherwise`() throws {
        let roll = try Samples.plan([Samples.page(152, 102)], Samples.printer(Samples.roll(62)), settings: Self.labels)
        #expect(roll.side(0).cells[0].up == [-1, 0])
        let wide = Samples.printer(Samples.medium("custom_102x51mm_102x51mm", nil))
        let label = try Samples.plan([Samples.page(152, 102)], wide, settings: Self.labels)
        #expect(label.side(0).cells[0].up == [0, -1])
    }

    @Test(arguments: [
        // Labels wider than long, upright labels, and pages that were made lying.
        (102.0, 51.0, "custom_102x51mm_102x51mm", [0, -1]), (51, 102, "custom_102x51mm_102x51mm", [-1, 0]),
        (101.6, 152.4, "na_index-4x6_4x6in", [0, -1]), (152.4, 101.6, "na_index-4x6_4x6in", [-1, 0]),
    ])
    func `a page of the label's size, upright or turned, is as large as it is`(
        width: Double, height: Double, medium: String, up: [Int]
    ) throws {
        let support = Samples.printer(
            Samples.medium("custom_102x51mm_102x51mm", nil), Samples.medium("na_index-4x6_4x6in", nil))
        let plan = try Samples.plan([Samples.page(width, height)], support, settings: Self.labels)
        #expect(plan.paper.name == medium && plan.side(0).cells[0].up == up)
        #expect(plan.side(0).cells[0].scale(dpi: 203) == 1)
        #expect(plan.remarks.isEmpty)
    }
}
