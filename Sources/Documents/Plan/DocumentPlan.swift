package import KioskPrintModel

/// The plan of a document: which page lies where on which side of which sheet of which paper, and in which order the
/// sides are sent. It has no pixels, and computes each side when it is asked for.
package struct DocumentPlan: Sendable {
    /// The paper of all sheets.
    package let paper: SelectedPaper
    /// The pages of the document that are printed, from 0, ascending.
    package let documentPages: [Int]
    /// The sides of one copy, with a blank last one where the next copy must begin on a new sheet.
    package let sideCount: Int
    /// How often the document is printed.
    package let copies: Int
    /// Whether each copy is complete before the next one begins.
    package let isCollated: Bool
    /// One side or both, as sheets are really printed: a single side is one-sided whatever the ticket says.
    package let sides: Ticket.Sides
    /// What people are to know, as sentences without a full stop.
    package let remarks: [String]
    /// What of the ticket is left for the printer: what the plan has applied is taken out, and `media` and `sides` are
    /// those of the plan.
    package let remaining: Ticket

    private let pages: [PageSize]
    private let layout: DocumentLayout
    private let settings: PlanSettings
    /// The pieces of pages of which one is longer than its roll is cut; nil where each page is one piece.
    private let pieces: [PagePiece]?

    /// A part of a page.
    private struct PagePiece: Hashable, Sendable {
        var page: Int
        var piece: Int
    }

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
        documentPages = selection.pages
        if let page = selection.pages.first(where: { !pages[$0].isUsable }) {
            throw PlanProblem(
                .pageSize,
                "page \(page + 1) is \(pages[page].width) × \(pages[page].height) points; print pages from 1 to \(Int(PageSize.edges.upperBound)) points"
            )
        }
        let printed = selection.pages.lazy.map { pages[$0] }
        let chosen = try BestPaper(support, ticket: ticket, settings: settings)
            .selection(for: pages[selection.pages[0]])
        let flat = try DocumentLayout(
            chosen.paper, pages: printed, ticket: ticket, settings: settings, landscape: support?.landscape,
            isTwoSided: false)
        let pieces = try Self.pieces(of: selection.pages, pages, flat, settings)
        let filled = ((pieces?.count ?? selection.pages.count) - 1) / flat.pagesPerSide + 1
        guard filled <= settings.maximumSides else {
            throw PlanProblem(.sideCount, "the document has \(filled) sides, and the limit is \(settings.maximumSides)")
        }
        sides = try Self.sides(ticket, settings, count: filled)
        let isTwoSided = sides != .oneSided
        layout =
            isTwoSided
            ? try DocumentLayout(
                chosen.paper, pages: printed, ticket: ticket, settings: settings, landscape: support?.landscape,
                isTwoSided: true) : flat
        copies = max(1, ticket.copies ?? 1)
        isCollated = ticket.documentHandling != .uncollatedCopies
        let needsBlank = isTwoSided && filled % 2 == 1 && copies > 1 && !settings.repeatsCopies
        sideCount = filled + (needsBlank ? 1 : 0)

        var paper = chosen.paper
        if paper.cutLengths != nil {
            paper.height = layout.height(of: pages[selection.pages[0]])
            paper.name = MediaName.custom(width: paper.width, height: paper.height)
        }
        self.paper = paper
        try Self.check(paper, printed.map { [layout] in layout.height(of: $0) }.max() ?? paper.height, settings)
        self.pages = pages
        self.pieces = pieces
        self.settings = settings
        remarks =
            [selection.remark, chosen.remark].compactMap(\.self)
            + Self.remarks(
                selection.pages, pages, paper, layout, isCut: pieces != nil,
                isUnasked: ticket.scaling == nil && (settings.kind != .sheets || paper.medium.isRoll))
        remaining = Self.remaining(of: ticket, paper, sides, settings)
    }
}

// The sides.
extension DocumentPlan {
    /// A side of a copy, as it is sent. `index` is from 0 to `sideCount` - 1.
    package func side(_ index: Int) -> PlannedSide {
        precondition(index >= 0 && index < sideCount)
        let isTwoSided = sides != .oneSided
        let number = isTwoSided ? (sheet: index / 2, isBack: index % 2 == 1) : (sheet: index, isBack: false)
        var side: PlannedSide
        if let pieces {
            let part = index < pieces.count ? pieces[index] : nil
            side = layout.side(
                number, pages: part.map { [(index: $0.page, size: pages[$0.page])] } ?? [], piece: part?.piece ?? 0)
        } else {
            let first = index * layout.pagesPerSide
            let last = min(first + layout.pagesPerSide, documentPages.count)
            let indices = first < last ? documentPages[first..<last] : []
            side = layout.side(number, pages: indices.map { (index: $0, size: pages[$0]) })
        }
        if number.isBack, let sheetBack = settings.sheetBack { BackSide(sheetBack, sides).apply(to: &side) }
        return side
    }

    /// The sides of all copies that are sent, as indices for `side(_:)`. A printer that makes the copies itself is sent
    /// one.
    package var copySequence: CopySequence {
        CopySequence(
            sideCount: sideCount, copies: settings.repeatsCopies ? 1 : copies, isCollated: isCollated,
            sidesPerSheet: sides == .oneSided ? 1 : 2)
    }
}

// What the plan is made from.
extension DocumentPlan {
    /// The pieces of all pages; nil where each page is one.
    private static func pieces(
        of selection: [Int], _ pages: [PageSize], _ layout: DocumentLayout, _ settings: PlanSettings
    ) throws(PlanProblem) -> [PagePiece]? {
        var count = 0
        for page in selection {
            count += layout.pieces(of: pages[page])
            guard count <= settings.maximumSides * layout.pagesPerSide else {
                throw PlanProblem(
                    .sideCount, "the document has more sides than the limit of \(settings.maximumSides)")
            }
        }
        guard count > selection.count else { return nil }
        return selection.flatMap { page in
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

    private static func check(
        _ paper: SelectedPaper, _ height: Int, _ settings: PlanSettings
    ) throws(PlanProblem) {
        let sheet = Sheet(width: paper.width, height: height, margins: paper.margins, dpi: settings.dpi)
        let (dots, isTooLarge) = sheet.widthInDots.multipliedReportingOverflow(by: sheet.heightInDots)
        guard !isTooLarge, dots <= settings.maximumSideDots else {
            throw PlanProblem(
                .sideSize,
                "a side of \(sheet.widthInDots) × \(sheet.heightInDots) dots is over the limit of \(settings.maximumSideDots); print it with fewer dots per inch, or on smaller paper"
            )
        }
    }

    private static func remarks(
        _ selection: [Int], _ pages: [PageSize], _ paper: SelectedPaper, _ layout: DocumentLayout, isCut: Bool,
        isUnasked: Bool
    ) -> [String] {
        var remarks: [String] = []
        if isUnasked, let page = selection.first(where: { layout.isScaled(pages[$0]) == true }) {
            let others =
                paper.cutLengths == nil ? paper.size.text : "\(MediaName.millimetres(paper.width)) mm wide paper"
            remarks.append(
                "page \(page + 1) of \(PaperSize(pages[page]).text) is scaled to \(others): print-scaling=none prints it as it is"
            )
        }
        if isCut, let lengths = paper.cutLengths,
            let page = selection.first(where: { layout.pieces(of: pages[$0]) > 1 })
        {
            remarks.append(
                "page \(page + 1) is longer than the roll is cut, \(MediaName.millimetres(lengths.upperBound)) mm: it is printed in \(layout.pieces(of: pages[page])) pieces"
            )
        }
        return remarks
    }

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
        if !settings.repeatsCopies { (ticket.copies, ticket.documentHandling) = (nil, nil) }
        ticket.sides = sides
        ticket.media = paper.name
        return ticket
    }
}
