import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskDocuments

/// What must hold for every plan, whatever the golden table says.
@Suite struct PlanGeometryTests {
    private typealias Samples = PlanSamples

    private static let pages = [
        Samples.a4, Samples.a4Landscape, Samples.letter, Samples.a3, Samples.a5, Samples.label4x6,
        Samples.page(100, 100),
        Samples.page(30, 400),
    ]
    private static let media = [
        Samples.a4Medium, Samples.letterMedium, Samples.a3Medium, Samples.borderlessA4,
        Samples.medium("custom_wide_200x100mm", Medium.Margins(top: 100, left: 200, bottom: 300, right: 400)),
    ]

    /// Calls `body` with the one placed page of each combination.
    private func each(
        _ scalings: [Ticket.Scaling?], dpi: Int = 300,
        _ body: (PlacedPage, PageSize, PlannedSide, SelectedPaper) throws -> Void
    ) throws {
        for page in Self.pages {
            for medium in Self.media {
                for scaling in scalings {
                    for orientation in [nil] + Ticket.Orientation.allCases {
                        let plan = try Samples.plan(
                            [page], Samples.printer(medium), settings: PlanSettings(dpi: dpi)
                        ) {
                            ($0.scaling, $0.orientation, $0.media) = (scaling, orientation, medium.name)
                        }
                        let side = plan.side(0)
                        try body(#require(side.cells.first), page, side, plan.paper)
                    }
                }
            }
        }
    }

    @Test func `a fitted page lies in its clip, and touches it at two edges`() throws {
        try each([.fit]) { cell, page, side, paper in
            let bounds = cell.bounds(of: page)
            #expect(bounds.left >= Double(cell.clip.left) - 1 && bounds.right <= Double(cell.clip.right) + 1)
            #expect(bounds.top >= Double(cell.clip.top) - 1 && bounds.bottom <= Double(cell.clip.bottom) + 1)
            let slack = min(
                Double(cell.clip.width) - bounds.width, Double(cell.clip.height) - bounds.height)
            #expect(abs(slack) < 2)
            // The clip is the printable area.
            #expect(cell.clip.left >= paper.margins.left * 300 / 2540)
            #expect(cell.clip.bottom <= side.height - paper.margins.bottom * 300 / 2540)
        }
    }

    @Test func `auto-fit never enlarges, and shows all of the page that the sheet can hold`() throws {
        try each([.autoFit, nil]) { cell, page, side, _ in
            let bounds = cell.bounds(of: page)
            #expect(cell.scale(dpi: 300) < 1.000_001)
            // 1 mm over all edges at most.
            #expect(bounds.left >= -12 && bounds.top >= -12)
            #expect(bounds.right <= Double(side.width) + 13 && bounds.bottom <= Double(side.height) + 13)
            if cell.scale(dpi: 300) < 0.999_999 {
                #expect(bounds.left >= Double(cell.clip.left) - 1 && bounds.right <= Double(cell.clip.right) + 1)
                #expect(bounds.top >= Double(cell.clip.top) - 1 && bounds.bottom <= Double(cell.clip.bottom) + 1)
            }
        }
    }

    @Test func `a page that fills covers the whole sheet, and is cropped evenly`() throws {
        try each([.fill]) { cell, page, side, _ in
            let bounds = cell.bounds(of: page)
            #expect(cell.clip == DotRectangle(left: 0, top: 0, right: side.width, bottom: side.height))
            #expect(bounds.left <= 1 && bounds.top <= 1)
            #expect(bounds.right >= Double(side.width) - 1 && bounds.bottom >= Double(side.height) - 1)
            #expect(abs(bounds.left + bounds.right - Double(side.width)) <= 2)
            #expect(abs(bounds.top + bounds.bottom - Double(side.height)) <= 2)
        }
    }

    @Test func `none is exactly as large as the page, in the middle`() throws {
        try each([Ticket.Scaling.none]) { cell, page, side, _ in
            #expect(cell.matrix.dotsPerPoint == 300.0 / 72)
            let bounds = cell.bounds(of: page)
            #expect(abs(bounds.left + bounds.right - Double(side.width)) <= 2)
            #expect(abs(bounds.top + bounds.bottom - Double(side.height)) <= 2)
        }
    }

    @Test func `pages are never mirrored or stretched, and begin on a whole dot`() throws {
        try each(Ticket.Scaling.allCases) { cell, page, _, _ in
            let matrix = cell.matrix
            #expect(matrix.a * matrix.d - matrix.b * matrix.c > 0)
            #expect(matrix.a == matrix.d && matrix.b == -matrix.c)
            let bounds = cell.bounds(of: page)
            #expect(abs(bounds.left - bounds.left.rounded()) < 1e-6 && abs(bounds.top - bounds.top.rounded()) < 1e-6)
        }
    }

    @Test func `the dots per inch change scales by less than a dot`() throws {
        for page in Self.pages {
            for scaling in Ticket.Scaling.allCases {
                func scale(_ dpi: Int) throws -> Double {
                    let settings = PlanSettings(dpi: dpi, maximumSideDots: .max)
                    let plan = try Samples.plan([page], settings: settings) { $0.scaling = scaling }
                    return plan.side(0).cells[0].scale(dpi: dpi)
                }
                for dpi in [72, 203, 300, 600] {
                    let difference = try abs(scale(dpi) - scale(9_600))
                    #expect(difference * min(page.width, page.height) * Double(dpi) / 72 < 3)
                }
            }
        }
    }

    @Test(arguments: [(300, 2480, 3507), (600, 4960, 7015), (203, 1678, 2373), (72, 595, 841)])
    func `the dots of a sheet are rounded down`(dpi: Int, width: Int, height: Int) throws {
        let side = try Samples.plan([Samples.a4], settings: PlanSettings(dpi: dpi)).side(0)
        #expect(side.width == width && side.height == height)
    }

    @Test func `a page is turned where it lies otherwise than its sheet, one by one`() throws {
        let pages = [Samples.a4, Samples.a4Landscape, Samples.page(150, 150), Samples.a4Landscape, Samples.a5]
        let plan = try Samples.plan(pages)
        #expect((0..<5).map { plan.side($0).cells[0].up } == [[0, -1], [-1, 0], [0, -1], [-1, 0], [0, -1]])
        let clockwise = PageSupport(ready: [Samples.a4Medium], landscape: .reverseLandscape)
        #expect(try Samples.plan([Samples.a4Landscape], clockwise).side(0).cells[0].up == [1, 0])
    }

    @Test(arguments: zip(Ticket.Orientation.allCases, [[0, -1], [-1, 0], [1, 0], [0, 1]]))
    func `a requested orientation turns every page so`(orientation: Ticket.Orientation, up: [Int]) throws {
        let plan = try Samples.plan([Samples.a4, Samples.a4Landscape, Samples.a5]) { $0.orientation = orientation }
        for index in 0..<3 { #expect(plan.side(index).cells[0].up == up) }
    }

    @Test func `a page of the sheet's size is not made smaller for the border that it leaves white`() throws {
        #expect(try Samples.plan([Samples.a4]).side(0).cells[0].scale(dpi: 300) == 1)
        // 1 mm larger on all sides together.
        #expect(try Samples.plan([Samples.page(210.9, 297.9)]).side(0).cells[0].scale(dpi: 300) == 1)
        #expect(try Samples.plan([Samples.page(211.1, 297)]).side(0).cells[0].scale(dpi: 300) < 1)
        var page = Samples.a4
        page.content = PageRectangle(left: 20, top: 20, right: 570, bottom: 820)
        #expect(try Samples.plan([page]).side(0).cells[0].scale(dpi: 300) == 1)
        // What it shows would be cut off.
        page.content = PageRectangle(left: 2, top: 20, right: 570, bottom: 820)
        #expect(try Samples.plan([page]).side(0).cells[0].scale(dpi: 300) < 0.97)
        #expect(try Samples.plan([page]) { $0.scaling = Ticket.Scaling.none }.side(0).cells[0].scale(dpi: 300) == 1)
    }

    @Test func `what a turned page shows is looked for where it comes to lie`() throws {
        let medium = Samples.medium("iso_a4_210x297mm", Medium.Margins(top: 2_000, left: 0, bottom: 0, right: 0))
        var page = Samples.a4Landscape
        // Turned anti-clockwise, the page's right edge lies above.
        page.content = PageRectangle(left: 0, top: 0, right: 780, bottom: page.height)
        #expect(try Samples.plan([page], Samples.printer(medium)).side(0).cells[0].scale(dpi: 300) == 1)
        page.content = PageRectangle(left: 60, top: 0, right: page.width, bottom: page.height)
        #expect(try Samples.plan([page], Samples.printer(medium)).side(0).cells[0].scale(dpi: 300) < 1)
    }

    @Test func `auto fits what is larger, and fills paper that has no border`() throws {
        let bordered = try Samples.plan([Samples.a3]) { ($0.scaling, $0.media) = (.auto, "iso_a4_210x297mm") }
        #expect(bordered.side(0).cells[0].clip.left > 0)
        let borderless = try Samples.plan([Samples.letter], Samples.printer(Samples.borderlessA4)) {
            ($0.scaling, $0.media) = (.auto, "iso_a4_210x297mm")
        }
        #expect(borderless.side(0).cells[0].scale(dpi: 300) > 1)
        let small = try Samples.plan([Samples.a5]) { $0.scaling = .auto }
        #expect(small.side(0).cells[0].scale(dpi: 300) == 1)
        let faithful = try Samples.plan([Samples.a5]) { ($0.scaling, $0.fidelity) = (.auto, true) }
        #expect(faithful.side(0).cells[0].scale(dpi: 300) > 1.3)
    }

    @Test func `a document that asks not to be scaled is not, unless the ticket asks`() throws {
        var settings = PlanSettings(dpi: 300)
        settings.preferences.isUnscaled = true
        let support = Samples.printer(Samples.a4Medium, standard: Samples.a4Medium)
        #expect(try Samples.plan([Samples.a3], support, settings: settings).side(0).cells[0].scale(dpi: 300) == 1)
        #expect(
            try Samples.plan([Samples.a3], support, settings: settings) { $0.scaling = .fit }.side(0).cells[0]
                .scale(dpi: 300) < 0.7)
        // Several pages on a side are made for it in any case.
        #expect(
            try Samples.plan([Samples.a4, Samples.a4], support, settings: settings) { $0.numberUp = 2 }.side(0).cells[0]
                .scale(dpi: 300) < 0.75)
    }
}
