import KioskPrintModel

/// The layout of a document: on sheets of one size, or on a roll that is cut to each page.
enum DocumentLayout: Sendable {
    case sheets(SheetLayout)
    case roll(RollLayout)

    /// `pages`: those that are printed.
    init(
        _ paper: SelectedPaper, pages: some Collection<PageSize>, ticket: Ticket, settings: PlanSettings,
        landscape: Ticket.Orientation?, isTwoSided: Bool
    ) throws(PlanProblem) {
        let isLabel = settings.kind != .sheets || paper.medium.isRoll
        let rule = ScalingRule(ticket, settings.preferences, isLabel: isLabel)
        let turns = PageTurns(ticket, landscape: landscape)
        let border = ticket.pageBorder ?? .none
        let count = ticket.numberUp ?? 1
        var height = paper.height
        if let lengths = paper.cutLengths {
            guard count != 1 || border != Ticket.PageBorder.none else {
                self = .roll(RollLayout(paper, cutTo: lengths, dpi: settings.dpi, rule: rule, turns: turns))
                return
            }
            height = Self.height(of: paper, lengths, for: pages.first)
        }
        let sheet = Sheet(
            width: paper.width, height: height, margins: isTwoSided ? paper.margins.ofBothSides : paper.margins,
            dpi: settings.dpi)
        guard let grid = NumberUpGrid(count, onWideSheet: sheet.width > sheet.height) else {
            throw PlanProblem(.numberUp, "number-up is \(count); write 1, 2, 4, 6, 8, 9, 12 or 16")
        }
        self = .sheets(
            SheetLayout(sheet, pages: pages, grid, border: border, rule: rule, turns: turns, isLabel: isLabel))
    }

    /// The height of a roll's side that has cells: in the proportions of its first page.
    private static func height(of paper: SelectedPaper, _ lengths: ClosedRange<Int>, for page: PageSize?) -> Int {
        let (width, height) = page.map { ($0.width, $0.height) } ?? (1, 1)
        let proportion = max(width, height) / min(width, height)
        let length = Int(min(Double(paper.width) * proportion, Double(MediaName.maximumLength)))
        return min(max(length, lengths.lowerBound), lengths.upperBound)
    }

    /// The pages on a side.
    var pagesPerSide: Int {
        switch self {
        case .sheets(let layout): layout.pagesPerSide
        case .roll: 1
        }
    }

    /// How many pieces a page is cut into, each on a side.
    func pieces(of page: PageSize) -> Int {
        switch self {
        case .sheets: 1
        case .roll(let layout): layout.pieces(of: page)
        }
    }

    /// The length of the paper that a page takes, of several pieces that of the first.
    func height(of page: PageSize) -> Int {
        switch self {
        case .sheets(let layout): layout.height
        case .roll(let layout): layout.height(of: page)
        }
    }

    /// Whether a page is visibly larger or smaller than it is; nil where it has a cell.
    func isScaled(_ page: PageSize) -> Bool? {
        let scale =
            switch self {
            case .sheets(let layout): layout.scale(of: page)
            case .roll(let layout): layout.scale(of: page)
            }
        return scale.map { abs($0 - 1) > Self.visibleScale }
    }

    /// A ruler of 20 cm that is 1 mm too short.
    private static let visibleScale = 0.005

    /// The side with these pages, of which there is at least one, as its reader sees it. `piece`: the part of a page that
    /// is longer than the roll is cut.
    func side(
        _ number: (sheet: Int, isBack: Bool), pages: [(index: Int, size: PageSize)], piece: Int = 0
    ) -> PlannedSide {
        switch self {
        case .sheets(let layout): return layout.side(number, pages: pages)
        case .roll(let layout):
            return layout.side(number, page: pages[0].index, pages[0].size, piece: piece)
        }
    }
}
