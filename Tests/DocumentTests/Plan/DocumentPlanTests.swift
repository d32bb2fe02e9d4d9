import KioskPrintModel
import Testing

@testable import KioskDocuments

@Suite struct DocumentPlanTests {
    private typealias Samples = PlanSamples

    private static func pages(_ count: Int) -> [PageSize] { Array(repeating: Samples.a4, count: count) }

    /// The pages that are sent, side by side; a blank side is empty.
    private func sent(_ plan: DocumentPlan) -> [[Int]] { plan.copySequence.map { plan.side($0).cells.map(\.page) } }

    @Test(arguments: [
        (["1"], [0], false), (["2-4", "7"], [1, 2, 3, 6], false), (["9-20"], [8, 9], true), (["1", "11"], [0], true),
        (["1-2147483647"], Array(0..<10), true), (["10"], [9], false),
    ])
    func `page ranges count the document's pages, and those beyond its end are told`(
        texts: [String], pages: [Int], isCut: Bool
    ) throws {
        for count in [1, 2, 4] {
            let plan = try Samples.plan(Self.pages(10)) {
                ($0.pageRanges, $0.numberUp) = (texts.compactMap { PageRange($0) }, count)
            }
            #expect(plan.documentPages == pages)
            #expect(plan.remarks.isEmpty != isCut)
            #expect(sent(plan).flatMap(\.self) == pages)
            #expect(plan.remaining.pageRanges == nil)
        }
    }

    @Test func `ranges that select nothing are refused, and so is a document without pages`() {
        let nothing = #expect(throws: PlanProblem.self) {
            try Samples.plan(Self.pages(3)) { $0.pageRanges = [PageRange("4-9")!] }
        }
        #expect(nothing?.code == .noPages)
        #expect(nothing?.message == "page-ranges is 4-9, and the document has 3 pages; write pages from 1 to 3")
        #expect(throws: PlanProblem.self) { try Samples.plan([]) }
    }

    @Test func `the document's own wishes count where the ticket is silent`() throws {
        let preferences = DocumentPreferences(sides: .twoSidedShortEdge, pageRanges: [PageRange("2-3")!])
        let settings = PlanSettings(dpi: 300, sides: Samples.bothSides, preferences: preferences)
        let plan = try Samples.plan(Self.pages(5), settings: settings)
        #expect(plan.documentPages == [1, 2] && plan.sides == .twoSidedShortEdge)
        let told = try Samples.plan(Self.pages(5), settings: settings) {
            ($0.sides, $0.pageRanges) = (.oneSided, [PageRange("1-5")!])
        }
        #expect(told.documentPages.count == 5 && told.sides == .oneSided)
        // A wish that nobody can fulfil is none.
        let simplex = PlanSettings(
            dpi: 300, preferences: DocumentPreferences(sides: .twoSidedLongEdge, pageRanges: [PageRange("9")!]))
        #expect(try Samples.plan(Self.pages(5), settings: simplex).sides == .oneSided)
        #expect(try Samples.plan(Self.pages(5), settings: simplex).documentPages.count == 5)
    }

    @Test func `both sides are refused where the printer cannot, but for what fits on one`() throws {
        let simplex = PlanSettings(dpi: 300)
        let problem = #expect(throws: PlanProblem.self) {
            try Samples.plan(Self.pages(2), settings: simplex) { $0.sides = .twoSidedLongEdge }
        }
        #expect(problem?.code == .sides)
        let one = try Samples.plan(Self.pages(2), settings: simplex) {
            ($0.sides, $0.numberUp) = (.twoSidedLongEdge, 2)
        }
        #expect(one.sides == .oneSided && one.remaining.sides == .oneSided && !one.side(0).isBack)
    }

    private static let sequences: [(Int, Ticket.Sides, Int, Ticket.DocumentHandling?, [[Int]])] = [
        (2, .oneSided, 2, nil, [[0], [1], [0], [1]]), (2, .oneSided, 2, .collatedCopies, [[0], [1], [0], [1]]),
        (2, .oneSided, 2, .uncollatedCopies, [[0], [0], [1], [1]]),
        (3, .twoSidedLongEdge, 1, nil, [[0], [1], [2]]), (3, .twoSidedLongEdge, 1, .uncollatedCopies, [[0], [1], [2]]),
        (3, .twoSidedLongEdge, 2, nil, [[0], [1], [2], [], [0], [1], [2], []]),
        (3, .twoSidedLongEdge, 2, .uncollatedCopies, [[0], [1], [0], [1], [2], [], [2], []]),
        (4, .twoSidedShortEdge, 2, .singleDocument, [[0], [1], [2], [3], [0], [1], [2], [3]]),
        (1, .twoSidedLongEdge, 3, nil, [[0], [0], [0]]), (1, .oneSided, 1, nil, [[0]]),
    ]

    @Test(arguments: sequences.indices) func `copies follow each other, each from a new sheet on`(index: Int) throws {
        let (count, sides, copies, handling, expected) = Self.sequences[index]
        let plan = try Samples.plan(Self.pages(count)) {
            ($0.sides, $0.copies, $0.documentHandling) = (sides, copies, handling)
        }
        #expect(sent(plan) == expected)
        #expect(plan.copies == copies && plan.isCollated == (handling != .uncollatedCopies))
        #expect(plan.copySequence.count == expected.count)
        #expect(plan.remaining.copies == nil && plan.remaining.documentHandling == nil)
        #expect(plan.remaining.sides == (count == 1 ? .oneSided : sides))
    }

    @Test func `a printer that makes the copies is sent one, without a blank back`() throws {
        let settings = PlanSettings(dpi: 300, sides: Samples.bothSides, printerMakesCopies: true)
        let plan = try Samples.plan(Self.pages(3), settings: settings) {
            ($0.sides, $0.copies, $0.documentHandling) = (.twoSidedLongEdge, 5, .uncollatedCopies)
        }
        #expect(sent(plan) == [[0], [1], [2]])
        #expect(plan.copies == 5 && plan.remaining.copies == 5)
        #expect(plan.remaining.documentHandling == .uncollatedCopies)
    }

    @Test(arguments: [1, 2, 4, 9, 16], [1, 2, 3])
    func `every selected page is sent exactly once for each copy`(numberUp: Int, copies: Int) throws {
        for count in [1, 2, 5, 16, 17, 33] {
            for sides in Ticket.Sides.allCases {
                for handling in [Ticket.DocumentHandling.singleDocument, .uncollatedCopies] {
                    let plan = try Samples.plan(Self.pages(count)) {
                        ($0.numberUp, $0.copies, $0.sides, $0.documentHandling) = (numberUp, copies, sides, handling)
                    }
                    let sides = plan.copySequence.map { plan.side($0) }
                    var counts = [Int](repeating: 0, count: count)
                    for side in sides { for cell in side.cells { counts[cell.page] += 1 } }
                    #expect(counts.allSatisfy { $0 == copies })
                    #expect(sides.count == plan.sideCount * copies)
                    // A back follows its own front, and no front is blank.
                    #expect(sides.first?.isBack == false && sides.allSatisfy { $0.isBack || !$0.isBlank })
                    for (one, next) in zip(sides, sides.dropFirst()) where next.isBack {
                        #expect(!one.isBack && one.sheet == next.sheet)
                    }
                    // Copies never share a sheet.
                    if plan.sides != .oneSided, copies > 1 { #expect(sides.count { $0.isBack } * 2 == sides.count) }
                }
            }
        }
    }

    @Test func `what was applied is not left for the printer, and the rest is`() throws {
        let plan = try Samples.plan(Self.pages(4)) {
            $0.copies = 2
            $0.pageRanges = [PageRange("1-4")!]
            $0.numberUp = 2
            $0.orientation = .landscape
            $0.scaling = .fit
            $0.pageBorder = .single
            $0.resolution = 300
            $0.documentHandling = .uncollatedCopies
            $0.sides = .twoSidedLongEdge
            $0.colorMode = .monochrome
            $0.quality = .high
            $0.contentOptimization = .text
            $0.mediaType = "stationery"
            $0.outputBin = "face-down"
            $0.accountID = "4711"
        }
        #expect(
            plan.remaining.wishes.map { "\($0.key)=\($0.value)" } == [
                "sides=two-sided-long-edge", "media=iso_a4_210x297mm", "print-color-mode=monochrome",
                "print-quality=high",
                "media-type=stationery", "output-bin=face-down", "print-content-optimize=text", "job-account-id=4711",
            ])
        #expect(plan.remaining.copies == nil)
    }

    @Test func `a document of 10,000 pages is planned, and its last side is computed alone`() throws {
        let plan = try Samples.plan(Self.pages(10_000)) { ($0.numberUp, $0.copies) = (2, 999) }
        #expect(plan.sideCount == 5_000 && plan.copySequence.count == 4_995_000)
        #expect(plan.side(4_999).cells.map(\.page) == [9_998, 9_999])
        #expect(plan.copySequence.last == 4_999)
    }

    @Test func `the image box holds all that is drawn`() throws {
        let plan = try Samples.plan(Self.pages(3)) {
            ($0.numberUp, $0.pageBorder, $0.copies, $0.sides) = (2, .single, 1, .twoSidedLongEdge)
        }
        let box = try #require(plan.side(0).imageBox)
        #expect(box.left >= 49 && box.right <= 2431 && box.height > 3_000)
        #expect(try #require(plan.side(1).imageBox).height < 1_800)
        let blank = try Samples.plan(Self.pages(3)) { ($0.copies, $0.sides) = (2, .twoSidedLongEdge) }
        #expect(blank.side(3).isBlank && blank.side(3).imageBox == nil && blank.side(3).isBack)
    }

    @Test func `more dots or sides than the limits are refused with their number`() {
        let large = #expect(throws: PlanProblem.self) {
            try Samples.plan(
                [Samples.page(2_000, 3_000)], Samples.printer(Samples.medium("custom_poster_2000x3000mm")),
                settings: PlanSettings(dpi: 600))
        }
        #expect(large?.code == .sideSize && large?.message.contains("47244 × 70866 dots") == true)
        var settings = PlanSettings(dpi: 300)
        settings.maximumSides = 10
        let many = #expect(throws: PlanProblem.self) { try Samples.plan(Self.pages(11), settings: settings) }
        #expect(many?.code == .sideCount)
        for dpi in [Int.min, -1, 0, 9_601, Int.max] {
            let problem = #expect(throws: PlanProblem.self) {
                try Samples.plan(Self.pages(1), settings: PlanSettings(dpi: dpi))
            }
            #expect(problem?.code == .resolution)
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity, -.infinity, 1e11, 0.5, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
    func `pages of sizes that nothing prints are refused, if they are printed`(edge: Double) throws {
        for page in [PageSize(width: edge, height: 500), PageSize(width: 500, height: edge)] {
            let problem = #expect(throws: PlanProblem.self) { try Samples.plan([Samples.a4, page]) }
            #expect(problem?.code == .pageSize && problem?.message.hasPrefix("page 2 is ") == true)
            #expect(try Samples.plan([Samples.a4, page]) { $0.pageRanges = [PageRange("1")!] }.sideCount == 1)
        }
    }
}
