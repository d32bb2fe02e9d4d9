import KioskDocuments
import KioskPageEncoding
import KioskPrintModel
import KioskReceipts
import Testing

@testable import KioskDocumentPrinting

/// Whether a printer gets pages or commands, and what paper its commands are for.
@Suite struct CommandOutputTests {
    static let zpl = PrintingSettings(
        language: .zpl, dots: 812, label: PrintingSettings.Label(width: 101, height: 152, gap: 3))
    static let escPOS = PrintingSettings(language: .escPOS, dots: 576, paperWidth: 80, cuts: [.partial])

    private static func target(
        _ formats: [DocumentFormat], url: String = "ipp://192.0.2.1/ipp/print", profile: String? = nil,
        jobTypes: JobTypes? = [.label], _ change: (inout PrinterDescription) -> Void = { _ in }
    ) throws -> PreparationTarget {
        var description = PrinterDescription(formats: formats, pages: PageSupport(appleRaster: ["W8", "RS203"]))
        change(&description)
        let id = try #require(PrinterID(rawValue: "label-1"))
        return PreparationTarget(
            printer: SavedPrinter(id: id, url: try PrinterURL(url), profile: profile), description: description,
            jobTypes: jobTypes)
    }

    static let choices: [(formats: [DocumentFormat], profile: String?, PrintingSettings?, expected: DocumentFormat?)] =
        [
            // What it names goes before its rasters, and so does what an administrator names.
            ([.zpl, .appleRaster], nil, zpl, .zpl), ([.octetStream, .pwgRaster], "generic-zpl", zpl, .zpl),
            // Every printer on PAPPL lists octet-stream.
            ([.octetStream, .appleRaster, .pwgRaster], nil, zpl, .appleRaster),
            ([.octetStream, .pwgRaster], nil, escPOS, .pwgRaster), ([.octetStream], nil, zpl, .zpl),
            ([.appleRaster], "generic-zpl", zpl, .appleRaster), ([.pdf], nil, zpl, nil),
            // Profiles of printers that take pages, or text alone.
            (
                [.octetStream, .pwgRaster], "generic-ipp-80mm", PrintingSettings(language: .raster, dots: 576),
                .pwgRaster
            ),
            ([.octetStream], "generic-text", PrintingSettings(language: .text, dots: 576), nil),
            ([.escPOS], "till", PrintingSettings(language: .escPOS, dots: 576, textOnly: true), nil),
            ([.octetStream], nil, nil, nil), ([.zpl, .pcl], nil, nil, .pcl),
        ]

    @Test(arguments: choices.indices) func `commands go before pages where the printer or somebody names them`(
        _ index: Int
    ) throws {
        let (formats, profile, printing, expected) = Self.choices[index]
        let target = try Self.target(formats, profile: profile)
        #expect(PageOutput.format(of: target, nil, printing) == expected)
        #expect(PageOutput(target, nil, printing, Ticket())?.format == expected)
    }

    @Test func `a language that the printer gave up jobs over is not taken while it lists another`() throws {
        let target = try Self.target([.zpl, .appleRaster]) {
            $0.learned = LearnedBehavior(refusedFormats: [.zpl])
        }
        #expect(PageOutput.format(of: target, nil, Self.zpl) == .appleRaster)
        let alone = try Self.target([.zpl]) { $0.learned = LearnedBehavior(refusedFormats: [.zpl]) }
        #expect(PageOutput.format(of: alone, nil, Self.zpl) == .zpl)
        let pages = try Self.target([.zpl, .octetStream, .pwgRaster]) {
            $0.learned = LearnedBehavior(refusedFormats: [.pwgRaster])
        }
        #expect(PageOutput.format(of: pages, nil, Self.zpl) == .zpl)
    }

    @Test func `a profile that says raster decides, and a receipt printer without one gets ESC POS`() throws {
        let target = try Self.target([.zpl, .pwgRaster], profile: "mine")
        #expect(PageOutput.format(of: target, PageSettings(raster: .pwg), Self.zpl) == .pwgRaster)
        let till = try Self.target([.escPOS, .octetStream], jobTypes: [.receipt])
        #expect(PageOutput.format(of: till, nil, nil) == .escPOS)
        let output = try #require(PageOutput(till, nil, nil, Ticket()))
        #expect(output.language == .dots && output.color == .black1 && output.dpi == 203)
    }

    @Test(
        arguments: [
            ([.label], .labels, .black1), ([.label, .roll], .labels, .black1), ([.receipt, .roll], .rolls, .black1),
            ([.document, .general, .label], .sheets, .gray8), (nil, .sheets, .gray8),
            ([.roll, .largeFormat], .sheets, .gray8),
        ] as [(JobTypes?, PlanSettings.Kind, PageColor)])
    func `a printer of pages that prints labels or receipts alone gets dots where it takes them`(
        jobTypes: JobTypes?, kind: PlanSettings.Kind, color: PageColor
    ) throws {
        let target = try Self.target([.pwgRaster], jobTypes: jobTypes) {
            $0.pages = PageSupport(rasterTypes: ["black_1", "sgray_8"], rasterResolutions: [203])
        }
        let output = try #require(PageOutput(target, nil, nil, Ticket()))
        #expect(output.kind == kind && output.color == color)
    }

    // MARK: Paper

    private func plan(
        _ pages: [(Double, Double)], _ printing: PrintingSettings, _ change: (inout Ticket) -> Void = { _ in }
    ) throws -> (DocumentPlan, CommandOutput) {
        var ticket = Ticket()
        change(&ticket)
        let target = try Self.target([.octetStream])
        let output = try #require(CommandOutput(target, printing, insteadOf: nil, ticket))
        let settings = PlanSettings(kind: output.kind, dpi: printing.dpi, asksForPaper: false)
        let plan = try DocumentPlan(
            pages: pages.map { PageSize(width: $0.0 * 72 / 25.4, height: $0.1 * 72 / 25.4) }, ticket: ticket,
            support: output.paper(for: ticket), settings: settings)
        return (plan, output)
    }

    private func scale(_ plan: DocumentPlan, dpi: Int = 203) -> Double {
        plan.side(0).cells[0].matrix.dotsPerPoint * 72 / Double(dpi)
    }

    @Test func `a page of the label's size in inches is as large as the label, which the profile rounds`() throws {
        let (plan, _) = try plan([(101.6, 152.4)], Self.zpl)
        let side = plan.side(0)
        #expect([side.width, side.height] == [812, 1218])
        #expect(side.cells[0].matrix.e == 0 && side.cells[0].matrix.f == 0)
        #expect(scale(plan) == 1 && plan.remarks.isEmpty)
    }

    @Test(
        arguments: [
            // A page that lies across is turned; smaller ones stay as they are, in the middle; larger ones are made to
            // fit.
            ((152.4, 101.6), 1.0, [812, 1218], 0), ((80, 50), 1.0, [807, 1214], 0), ((210, 297), 0.48, [807, 1214], 2),
        ] as [((Double, Double), Double, [Int], Int)])
    func `other pages are on the profile's label`(
        page: (Double, Double), scale: Double, size: [Int], remarks: Int
    ) throws {
        let (plan, _) = try plan([page], Self.zpl)
        let side = plan.side(0)
        #expect([side.width, side.height] == size)
        #expect(abs(self.scale(plan) - scale) < 0.01)
        #expect(plan.remarks.count == remarks, "\(plan.remarks)")
    }

    @Test func `the ticket's label is believed, and one without a size is refused`() throws {
        let (plan, _) = try plan([(57, 32)], Self.zpl) { $0.media = "oe_small-label_57x32mm" }
        #expect([plan.side(0).width, plan.side(0).height] == [455, 255])
        #expect(plan.paper.name == "oe_small-label_57x32mm")
        for name in ["labels", "roll_max_80x9000000mm", "x_1e300x2mm"] {
            #expect(throws: PlanProblem.self) { try self.plan([(57, 32)], Self.zpl) { $0.media = name } }
        }
    }

    @Test func `labels of which nothing is known are as large as the page, and no wider than the head`() throws {
        var unknown = Self.zpl
        unknown.label = nil
        let (small, _) = try plan([(57, 32)], unknown)
        #expect([small.side(0).width, small.side(0).height] == [455, 255])
        let (wide, _) = try plan([(210, 100)], unknown)
        #expect(wide.side(0).width <= 812 && wide.side(0).cells[0].matrix.a == 0 && scale(wide) == 1)
        let (large, _) = try plan([(210, 297)], unknown)
        #expect(large.side(0).width <= 812 && scale(large) < 0.5)
    }

    @Test func `continuous labels and rolls are cut to each page`() throws {
        var endless = Self.zpl
        endless.label?.gap = 0
        let (labels, _) = try plan([(101, 40), (101, 90)], endless)
        #expect((0..<2).map { labels.side($0).paperHeight } == [4_000, 9_000])
        let (roll, output) = try plan([(80, 120), (72, 90), (58, 30)], Self.escPOS)
        #expect(output.kind == .rolls)
        #expect((0..<3).map { roll.side($0).paperHeight } == [12_000, 9_000, 3_000])
        #expect((0..<3).map { roll.side($0).width } == [639, 639, 639])
        #expect(roll.remarks.isEmpty)
        // A page of A4 is made as wide as the head.
        let (letter, _) = try plan([(210, 297)], Self.escPOS)
        #expect(letter.side(0).cells[0].clip.width <= 576 && letter.side(0).cells[0].clip.width >= 574)
        #expect(letter.remarks.count == 2, "\(letter.remarks)")
    }

    @Test func `a page of 15 metres is printed in two pieces, with a remark`() throws {
        let (plan, _) = try plan([(80, 15_000)], Self.escPOS)
        #expect(plan.sideCount == 2)
        #expect(plan.side(0).height <= 80_000)
        #expect(plan.remarks.contains { $0.contains("in 2 pieces") }, "\(plan.remarks)")
    }

    // MARK: The ticket

    private static func ticket(_ change: (inout Ticket) -> Void) -> Ticket {
        var ticket = Ticket()
        change(&ticket)
        return ticket
    }

    static let tickets: [(Ticket, CutMode?, Int)] = [
        (Ticket(), .partial, 0), (ticket { $0.cut = Ticket.Cut.none }, nil, 0), (ticket { $0.cut = .full }, .full, 1),
        (ticket { $0.drawer = true }, .partial, 1), (ticket { $0.colorMode = .color }, .partial, 1),
    ]

    @Test(arguments: tickets.indices) func `what it cannot do is a remark`(_ index: Int) throws {
        let (ticket, cut, remarks) = Self.tickets[index]
        var settings = Self.escPOS
        settings.cuts = []
        let (_, output) = try plan([(80, 40)], settings) { $0 = ticket }
        #expect(output.cut == cut)
        #expect(output.remarks.count == remarks, "\(output.remarks)")
    }

    @Test func `another resolution than the head's is unmet`() throws {
        var ticket = Ticket()
        ticket.resolution = 300
        let target = try Self.target([.zpl])
        #expect(PageOutput(target, nil, Self.zpl, ticket)?.unmet == ["printer-resolution=300dpi"])
        ticket.resolution = 203
        #expect(PageOutput(target, nil, Self.zpl, ticket)?.unmet == [])
    }
}
