import KioskPrintModel

/// The layout of one document: which turn, size and place each page has on its side.
struct SheetLayout: Sendable {
    private let paper: SelectedPaper
    private let dpi: Int
    private let margins: Medium.Margins
    private let rule: ScalingRule
    private let border: Ticket.PageBorder
    private let isLabel: Bool
    /// The turn that the ticket asks for.
    private let requestedTurn: Turn?
    /// The turn of pages that lie across.
    private let landscape: Turn
    private let grid: NumberUpGrid
    /// The turn of the side as its reader holds it, where it has several cells.
    private let sideTurn: Turn
    /// The height of a side in hundredths of a millimetre; nil where a roll is cut to each page.
    private let height: Int?

    /// `pages`: those that are printed.
    init(
        _ paper: SelectedPaper, pages: some Collection<PageSize>, ticket: Ticket, settings: PlanSettings,
        landscape: Ticket.Orientation?, isTwoSided: Bool
    ) throws(PlanProblem) {
        self.paper = paper
        dpi = settings.dpi
        isLabel = settings.kind != .sheets || paper.medium.isRoll
        rule = ScalingRule(ticket, settings.preferences, isLabel: isLabel)
        border = ticket.pageBorder ?? .none
        requestedTurn = ticket.orientation.map { Turn($0) }
        self.landscape = landscape == .reverseLandscape ? .clockwise : .anticlockwise
        let count = ticket.numberUp ?? 1
        let hasCells = count > 1 || border != Ticket.PageBorder.none
        height =
            switch paper.cutLengths {
            case nil: paper.height
            case let lengths? where hasCells: Self.height(of: paper, lengths, for: pages.first)
            case _?: nil
            }
        margins = isTwoSided && height != nil ? paper.margins.ofBothSides : paper.margins
        let sheet = Sheet(width: paper.width, height: height ?? paper.width, margins: margins, dpi: dpi)
        guard let grid = NumberUpGrid(count, onWideSheet: sheet.width > sheet.height) else {
            throw PlanProblem(.numberUp, "number-up is \(count); write 1, 2, 4, 6, 8, 9, 12 or 16")
        }
        self.grid = grid
        let cell = grid.place((0, 0), in: sheet.printable)
        let isAcross = Self.areWide(pages).map { $0 != (cell.width > cell.height) } ?? false
        sideTurn = requestedTurn ?? (isAcross ? self.landscape : .none)
    }

    /// The pages on a side.
    var pagesPerSide: Int { grid.count }

    private var hasCells: Bool { grid.count > 1 || border != Ticket.PageBorder.none }

    /// The height of a roll's side that has cells: in the proportions of its first page.
    private static func height(of paper: SelectedPaper, _ lengths: ClosedRange<Int>, for page: PageSize?) -> Int {
        guard let page, let isWide = page.isWide else { return clamp(paper.width, lengths) }
        let (short, long) = isWide ? (page.height, page.width) : (page.width, page.height)
        return clamp(Int(min(Double(paper.width) * long / short, Double(MediaName.maximumLength))), lengths)
    }

    /// What most pages are: wide, or high. The first decides where there are as many of both; nil where all are square.
    private static func areWide(_ pages: some Collection<PageSize>) -> Bool? {
        var balance = 0
        for page in pages { if let isWide = page.isWide { balance += isWide ? 1 : -1 } }
        return balance == 0 ? pages.lazy.compactMap(\.isWide).first : balance > 0
    }

    private static func clamp(_ length: Int, _ range: ClosedRange<Int>) -> Int {
        min(max(length, range.lowerBound), range.upperBound)
    }
}

// One side.
extension SheetLayout {
    /// The side with these pages, as its reader sees it. `piece`: the part of a page that is longer than the roll is
    /// cut.
    func side(
        _ number: (sheet: Int, isBack: Bool), pages: [(index: Int, size: PageSize)], piece: Int = 0
    ) -> PlannedSide {
        if height == nil, let page = pages.first { return endlessSide(number, page.index, page.size, piece) }
        let sheet = Sheet(width: paper.width, height: height ?? paper.height, margins: margins, dpi: dpi)
        var side = Self.blank(number, sheet)
        guard hasCells else {
            for page in pages {
                let place = PagePlace(area: sheet.area, printable: sheet.printable)
                side.cells.append(placed(page.index, page.size, turn(of: page.size, on: sheet), on: place, sheet))
            }
            return side
        }
        for (position, page) in pages.enumerated() {
            var place = grid.place(grid.cell(position, seenBy: sideTurn), in: sheet.printable)
            side.frames += frames(in: &place, sheet)
            let turn = turn(of: page.size, in: place)
            side.cells.append(
                placed(page.index, page.size, turn, on: PagePlace(area: place, printable: place, isCell: true), sheet))
        }
        return side
    }

    private static func blank(_ number: (sheet: Int, isBack: Bool), _ sheet: Sheet) -> PlannedSide {
        PlannedSide(
            sheet: number.sheet, isBack: number.isBack, width: sheet.widthInDots, height: sheet.heightInDots,
            paperWidth: sheet.width, paperHeight: sheet.height)
    }

    /// The page on its place. Its corner lies on a whole dot, so that it is drawn the same wherever it stands.
    private func placed(
        _ index: Int, _ page: PageSize, _ turn: Turn, on place: PagePlace, _ sheet: Sheet
    ) -> PlacedPage {
        let fitting = rule.fitting(of: page, turn, on: place)
        let target = fitting == .fit ? place.printable : place.area
        let extent = turn.extent(of: page)
        let scale = Self.scale(fitting, extent, target)
        let left = target.left + (target.width - extent.width * scale) / 2
        let top = target.top + (target.height - extent.height * scale) / 2
        let matrix = turn.matrix(
            of: page, scale: scale * sheet.dotsPerPoint, left: (left * sheet.dotsPerPoint).rounded(),
            top: (top * sheet.dotsPerPoint).rounded())
        return PlacedPage(page: index, matrix: matrix, clip: sheet.dots(in: target))
    }

    private static func scale(
        _ fitting: Fitting, _ extent: (width: Double, height: Double), _ target: PageRectangle
    ) -> Double {
        let (across, along) = (target.width / extent.width, target.height / extent.height)
        return switch fitting {
        case .exact: 1
        case .fit: min(across, along)
        case .cover: max(across, along)
        }
    }

    /// The frames of a cell, which becomes smaller by them.
    private func frames(in place: inout PageRectangle, _ sheet: Sheet) -> [PlannedFrame] {
        let (lines, points): (Int, Double) =
            switch border {
            case .none: (0, 0)
            case .single: (1, Self.thinLine)
            case .singleThick: (1, 2 * Self.thinLine)
            case .double: (2, Self.thinLine)
            case .doubleThick: (2, 2 * Self.thinLine)
            }
        let lineWidth = max(1, Int((points * sheet.dotsPerPoint).rounded()))
        var frames: [PlannedFrame] = []
        for _ in 0..<lines {
            place = place.inset(by: Self.frameDistance)
            frames.append(PlannedFrame(rectangle: sheet.dots(in: place), lineWidth: lineWidth))
            place = place.inset(by: Double(lineWidth) / sheet.dotsPerPoint)
        }
        if lines > 0 { place = place.inset(by: Self.frameDistance) }
        return frames
    }

    /// The width of a thin line, and the distance of frames from each other and from their pages, in points: about as
    /// CUPS draws them.
    private static let thinLine = 0.5
    private static let frameDistance = 2.25
}

// Turns.
extension SheetLayout {
    /// The turn of a page in a cell.
    private func turn(of page: PageSize, in cell: PageRectangle) -> Turn {
        if let requestedTurn { return requestedTurn }
        guard let isWide = page.isWide else { return sideTurn }
        return isWide == (cell.width > cell.height) ? .none : landscape
    }

    /// The turn of a page that has its sheet for itself.
    private func turn(of page: PageSize, on sheet: Sheet) -> Turn {
        if let requestedTurn { return requestedTurn }
        if isLabel { return turn(of: PaperSize(page), onLabel: sheet) }
        let isWideSheet = isWiderThanHigh(sheet.area.width, sheet.area.height)
        guard let isWide = page.isWide, let isWideSheet else { return .none }
        return isWide == isWideSheet ? .none : landscape
    }

    /// Labels are often wider than long: a page is turned only where it fits across no other way, or has the label's
    /// very size when turned.
    private func turn(of page: PaperSize, onLabel sheet: Sheet) -> Turn {
        let tolerance = PaperSize.Tolerance.labels
        let label = PaperSize(width: sheet.width, height: sheet.height)
        if abs(page.width - label.width) <= tolerance.across { return .none }
        let isAsWide = abs(page.height - label.width) <= tolerance.across
        if isAsWide, height == nil || page.turned.difference(to: label, tolerance) != nil { return landscape }
        if page.width <= label.width + PaperSize.Tolerance.overhang { return .none }
        return page.height <= label.width + PaperSize.Tolerance.overhang ? landscape : .none
    }
}

// Rolls that are cut to each page.
extension SheetLayout {
    /// A page on a roll: its turn, how it fits, and the length that it takes.
    private struct EndlessPage {
        var turn: Turn
        var fitting: Fitting
        var scale: Double
        /// The length of the page alone, in hundredths of a millimetre.
        var body: Int
        /// The border above and below.
        var border: Int
        /// The length of the paper for one piece at most.
        var longest: Int

        /// How many pieces the page is cut into.
        var pieces: Int {
            guard body + border > longest else { return 1 }
            let usable = longest - border
            return (body + usable - 1) / usable
        }

        func length(_ piece: Int, atLeast shortest: Int) -> Int {
            guard pieces > 1 else { return max(shortest, body + border) }
            let rest = body - piece * (longest - border)
            return max(shortest, min(rest + border, longest))
        }
    }

    /// How many pieces a page is cut into: more than one where it is longer than the roll is cut.
    func pieces(of page: PageSize) -> Int {
        guard height == nil, let lengths = paper.cutLengths else { return 1 }
        return endless(page, lengths).pieces
    }

    /// The longest side that a page has, in hundredths of a millimetre.
    func height(of page: PageSize) -> Int {
        guard height == nil, let lengths = paper.cutLengths else { return height ?? paper.height }
        return endless(page, lengths).length(0, atLeast: lengths.lowerBound)
    }

    private func endless(_ page: PageSize, _ lengths: ClosedRange<Int>) -> EndlessPage {
        let sheet = Sheet(width: paper.width, height: MediaName.maximumLength, margins: margins, dpi: dpi)
        let turn = turn(of: page, on: sheet)
        let extent = turn.extent(of: page)
        var (area, printable) = (sheet.area, sheet.printable)
        area.bottom = extent.height
        printable.bottom = max(printable.top, extent.height - Sheet.points(margins.bottom))
        let place = PagePlace(area: area, printable: printable, isEndless: true)
        let fitting = rule.fitting(of: page, turn, on: place)
        let scale =
            switch fitting {
            case .exact: 1.0
            case .fit: printable.width / extent.width
            case .cover: area.width / extent.width
            }
        let border = fitting == .fit ? margins.top + margins.bottom : 0
        // What a page is longer by than a hundredth of a dot gets paper too.
        let body = min((extent.height * scale * 2540 / 72 - 0.01).rounded(.up), 1e12)
        return EndlessPage(
            turn: turn, fitting: fitting, scale: scale, body: max(1, Int(body)),
            border: border < lengths.upperBound ? border : 0, longest: lengths.upperBound)
    }

    private func endlessSide(
        _ number: (sheet: Int, isBack: Bool), _ index: Int, _ page: PageSize, _ piece: Int
    ) -> PlannedSide {
        let lengths = paper.cutLengths ?? 1...MediaName.maximumLength
        let endless = endless(page, lengths)
        let length = endless.length(piece, atLeast: lengths.lowerBound)
        let bordered = endless.border > 0
        let sheet = Sheet(
            width: paper.width, height: length,
            margins: bordered
                ? margins : Medium.Margins(top: 0, left: margins.left, bottom: 0, right: margins.right), dpi: dpi)
        let full = Sheet(width: paper.width, height: endless.longest, margins: sheet.margins, dpi: dpi)
        let target = endless.fitting == .fit ? sheet.printable : sheet.area
        let clip = sheet.dots(in: target)
        let extent = endless.turn.extent(of: page)
        let left = target.left + (target.width - extent.width * endless.scale) / 2
        // Pieces continue each other dot by dot.
        let above = piece * full.dots(in: endless.fitting == .fit ? full.printable : full.area).height
        let matrix = endless.turn.matrix(
            of: page, scale: endless.scale * sheet.dotsPerPoint, left: (left * sheet.dotsPerPoint).rounded(),
            top: Double(clip.top - above))
        var side = Self.blank(number, sheet)
        side.cells = [PlacedPage(page: index, matrix: matrix, clip: clip)]
        return side
    }

    /// Whether a page is scaled though nobody asked for it, since it has another size than the label.
    func isScaledUnasked(_ page: PageSize) -> Bool {
        guard rule.isDefaultOfLabels, !hasCells else { return false }
        if height == nil, let lengths = paper.cutLengths { return endless(page, lengths).fitting != .exact }
        let sheet = Sheet(width: paper.width, height: height ?? paper.height, margins: margins, dpi: dpi)
        let place = PagePlace(area: sheet.area, printable: sheet.printable)
        return rule.fitting(of: page, turn(of: page, on: sheet), on: place) != .exact
    }
}
