import KioskPrintModel

/// The layout of a document on a roll that is cut to each page.
struct RollLayout: Sendable {
    /// The roll's width in hundredths of a millimetre.
    private let width: Int
    private let lengths: ClosedRange<Int>
    private let margins: Medium.Margins
    private let dpi: Int
    private let rule: ScalingRule
    private let turns: PageTurns

    init(
        _ paper: SelectedPaper, cutTo lengths: ClosedRange<Int>, dpi: Int, rule: ScalingRule, turns: PageTurns
    ) {
        width = paper.width
        self.lengths = lengths
        margins = paper.margins
        self.dpi = dpi
        self.rule = rule
        self.turns = turns
    }

    /// How many pieces a page is cut into: more than one where it is longer than the roll is cut.
    func pieces(of page: PageSize) -> Int { cut(page).pieces }

    /// The length of a page's first piece, in hundredths of a millimetre.
    func height(of page: PageSize) -> Int { cut(page).length(0, atLeast: lengths.lowerBound) }

    /// How large a page is on the roll; 1 where it is as large as it is.
    func scale(of page: PageSize) -> Double { cut(page).scale }

    /// One piece of a page.
    func side(_ number: (sheet: Int, isBack: Bool), page index: Int, _ page: PageSize, piece: Int) -> PlannedSide {
        let cut = cut(page)
        let side = sheet(cut, length: cut.length(piece, atLeast: lengths.lowerBound))
        let clip = clip(cut, side)
        let extent = cut.turn.extent(of: page)
        // Along the roll, the paper is as long as the page.
        let scale = PagePlacement.dotsPerPoint(cut.fitting, (extent.width, 0), clip, side)
        let left = Double(clip.left) + (Double(clip.width) - extent.width * scale) / 2
        // Pieces continue each other dot by dot.
        let above = piece * self.clip(cut, sheet(cut, length: cut.longest)).height
        let matrix = cut.turn.matrix(of: page, scale: scale, left: left.rounded(), top: Double(clip.top - above))
        return PlannedSide(
            sheet: number.sheet, isBack: number.isBack, side,
            cells: [PlacedPage(page: index, matrix: matrix, clip: clip)])
    }

    /// A page on the roll: how it lies, and the length that it takes in hundredths of a millimetre.
    private struct Cut {
        var turn: Turn
        var fitting: Fitting
        var scale: Double
        /// The length of the page alone.
        var body: Int
        /// The border above and below.
        var border: Int
        /// The length of the paper for one piece at most.
        var longest: Int

        var pieces: Int {
            guard body + border > longest else { return 1 }
            let usable = longest - border
            return (body + usable - 1) / usable
        }

        func length(_ piece: Int, atLeast shortest: Int) -> Int {
            let rest = body - piece * (longest - border)
            return max(shortest, min(rest + border, longest))
        }
    }

    private func cut(_ page: PageSize) -> Cut {
        let sheet = Sheet(width: width, height: MediaName.maximumLength, margins: margins, dpi: dpi)
        let turn = turns.turn(of: page, onLabel: width, height: nil)
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
        // What is longer by less than a hundredth of a unit comes from the points that it was computed in.
        let body = min((PaperSize.unrounded(extent.height * scale) - 0.01).rounded(.up), Self.longestBody)
        return Cut(
            turn: turn, fitting: fitting, scale: scale, body: max(1, Int(body)),
            border: border < lengths.upperBound ? border : 0,
            longest: lengths.upperBound)
    }

    /// Longer than any page: 10,000 km, which numbers hold in any unit.
    private static let longestBody = 1e12

    /// The paper of a piece. Pages that are not fitted use it up to its edges.
    private func sheet(_ cut: Cut, length: Int) -> Sheet {
        var margins = margins
        if cut.border == 0 { (margins.top, margins.bottom) = (0, 0) }
        return Sheet(width: width, height: length, margins: margins, dpi: dpi)
    }

    private func clip(_ cut: Cut, _ sheet: Sheet) -> DotRectangle {
        sheet.dots(in: cut.fitting == .fit ? sheet.printable : sheet.area)
    }
}
