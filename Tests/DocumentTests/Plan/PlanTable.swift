import KioskPrintModel

@testable import KioskDocuments

/// The rows of the golden table: page × sheet × scaling × orientation × number-up × sides × sheet-back.
struct PlanTable {
    /// A row: what goes into a plan, and its name.
    struct Row {
        var page: (name: String, size: PageSize)
        var count = 1
        var medium: (name: String, Medium)
        var ticket = Ticket()
        var settings = PlanSettings(dpi: 300, sides: PlanSamples.bothSides)
        var landscape: Ticket.Orientation?
    }

    static let pages: [(name: String, size: PageSize)] = [
        ("a4", PlanSamples.a4), ("a4-wide", PlanSamples.a4Landscape), ("letter", PlanSamples.letter),
        ("a3", PlanSamples.a3), ("a5", PlanSamples.a5), ("4x6in", PlanSamples.label4x6),
        ("square", PlanSamples.page(120, 120)), ("strip", PlanSamples.page(80, 400)),
    ]
    private static let sheets: [(name: String, Medium)] = [
        ("A4", PlanSamples.a4Medium), ("A4-borderless", PlanSamples.borderlessA4), ("Letter", PlanSamples.letterMedium),
        (
            "A3-uneven",
            PlanSamples.medium("iso_a3_297x420mm", Medium.Margins(top: 300, left: 400, bottom: 1_250, right: 500))
        ),
        ("A5-wide", PlanSamples.medium("custom_a5-wide_210x148mm", PlanSamples.officeMargins)),
    ]
    private static let labels: [(name: String, Medium)] = [
        ("label-4x6in", PlanSamples.medium("na_index-4x6_4x6in", Medium.Margins(all: 0))),
        ("label-102x51", PlanSamples.medium("custom_102x51mm_102x51mm", Medium.Margins(all: 100))),
        ("roll-62", PlanSamples.roll(62)), ("roll-80", PlanSamples.roll(80, margin: 400)),
    ]
    private static let labelPages: [(name: String, size: PageSize)] = [
        ("4x6in", PlanSamples.label4x6), ("6x4in", PageSize(width: 432, height: 288)),
        ("102x51", PlanSamples.page(102, 51)),
        ("51x102", PlanSamples.page(51, 102)), ("62x100", PlanSamples.page(62, 100)),
        ("100x62", PlanSamples.page(100, 62)),
        ("72x180", PlanSamples.page(72, 180)), ("a4", PlanSamples.a4),
    ]

    /// All rows, by subject.
    static let sections: [(title: String, rows: [Row])] = [
        ("One page on a sheet, by print-scaling", scaling), ("Orientation", orientation),
        ("Labels and rolls, 203 dpi", onLabels),
        ("Several pages on a side", numberUp), ("Both sides, by sheet-back", backSides),
    ]

    private static let scalings: [Ticket.Scaling?] = [nil] + Ticket.Scaling.allCases

    private static let scaling = pages.flatMap { page in
        sheets.flatMap { sheet in
            scalings.map { scaling in
                row(page, sheet) { $0.scaling = scaling }
            }
        }
    }

    private static let orientation = [pages[0], pages[1]].flatMap { page in
        [sheets[0], sheets[4]].flatMap { sheet in
            Ticket.Orientation.allCases.flatMap { orientation in
                [Ticket.Scaling.fit, Ticket.Scaling.none].map { scaling in
                    row(page, sheet) { ($0.scaling, $0.orientation) = (scaling, orientation) }
                }
            }
        }
    }

    private static let onLabels = labelPages.flatMap { page in
        labels.flatMap { label in
            [nil, Ticket.Scaling.autoFit, Ticket.Scaling.none].map { scaling in
                var row = row(page, label) { $0.scaling = scaling }
                row.settings = PlanSettings(kind: label.name.hasPrefix("roll") ? .rolls : .labels, dpi: 203)
                return row
            }
        }
    }

    private static let numberUp = [pages[0], pages[1]].flatMap { page in
        Ticket.pageCounts.dropFirst().flatMap { count in
            [Ticket.Orientation.landscape, .reverseLandscape].map { landscape in
                var row = row(page, sheets[0]) {
                    ($0.numberUp, $0.pageBorder) = (count, count == 4 ? .double : nil)
                }
                (row.count, row.landscape) = (count, landscape)
                return row
            }
        }
    }

    private static let backSides = [pages[0], pages[1]].flatMap { page in
        [1, 2].flatMap { count in
            PageSupport.SheetBack.allCases.flatMap { back in
                [Ticket.Sides.twoSidedLongEdge, .twoSidedShortEdge].map { sides in
                    var row = row(page, sheets[0]) { ($0.sides, $0.numberUp, $0.scaling) = (sides, count, .fit) }
                    row.count = 2 * count
                    row.settings.sheetBack = back
                    return row
                }
            }
        }
    }

    private static func row(
        _ page: (name: String, size: PageSize), _ medium: (name: String, Medium), _ change: (inout Ticket) -> Void
    ) -> Row {
        Row(page: page, medium: medium, ticket: PlanSamples.ticket(change))
    }
}

extension PlanTable.Row {
    /// The row and its plan, as text.
    func text() -> String {
        var words = ["\(page.name)\(count > 1 ? " ×\(count)" : "") on \(medium.name)"]
        words += [
            ticket.scaling.map { "scaling=\($0.rawValue)" }, ticket.orientation.map { "orientation=\($0.rawValue)" },
            ticket.numberUp.map { "number-up=\($0)" }, ticket.pageBorder.map { "border=\($0.rawValue)" },
            ticket.sides.map { $0.rawValue }, settings.sheetBack.map { "back=\($0.rawValue)" },
            landscape == .reverseLandscape ? "turned clockwise" : nil,
        ].compactMap(\.self)
        var ticket = ticket
        // A sheet is named, so that a page of another size comes upon it.
        if !medium.1.isRoll { ticket.media = medium.1.name }
        let support = PageSupport(ready: [medium.1], landscape: landscape)
        do {
            let plan = try DocumentPlan(
                pages: Array(repeating: page.size, count: count), ticket: ticket, support: support, settings: settings)
            var lines = [words.joined(separator: ", ")]
            for index in 0..<plan.sideCount { lines += text(plan.side(index), dpi: settings.dpi) }
            lines += plan.remarks.map { "    remark: \($0)" }
            return lines.joined(separator: "\n")
        } catch {
            return "\(words.joined(separator: ", "))\n    refused: \(error.message)"
        }
    }

    private func text(_ side: PlannedSide, dpi: Int) -> [String] {
        let transforms = side.isBack ? " cross-feed \(side.crossFeedTransform) feed \(side.feedTransform)" : ""
        let paper = "\(MediaName.millimetres(side.paperWidth))x\(MediaName.millimetres(side.paperHeight))mm"
        let head = "    \(side.isBack ? "back" : "front") \(side.width)x\(side.height) (\(paper))\(transforms)"
        let cells = side.cells.map { cell in
            let matrix = cell.matrix
            let numbers = [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f].map(Self.decimal)
            let percent = Self.decimal(cell.scale(dpi: dpi) * 100)
            return
                "      p\(cell.page + 1) \(percent)% up=\(Self.direction(cell.up)) [\(numbers.joined(separator: " "))] \(Self.text(cell.clip))"
        }
        return [head] + cells + side.frames.map { "      frame \(Self.text($0.rectangle)) line \($0.lineWidth)" }
    }

    private static func text(_ rectangle: DotRectangle) -> String {
        "(\(rectangle.left),\(rectangle.top))-(\(rectangle.right),\(rectangle.bottom))"
    }

    private static func direction(_ up: [Int]) -> String {
        switch up {
        case [0, -1]: "above"
        case [0, 1]: "below"
        case [-1, 0]: "left"
        default: "right"
        }
    }

    /// Two decimal places, without a sign before zero.
    private static func decimal(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let digits = abs(hundredths) % 100
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(digits < 10 ? "0" : "")\(digits)"
    }
}
