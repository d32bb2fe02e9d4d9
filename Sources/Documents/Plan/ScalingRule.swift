import KioskPrintModel

/// How large a page is on its place.
enum Fitting: Hashable, Sendable {
    /// As large as it is, in the middle; what lies outside is cut off.
    case exact
    /// As large as all of it fits into the printable area.
    case fit
    /// As small as it covers the whole place; what lies outside is cut off.
    case cover
}

/// A sheet or a cell of it, for one page.
struct PagePlace: Hashable, Sendable {
    /// The whole place.
    var area: PageRectangle
    /// The part of it that the printer can print on.
    var printable: PageRectangle
    /// Whether it is one of several cells of its side, or framed.
    var isCell = false
    /// Whether the paper is cut to the page's length, which therefore always fits.
    var isEndless = false
}

/// The values of `print-scaling` (PWG 5100.13), and what is done where nobody says.
struct ScalingRule: Hashable, Sendable {
    private let scaling: Ticket.Scaling?
    private let hasFidelity: Bool
    private let isUnscaled: Bool
    private let isLabel: Bool

    /// `isLabel`: for labels and rolls, whose pages are made for them.
    init(_ ticket: Ticket, _ preferences: DocumentPreferences, isLabel: Bool) {
        scaling = ticket.scaling
        hasFidelity = ticket.fidelity == true
        isUnscaled = preferences.isUnscaled
        self.isLabel = isLabel
    }

    func fitting(of page: PageSize, _ turn: Turn, on place: PagePlace) -> Fitting {
        switch scaling {
        case Ticket.Scaling.none?: return .exact
        case .fit?: return .fit
        case .fill?: return .cover
        case .autoFit?: return isTooLarge(page, turn, place) || hasFidelity ? .fit : .exact
        case .auto?:
            guard isTooLarge(page, turn, place) || hasFidelity else { return .exact }
            // Of several pages on a side, none is cropped.
            return place.area == place.printable && !place.isCell ? .cover : .fit
        case nil:
            if place.isCell { return isTooLarge(page, turn, place) ? .fit : .exact }
            if isLabel, isForLabel(page, turn, place) { return .exact }
            return (isLabel || !isUnscaled) && isTooLarge(page, turn, place) ? .fit : .exact
        }
    }

    /// Whether the page is larger than its place, or shows something where the printer cannot print. A page that
    /// reaches into the border with white alone is as large as its author made it.
    private func isTooLarge(_ page: PageSize, _ turn: Turn, _ place: PagePlace) -> Bool {
        let (width, height) = turn.extent(of: page)
        let overhang = Double(PaperSize.Tolerance.overhang) * 72 / 2540
        guard width <= place.area.width + overhang, place.isEndless || height <= place.area.height + overhang else {
            return true
        }
        guard let content = page.content else { return false }
        let bounds = turn.bounds(of: content, on: page)
        let left = place.area.left + (place.area.width - width) / 2
        let top = place.isEndless ? place.area.top : place.area.top + (place.area.height - height) / 2
        var printable = place.printable
        if place.isEndless { (printable.top, printable.bottom) = (-.infinity, .infinity) }
        return !printable.holds(
            PageRectangle(
                left: left + bounds.left, top: top + bounds.top, right: left + bounds.right, bottom: top + bounds.bottom
            ),
            overhang: overhang)
    }

    /// Whether the page has the label's size, but for the tolerance. One with the label's width alone, or its height,
    /// would hardly change its size, and lose its sharpness.
    private func isForLabel(_ page: PageSize, _ turn: Turn, _ place: PagePlace) -> Bool {
        let (width, height) = turn.extent(of: page)
        let across = Double(PaperSize.Tolerance.labels.across) * 72 / 2540
        let along = Double(PaperSize.Tolerance.labels.along) * 72 / 2540
        let (wider, longer) = (width - place.area.width, place.isEndless ? -.infinity : height - place.area.height)
        return wider <= across && longer <= along && (wider >= -across || longer >= -along)
    }
}
