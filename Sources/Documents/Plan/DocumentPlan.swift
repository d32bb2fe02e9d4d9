package import KioskPrintModel

/// The plan of a document: which page lies where on which side of which sheet of which paper, and in which order the
/// sides are sent. It has no pixels, and computes each side when it is asked for.
package struct DocumentPlan: Sendable {
    /// The paper of all sheets.
    package let paper: SelectedPaper
    /// The sides of one copy, with a blank last one where the next copy must begin on a new sheet.
    package let sideCount: Int
    /// How often the document is printed.
    package let copies: Int
    /// Whether each copy is complete before the next one begins.
    package let isCollated: Bool
    /// What people are to know, as sentences without a full stop.
    package let remarks: [String]
    /// What of the ticket is left for the printer: what the plan has applied is taken out, and `media` and `sides` are
    /// those of the plan.
    package let remaining: Ticket

    private let pages: [PageSize]
    private let settings: PlanSettings
    private let arrangement: Arrangement

    /// Plans a document.
    /// - Parameters:
    ///   - pages: The sizes of all pages of the document.
    ///   - ticket: The settings of the job, with the role's defaults.
    ///   - support: What the printer says of its paper; nil where nothing is known.
    ///   - settings: What holds for the printer and the language of its sides.
    package init(
        pages: [PageSize], ticket: Ticket, support: PageSupport?, settings: PlanSettings
    ) throws(PlanProblem) {
        guard (1...9600).contains(settings.dpi) else {
            throw PlanProblem(
                .resolution, "the output has \(settings.dpi) dots per inch; choose another printer-resolution")
        }
        let selection = try PageSelection(ticket, settings.preferences, pageCount: pages.count)
        if let page = selection.pages.first(where: { !pages[$0].isUsable }) {
            throw PlanProblem(
                .pageSize,
                "page \(page + 1) is \(pages[page].width) × \(pages[page].height) points; print pages from 1 to \(Int(PageSize.edges.upperBound)) points"
            )
        }
        let first = pages[selection.pages[0]]
        let chosen = try BestPaper(support, ticket: ticket, settings: settings).selection(for: first)
        let arrangement = try Arrangement(
            selection.pages, pages, on: chosen.paper, ticket, settings, landscape: support?.landscape)
        var paper = chosen.paper
        if paper.cutLengths != nil {
            paper.height = arrangement.layout.height(of: first)
            paper.name = MediaName.custom(width: paper.width, height: paper.height)
        }
        try arrangement.checkDots(paper, pages, settings)

        self.pages = pages
        self.settings = settings
        self.arrangement = arrangement
        self.paper = paper
        copies = min(max(1, ticket.copies ?? 1), Self.mostCopies)
        isCollated = ticket.documentHandling != .uncollatedCopies
        let needsBlank = arrangement.isTwoSided && copies > 1 && !settings.printerMakesCopies
        sideCount = arrangement.sideCount + (needsBlank ? arrangement.sideCount % 2 : 0)
        let isScalingOurs = ticket.scaling == nil && (settings.kind != .sheets || paper.medium.isRoll)
        remarks =
            [selection.remark, chosen.remark].compactMap(\.self)
            + arrangement.remarks(pages, paper, isScalingOurs: isScalingOurs)
        remaining = Self.remaining(of: ticket, paper, arrangement.sides, settings)
    }

    /// More than anybody prints of a label.
    private static let mostCopies = 1_000_000

    /// The pages of the document that are printed, from 0, ascending.
    package var documentPages: [Int] { arrangement.documentPages }
    /// One side or both, as sheets are really printed: a single side is one-sided whatever the ticket says.
    package var sides: Ticket.Sides { arrangement.sides }
}

// The sides.
extension DocumentPlan {
    /// A side of a copy, as it is sent. `index` is from 0 to `sideCount` - 1.
    package func side(_ index: Int) -> PlannedSide {
        precondition(index >= 0 && index < sideCount)
        let number =
            arrangement.isTwoSided ? (sheet: index / 2, isBack: index % 2 == 1) : (sheet: index, isBack: false)
        // A blank back behind the last page is as large as its front.
        let isBlank = index >= arrangement.sideCount
        let content = arrangement.content(of: isBlank ? index - 1 : index)
        var side = arrangement.layout.side(
            number, pages: content.pages.map { (index: $0, size: pages[$0]) }, piece: content.piece)
        if isBlank { (side.cells, side.frames) = ([], []) }
        if number.isBack, let sheetBack = settings.sheetBack { BackSide(sheetBack, sides).apply(to: &side) }
        return side
    }

    /// The sides of all copies that are sent, as indices for `side(_:)`. A printer that makes the copies itself is sent
    /// one.
    package var copySequence: CopySequence {
        CopySequence(
            sideCount: sideCount, copies: settings.printerMakesCopies ? 1 : copies, isCollated: isCollated,
            sidesPerSheet: arrangement.isTwoSided ? 2 : 1)
    }
}

extension DocumentPlan {
    /// What is applied here is not asked for a second time: some printers would do it again.
    private static func remaining(
        of ticket: Ticket, _ paper: SelectedPaper, _ sides: Ticket.Sides, _ settings: PlanSettings
    ) -> Ticket {
        var ticket = ticket
        ticket.pageRanges = nil
        ticket.numberUp = nil
        ticket.orientation = nil
        ticket.scaling = nil
        ticket.pageBorder = nil
        ticket.resolution = nil
        if !settings.printerMakesCopies { (ticket.copies, ticket.documentHandling) = (nil, nil) }
        ticket.sides = sides
        ticket.media = paper.name
        return ticket
    }
}
