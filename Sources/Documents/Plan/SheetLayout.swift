import KioskPrintModel

/// The layout of a document on sheets of one size: one page on each side, or several in the cells of a grid.
struct SheetLayout: Sendable {
    private let sheet: Sheet
    private let rule: ScalingRule
    private let turns: PageTurns
    private let border: Ticket.PageBorder
    private let isLabel: Bool
    private let grid: NumberUpGrid
    /// Whether its cells are for wide pages.
    private let isWideCell: Bool
    /// The turn of the side as its reader holds it, where it has several cells.
    private let sideTurn: Turn

    /// `pages`: those that are printed.
    init(
        _ sheet: Sheet, pages: some Collection<PageSize>, _ grid: NumberUpGrid, border: Ticket.PageBorder,
        rule: ScalingRule, turns: PageTurns, isLabel: Bool
    ) {
        self.sheet = sheet
        self.grid = grid
        self.border = border
        self.rule = rule
        self.turns = turns
        self.isLabel = isLabel
        isWideCell = grid.isWideCell(in: sheet.printable)
        let isAcross = Self.areWide(pages).map { [isWideCell] in $0 != isWideCell } ?? false
        sideTurn = turns.requested ?? (isAcross ? turns.landscape : .none)
    }

    /// The pages on a side.
    var pagesPerSide: Int { grid.count }
    /// The length of each sheet, in hundredths of a millimetre.
    var height: Int { sheet.height }

    private var hasCells: Bool { grid.count > 1 || border != Ticket.PageBorder.none }

    /// What most pages are: wide, or high. The first decides where there are as many of both; nil where all are square.
    private static func areWide(_ pages: some Collection<PageSize>) -> Bool? {
        var balance = 0
        for page in pages { if let isWide = page.isWide { balance += isWide ? 1 : -1 } }
        return balance == 0 ? pages.lazy.compactMap(\.isWide).first : balance > 0
    }

    /// How large a page is that has its side for itself, 1 where it is as large as it is; nil where it has a cell.
    func scale(of page: PageSize) -> Double? {
        hasCells ? nil : placed(0, page).matrix.dotsPerPoint / sheet.dotsPerPoint
    }

    /// The side with these pages, as its reader sees it.
    func side(_ number: (sheet: Int, isBack: Bool), pages: [(index: Int, size: PageSize)]) -> PlannedSide {
        var side = PlannedSide(sheet: number.sheet, isBack: number.isBack, sheet, cells: [])
        for (position, page) in pages.enumerated() {
            guard hasCells else {
                side.cells.append(placed(page.index, page.size))
                continue
            }
            var cell = grid.dots(of: grid.cell(position, seenBy: sideTurn), in: sheet.dots(in: sheet.printable))
            side.frames += frames(in: &cell)
            let turn = turns.turn(of: page.size, inWidePlace: isWideCell, square: sideTurn)
            let area = sheet.points(of: cell)
            let fitting = rule.fitting(of: page.size, turn, on: PagePlace(area: area, printable: area, isCell: true))
            side.cells.append(PagePlacement.page(page.index, page.size, turn, fitting, in: cell, sheet))
        }
        return side
    }

    private var wholeSide: PagePlace { PagePlace(area: sheet.area, printable: sheet.printable) }

    /// The turn of a page that has its side for itself.
    private func turn(of page: PageSize) -> Turn {
        if isLabel { return turns.turn(of: page, onLabel: sheet.width, height: sheet.height) }
        let isWide = isWiderThanHigh(sheet.area.width, sheet.area.height)
        return turns.turn(of: page, inWidePlace: isWide, square: .none)
    }

    private func placed(_ index: Int, _ page: PageSize) -> PlacedPage {
        let turn = turn(of: page)
        let fitting = rule.fitting(of: page, turn, on: wholeSide)
        let clip = sheet.dots(in: fitting == .fit ? sheet.printable : sheet.area)
        return PagePlacement.page(index, page, turn, fitting, in: clip, sheet)
    }

    /// The frames of a cell, which becomes smaller by them.
    private func frames(in cell: inout DotRectangle) -> [PlannedFrame] {
        let (lines, points): (Int, Double) =
            switch border {
            case .none: (0, 0)
            case .single: (1, Self.thinLine)
            case .singleThick: (1, 2 * Self.thinLine)
            case .double: (2, Self.thinLine)
            case .doubleThick: (2, 2 * Self.thinLine)
            }
        guard lines > 0 else { return [] }
        let lineWidth = max(1, Int((points * sheet.dotsPerPoint).rounded()))
        let distance = Int((Self.frameDistance * sheet.dotsPerPoint).rounded(.up))
        var frames: [PlannedFrame] = []
        for _ in 0..<lines {
            cell = cell.inset(by: distance)
            frames.append(PlannedFrame(rectangle: cell, lineWidth: lineWidth))
            cell = cell.inset(by: lineWidth)
        }
        cell = cell.inset(by: distance)
        return frames
    }

    /// The width of a thin line, and the distance of frames from each other and from their pages, in points: about as
    /// CUPS draws them.
    private static let thinLine = 0.5
    private static let frameDistance = 2.25
}
