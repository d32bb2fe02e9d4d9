import KioskPrintModel
import Testing

@testable import KioskDocuments

@Suite struct BestPaperTests {
    private typealias Samples = PlanSamples

    private static let office = PageSupport(
        ready: [Samples.a4Medium, Samples.a3Medium, Samples.medium("na_number-10_4.125x9.5in")],
        supported: [
            Samples.a4Medium, Samples.a3Medium, Samples.a5Medium, Samples.letterMedium, Samples.borderlessA4,
            Medium(width: 7_600, height: 12_700, maximumWidth: 29_700, maximumHeight: 43_200),
        ], standard: Samples.a4Medium)

    private static let choices: [(PageSize, String, SelectedPaper.Choice)] = [
        (Samples.a4, "iso_a4_210x297mm", .equal), (Samples.a4Landscape, "iso_a4_210x297mm", .equal),
        (Samples.a3, "iso_a3_297x420mm", .equal),
        // An envelope lies across.
        (Samples.page(241.3, 104.8), "na_number-10_4.125x9.5in", .equal),
        // What applications make of A4.
        (PageSize(width: 595, height: 842), "iso_a4_210x297mm", .equal),
        (PageSize(width: 596, height: 842), "iso_a4_210x297mm", .equal),
        // Smaller than what is loaded: nobody has to come for it.
        (Samples.page(100, 200), "na_number-10_4.125x9.5in", .larger), (Samples.a5, "iso_a4_210x297mm", .larger),
        (Samples.page(220, 300), "iso_a3_297x420mm", .larger),
        (Samples.page(300, 430), "iso_a4_210x297mm", .standard),
        (Samples.page(280, 425), "iso_a4_210x297mm", .standard),
    ]

    @Test(arguments: choices.indices) func `the best of what is loaded`(index: Int) throws {
        let (page, name, choice) = Self.choices[index]
        let plan = try Samples.plan([page], Self.office)
        #expect(plan.paper.name == name)
        #expect(plan.paper.choice == choice)
        #expect(plan.remarks.isEmpty == (choice != .standard), "\(plan.remarks)")
    }

    @Test func `a supported paper that is not loaded is asked for, with a remark, unless the settings forbid it`()
        throws
    {
        let support = Samples.printer(Samples.a5Medium, supported: [Samples.letterMedium], standard: Samples.a5Medium)
        let plan = try Samples.plan([Samples.letter], support)
        #expect(plan.paper.name == "na_letter_8.5x11in" && plan.paper.choice == .notLoaded)
        #expect(plan.remarks == ["na_letter_8.5x11in is not loaded: the printer asks for it"])
        var settings = PlanSettings(dpi: 300)
        settings.asksForPaper = false
        let scaled = try Samples.plan([Samples.letter], support, settings: settings)
        #expect(scaled.paper.name == "iso_a5_148x210mm" && scaled.paper.choice == .standard)
        #expect(scaled.side(0).cells[0].scale(dpi: 300) < 0.7)
        #expect(
            scaled.remarks == ["no loaded paper holds a page of 215.9 × 279.4 mm: it is printed on iso_a5_148x210mm"])
    }

    @Test func `what is supported counts as loaded where the printer does not say, its standard paper first`() throws {
        let support = PageSupport(
            supported: [
                Samples.a3Medium, Samples.medium("iso_b5_176x250mm"), Samples.a4Medium, Samples.letterMedium,
                Medium(width: 7_600, height: 12_700, maximumWidth: 29_700, maximumHeight: 43_200),
            ], standard: Samples.a4Medium)
        #expect(try Samples.plan([Samples.letter], support).paper.choice == .equal)
        // Nobody has B5 in a tray, or a sheet that is cut to the page.
        let odd = try Samples.plan([Samples.page(170, 240)], support)
        #expect(odd.paper.name == "iso_a4_210x297mm" && odd.paper.choice == .larger && odd.remarks.isEmpty)
    }

    @Test func `a printer that says nothing gets usual sheets, its default, or labels of the page's size`() throws {
        #expect(try Samples.plan([Samples.letter], nil).paper.name == "na_letter_8.5x11in")
        #expect(try Samples.plan([Samples.page(170, 240)], nil).paper.name == "iso_a4_210x297mm")
        let label = try Samples.plan([Samples.page(57, 32)], nil, settings: PlanSettings(kind: .labels, dpi: 203))
        #expect(label.paper.name == "custom_57x32mm_57x32mm")
        #expect(label.side(0).cells[0].scale(dpi: 203) == 1)
    }

    @Test func `the ticket's paper is taken, with the entry of its size, source and type`() throws {
        var tray2 = Samples.medium("iso_a4_210x297mm", Medium.Margins(all: 600))
        (tray2.source, tray2.type) = ("tray-2", "labels")
        let support = Samples.printer(Samples.a4Medium, tray2, supported: [Samples.a3Medium])
        let named = try Samples.plan([Samples.a5], support) { $0.media = "iso_a4_210x297mm" }
        #expect(named.paper.choice == .requested && named.paper.margins == Samples.officeMargins)
        let fromTray = try Samples.plan([Samples.a5], support) { $0.mediaSource = "tray-2" }
        #expect(fromTray.paper.margins == Medium.Margins(all: 600) && fromTray.paper.medium.source == "tray-2")
        #expect(fromTray.remaining.mediaSource == "tray-2")
        let ofType = try Samples.plan([Samples.a5], support) { $0.mediaType = "labels" }
        #expect(ofType.paper.margins == Medium.Margins(all: 600))
        // Another name of the same size; and a paper that is not loaded.
        let same = try Samples.plan([Samples.a5], support) { $0.media = "custom_paper_210.2x297mm" }
        #expect(same.paper.name == "custom_paper_210.2x297mm" && same.paper.margins == Samples.officeMargins)
        let absent = try Samples.plan([Samples.a5], support) { $0.media = "iso_a3_297x420mm" }
        #expect(absent.remarks == ["iso_a3_297x420mm is not loaded: the printer asks for it"])
    }

    @Test func `a paper in a range of sizes is taken, and one that the printer does not have is refused`() throws {
        let range = Medium(
            width: 7_600, height: 12_700, maximumWidth: 21_600, maximumHeight: 35_600, margins: Medium.Margins(all: 300)
        )
        let support = Samples.printer(Samples.a4Medium, supported: [range])
        let custom = try Samples.plan([Samples.a4], support) { $0.media = "custom_card_100x200mm" }
        #expect(custom.paper.width == 10_000 && custom.paper.height == 20_000)
        #expect(custom.paper.margins == Medium.Margins(all: 300))
        for name in ["iso_a3_297x420mm", "custom_card_10x10mm", "letter", "custom_min_76x127mm"] {
            let problem = #expect(throws: PlanProblem.self) {
                try Samples.plan([Samples.a4], support) { $0.media = name }
            }
            #expect(problem?.code == .media && problem?.message.contains(name) == true)
        }
        // Where nothing is known, the ticket's paper is believed.
        #expect(try Samples.plan([Samples.a4], nil) { $0.media = "iso_a3_297x420mm" }.paper.width == 29_700)
    }

    @Test func `paper without a border is taken only where the ticket or the page fills the sheet`() throws {
        let support = PageSupport(
            ready: [Samples.medium("iso_a4_210x297mm", nil)], supported: [Samples.borderlessA4, Samples.a4Medium])
        #expect(try Samples.plan([Samples.a4], support).paper.margins == Samples.officeMargins)
        #expect(try Samples.plan([Samples.a4], support) { $0.scaling = .fill }.paper.margins.isBorderless)
        #expect(try !Samples.plan([Samples.a4], support) { $0.scaling = .fit }.paper.margins.isBorderless)
        var page = Samples.a4
        page.content = PageRectangle(left: 40, top: 40, right: 550, bottom: 800)
        #expect(try !Samples.plan([page], support).paper.margins.isBorderless)
        page.content = PageRectangle(left: 0, top: 0, right: page.width, bottom: page.height)
        #expect(try Samples.plan([page], support).paper.margins.isBorderless)
        // Only borderless paper of that size: there is no other.
        #expect(try Samples.plan([Samples.a4], Samples.printer(Samples.borderlessA4)).paper.margins.isBorderless)
    }

    @Test
    func `a page too large for all is printed on the printer's standard paper if that is loaded, else on the largest`()
        throws
    {
        func paper(_ standard: Medium?, _ change: (inout Ticket) -> Void = { _ in }) throws -> SelectedPaper {
            var tray1 = Samples.a5Medium
            tray1.source = "tray-1"
            let support = Samples.printer(tray1, Samples.a4Medium, standard: standard)
            return try Samples.plan([Samples.a3], support, change).paper
        }
        #expect(try paper(Samples.a5Medium).name == "iso_a5_148x210mm")
        #expect(try paper(Samples.letterMedium).name == "iso_a4_210x297mm")
        #expect(try paper(nil).name == "iso_a4_210x297mm")
        // The tray that the ticket names has one paper.
        #expect(try paper(Samples.a4Medium) { $0.mediaSource = "tray-1" }.name == "iso_a5_148x210mm")
        #expect(try paper(nil).choice == .standard)
    }

    @Test func `the page decides that is printed first, and all pages share its paper`() throws {
        let support = Samples.printer(Samples.a4Medium, Samples.a3Medium)
        #expect(try Samples.plan([Samples.a3, Samples.a4], support).paper.name == "iso_a3_297x420mm")
        let second = try Samples.plan([Samples.a3, Samples.a4], support) { $0.pageRanges = [PageRange("2")!] }
        #expect(second.paper.name == "iso_a4_210x297mm")
    }
}
