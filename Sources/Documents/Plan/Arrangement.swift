import KioskPrintModel

/// The pages of a document that are printed, and how they come upon sides.
struct Arrangement: Sendable {
    /// From 0, ascending.
    let documentPages: [Int]
    let layout: DocumentLayout
    /// One side or both, as sheets are really printed.
    let sides: Ticket.Sides
    /// The sides of a copy that something is drawn on.
    let sideCount: Int
    /// The pieces of all pages, of which one is longer than its roll is cut; nil where each page is one piece.
    private let pieces: [PagePiece]?

    /// A part of a page.
    private struct PagePiece: Hashable, Sendable {
        var page: Int
        var piece: Int
    }

    var isTwoSided: Bool { sides != .oneSided }

    init(
        _ documentPages: [Int], _ pages: [PageSize], on paper: SelectedPaper, _ ticket: Ticket,
        _ settings: PlanSettings, landscape: Ticket.Orientation?
    ) throws(PlanProblem) {
        self.documentPages = documentPages
        let printed = documentPages.lazy.map { pages[$0] }
        let oneSided = try DocumentLayout(
            paper, pages: printed, ticket: ticket, settings: settings, landscape: landscape, isTwoSided: false)
        pieces = try Self.pieces(of: documentPages, pages, oneSided, settings)
        sideCount = ((pieces?.count ?? documentPages.count) - 1) / oneSided.pagesPerSide + 1
        guard sideCount <= settings.maximumSides else { throw Self.tooManySides(settings) }
        sides = try Self.sides(ticket, settings, count: sideCount)
        layout =
            sides == .oneSided
            ? oneSided
            : try DocumentLayout(
                paper, pages: printed, ticket: ticket, settings: settings, landscape: landscape, isTwoSided: true)
    }

    private static func tooManySides(_ settings: PlanSettings) -> PlanProblem {
        PlanProblem(
            .sideCount,
            "the document has more sides than the limit of \(settings.maximumSides); print some of its pages")
    }

    private static func pieces(
        of documentPages: [Int], _ pages: [PageSize], _ layout: DocumentLayout, _ settings: PlanSettings
    ) throws(PlanProblem) -> [PagePiece]? {
        var count = 0
        for page in documentPages {
            count += layout.pieces(of: pages[page])
            guard count / layout.pagesPerSide <= settings.maximumSides else { throw tooManySides(settings) }
        }
        guard count > documentPages.count else { return nil }
        return documentPages.flatMap { page in
            (0..<layout.pieces(of: pages[page])).map { PagePiece(page: page, piece: $0) }
        }
    }

    /// One side or both: a single side is one-sided. What the document prefers counts only where the printer does it.
    private static func sides(
        _ ticket: Ticket, _ settings: PlanSettings, count: Int
    ) throws(PlanProblem) -> Ticket.Sides {
        guard count > 1 else { return .oneSided }
        guard let wanted = ticket.sides else {
            return settings.preferences.sides.flatMap { settings.sides.contains($0) ? $0 : nil } ?? .oneSided
        }
        guard wanted == .oneSided || settings.sides.contains(wanted) else {
            throw PlanProblem(
                .sides,
                "the printer takes no sides=\(wanted.rawValue); print it with another value, or on another printer")
        }
        return wanted
    }

    /// What lies on a side, from 0 to `sideCount` - 1: pages, or a piece of one.
    func content(of side: Int) -> (pages: [Int], piece: Int) {
        if let pieces { return ([pieces[side].page], pieces[side].piece) }
        let first = side * layout.pagesPerSide
        return (Array(documentPages[first..<min(first + layout.pagesPerSide, documentPages.count)]), 0)
    }

    /// Refuses sides with more dots than the limit.
    func checkDots(_ paper: SelectedPaper, _ pages: [PageSize], _ settings: PlanSettings) throws(PlanProblem) {
        let height = documentPages.lazy.map { layout.height(of: pages[$0]) }.max() ?? paper.height
        let sheet = Sheet(width: paper.width, height: height, margins: paper.margins, dpi: settings.dpi)
        let (dots, isTooLarge) = sheet.widthInDots.multipliedReportingOverflow(by: sheet.heightInDots)
        guard !isTooLarge, dots <= settings.maximumSideDots else {
            throw PlanProblem(
                .sideSize,
                "a side of \(sheet.widthInDots) × \(sheet.heightInDots) dots is over the limit of \(settings.maximumSideDots); print it with fewer dots per inch, or on smaller paper"
            )
        }
    }

    /// What people are to know of scaled pages and of those in pieces. `isScalingOurs`: nobody said how pages are scaled,
    /// and labels are involved.
    func remarks(_ pages: [PageSize], _ paper: SelectedPaper, isScalingOurs: Bool) -> [String] {
        var remarks: [String] = []
        if isScalingOurs, let page = documentPages.first(where: { layout.isScaled(pages[$0]) == true }) {
            let others =
                paper.cutLengths == nil ? paper.size.text : "\(MediaName.millimetres(paper.width)) mm wide paper"
            remarks.append(
                "page \(page + 1) of \(PaperSize(pages[page]).text) is scaled to \(others): print-scaling=none prints it as it is"
            )
        }
        if pieces != nil, let lengths = paper.cutLengths,
            let page = documentPages.first(where: { layout.pieces(of: pages[$0]) > 1 })
        {
            remarks.append(
                "page \(page + 1) is longer than the roll is cut, \(MediaName.millimetres(lengths.upperBound)) mm: it is printed in \(layout.pieces(of: pages[page])) pieces"
            )
        }
        return remarks
    }
}
