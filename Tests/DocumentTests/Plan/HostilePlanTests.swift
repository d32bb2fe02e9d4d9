import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskDocuments

/// Printers and documents may say anything: each plan is made or refused, and what it says can be drawn.
@Suite struct HostilePlanTests {
    private struct Maker {
        var random: SeededRandom

        mutating func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }
        mutating func flip() -> Bool { Bool.random(using: &random) }
        mutating func maybe<Value>(_ values: [Value]) -> Value? { flip() ? nil : pick(values) }

        mutating func length() -> Int {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: pick([Int.min, Int.max, 0, -1, 1, 10_000_000, 10_000_001, Int.max / 2540, 1 << 40])
            case 1: Int.random(in: 1...10_000_000, using: &random)
            default: pick([2_500, 6_200, 8_000, 10_160, 21_000, 21_590, 27_940, 29_700, 42_000, 100_000])
            }
        }

        mutating func edge() -> Double {
            switch Int.random(in: 0..<40, using: &random) {
            case 0: pick([Double.nan, .infinity, -1, 0, 1e300, 0.5])
            case 1: pick([1.0, 1_000_000, 999_999])
            default: pick([36, 175.7, 226.8, 288, 419.5, 432, 595.276, 612, 792, 841.89, 1190.55, 5_669])
            }
        }

        mutating func medium() -> Medium {
            let margin = flip() ? 423 : length()
            return Medium(
                name: maybe(["iso_a4_210x297mm", "auto", "", "custom_min_1x1mm", "roll_x_62x0mm"]), width: length(),
                height: length(), maximumWidth: flip() ? nil : length(), maximumHeight: flip() ? nil : length(),
                margins: flip()
                    ? nil : Medium.Margins(top: margin, left: length(), bottom: margin, right: flip() ? 0 : margin),
                source: maybe(["tray-1", "auto"]), type: maybe(["labels", "stationery"]), isRoll: flip())
        }

        mutating func media() -> [Medium] { (0..<Int.random(in: 0...3, using: &random)).map { _ in medium() } }

        mutating func page() -> PageSize {
            var page = PageSize(width: edge(), height: edge())
            if flip(), flip() {
                page.content = PageRectangle(left: edge() - 100, top: -edge(), right: edge(), bottom: edge())
            }
            return page
        }

        mutating func ticket() -> Ticket {
            var ticket = Ticket()
            ticket.copies = maybe([1, 2, 999, 0, -1, Int.max])
            ticket.sides = maybe(Ticket.Sides.allCases)
            ticket.media =
                flip() && flip() ? pick(["iso_a4_210x297mm", "roll_a_62x0mm", "a\u{1B}b", "custom_1x1mm_1x1mm"]) : nil
            ticket.pageRanges =
                flip() && flip() ? [PageRange("2-9")!, PageRange("1-2147483647")!, PageRange("1")!] : nil
            ticket.numberUp = maybe([1, 2, 4, 6, 8, 9, 12, 16, 1, 1])
            ticket.orientation = maybe(Ticket.Orientation.allCases)
            ticket.scaling = maybe(Ticket.Scaling.allCases)
            ticket.pageBorder = maybe(Ticket.PageBorder.allCases)
            ticket.documentHandling = maybe(Ticket.DocumentHandling.allCases)
            ticket.mediaSource = maybe(["tray-1", "auto"])
            ticket.mediaType = maybe(["labels"])
            ticket.fidelity = flip()
            return ticket
        }

        mutating func settings() -> PlanSettings {
            PlanSettings(
                kind: pick(PlanSettings.Kind.allCases), dpi: pick([1, 72, 203, 300, 600, 9_600]),
                sides: Set(Ticket.Sides.allCases), sheetBack: maybe(PageSupport.SheetBack.allCases),
                printerMakesCopies: flip(), preferences: DocumentPreferences(isUnscaled: flip()), asksForPaper: flip(),
                maximumSides: 5_000)
        }
    }

    @Test func `whatever is said, a plan is refused with a reason or can be drawn`() throws {
        var maker = Maker(random: SeededRandom(20))
        var made = 0
        for round in 0..<rounds(20_000, long: 1_000_000) {
            let pages = (0..<Int.random(in: 1...5, using: &maker.random)).map { _ in maker.page() }
            let support =
                maker.flip()
                ? PageSupport(
                    ready: maker.media(), supported: maker.media(), standard: maker.flip() ? nil : maker.medium(),
                    landscape: maker.maybe(Ticket.Orientation.allCases)) : nil
            let (ticket, settings) = (maker.ticket(), maker.settings())
            do {
                let plan = try DocumentPlan(pages: pages, ticket: ticket, support: support, settings: settings)
                made += 1
                check(plan, pages, settings, round)
            } catch {
                #expect(!error.message.isEmpty && !error.message.hasSuffix("."))
                #expect(!error.message.hasControlCharacters)
            }
        }
        #expect(made > rounds(20_000, long: 1_000_000) / 3)
    }

    private func check(_ plan: DocumentPlan, _ pages: [PageSize], _ settings: PlanSettings, _ round: Int) {
        let indices = plan.sideCount > 40 ? [0, 1, plan.sideCount / 2, plan.sideCount - 1] : Array(0..<plan.sideCount)
        var problems: [String] = []
        if !plan.copySequence.allSatisfyAtEnds(in: 0..<plan.sideCount) { problems.append("sequence") }
        for index in indices {
            let side = plan.side(index)
            if side.width <= 0 || side.height <= 0 || side.width * side.height > settings.maximumSideDots {
                problems.append("side of \(side.width) × \(side.height)")
            }
            for cell in side.cells {
                let (matrix, clip) = (cell.matrix, cell.clip)
                let numbers = [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f]
                if !pages.indices.contains(cell.page) || !numbers.allSatisfy(\.isFinite) || matrix.dotsPerPoint <= 0 {
                    problems.append("page \(cell.page), \(matrix)")
                }
                if clip.width < 0 || clip.height < 0 || clip.left < 0 || clip.top < 0 || clip.right > side.width
                    || clip.bottom > side.height
                {
                    problems.append("\(clip) on \(side.width) × \(side.height)")
                }
            }
        }
        #expect(problems.isEmpty, "round \(round): \(problems.prefix(3))")
    }
}

extension CopySequence {
    /// Whether its first and last hundred indices are those of sides.
    fileprivate func allSatisfyAtEnds(in range: Range<Int>) -> Bool {
        prefix(100).allSatisfy(range.contains) && suffix(100).allSatisfy(range.contains)
    }
}
