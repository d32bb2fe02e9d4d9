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

    /// The turn of a page on a label, or on a roll that is so wide. Labels are often wider than long: a page is turned
    /// only where it fits across no other way, or has the label's very size when turned.
    func turn(of page: PageSize, onLabel width: Int, height: Int?) -> Turn {
        if let requested { return requested }
        let page = PaperSize(page)
        let tolerance = PaperSize.Tolerance.labels
        if abs(page.width - width) <= tolerance.across { return .none }
        if abs(page.height - width) <= tolerance.across, height.map({ abs(page.width - $0) <= tolerance.along }) ?? true
        {
            return landscape
        }
        if page.width <= width + PaperSize.Tolerance.overhang { return .none }
        return page.height <= width + PaperSize.Tolerance.overhang ? landscape : .none
    }
}
