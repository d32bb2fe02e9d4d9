import KioskPrintModel

/// The choice of each page's turn: what the ticket asks for, or what the page's edges suggest.
struct PageTurns: Hashable, Sendable {
    /// The turn that the ticket asks for.
    let requested: Turn?
    /// The turn of pages that lie across.
    let landscape: Turn

    /// `landscape`: the printer's `landscape-orientation-requested-preferred`.
    init(_ ticket: Ticket, landscape: Ticket.Orientation?) {
        requested = ticket.orientation.map { Turn($0) }
        self.landscape = landscape == .reverseLandscape ? .clockwise : .anticlockwise
    }

    /// The turn of a page in a place that is for wide pages or for high ones; `square` where page or place are neither.
    func turn(of page: PageSize, inWidePlace isWidePlace: Bool?, square: Turn) -> Turn {
        if let requested { return requested }
        guard let isWide = page.isWide, let isWidePlace else { return square }
        return isWide == isWidePlace ? .none : landscape
    }

    /// The turn of a page on a label, or on a roll where `height` is nil. Labels are often wider than long: a page that
    /// fits across is turned only where it has the label's very size when turned. A roll is high.
    func turn(of page: PageSize, onLabel width: Int, height: Int?) -> Turn {
        if let requested { return requested }
        let size = PaperSize(page)
        let tolerance = PaperSize.Tolerance.labels
        if abs(size.width - width) <= tolerance.across { return .none }
        if abs(size.height - width) <= tolerance.across, height.map({ abs(size.width - $0) <= tolerance.along }) ?? true
        {
            return landscape
        }
        if size.width <= width + PaperSize.Tolerance.overhang { return .none }
        return turn(of: page, inWidePlace: height.map { width > $0 } ?? false, square: .none)
    }
}
