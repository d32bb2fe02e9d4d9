import KioskPrintModel

/// The choice of the paper for a page: what the ticket names, or the best of what the printer has.
struct BestPaper: Sendable {
    private let stock: PaperStock
    private let ticket: Ticket
    private let settings: PlanSettings

    init(_ support: PageSupport?, ticket: Ticket, settings: PlanSettings) {
        stock = PaperStock(support)
        self.ticket = ticket
        self.settings = settings
    }

    /// A paper, and a remark for people, as a sentence without a full stop.
    struct Selection: Hashable {
        var paper: SelectedPaper
        var remark: String?
    }

    func selection(for page: PageSize) throws(PlanProblem) -> Selection {
        if let name = ticket.media { return try requested(name, page) }
        let wanted = PaperSize(page)
        if stock.isUnknown { return selection(of: unknownPaper(for: wanted), for: wanted, page, .standard) }
        let loaded = matching(stock.loaded)
        if let found = equal(to: wanted, among: loaded, includingRanges: stock.knowsLoaded || settings.kind != .sheets)
        {
            return selection(of: found, for: wanted, page, .equal)
        }
        if let roll = roll(asWideAs: wanted, among: loaded) { return selection(of: roll, for: wanted, page, .roll) }
        if let larger = larger(than: wanted, among: loaded) { return selection(of: larger, for: wanted, page, .larger) }
        if settings.asksForPaper, stock.knowsLoaded,
            let found = equal(to: wanted, among: matching(stock.supported), includingRanges: false)
        {
            var selection = selection(of: found, for: wanted, page, .notLoaded)
            selection.remark = Self.notLoaded(selection.paper.name)
            return selection
        }
        let standard = standard(among: loaded)
        var selection = selection(of: standard, for: wanted, page, .standard)
        let paper = standard.isRoll ? "\(MediaName.millimetres(standard.width)) mm wide paper" : selection.paper.name
        selection.remark = "no loaded paper holds a page of \(wanted.text): it is printed on \(paper)"
        return selection
    }

    private static func notLoaded(_ name: String) -> String { "\(name) is not loaded: the printer asks for it" }
}

// What the ticket names.
extension BestPaper {
    private func requested(_ name: String, _ page: PageSize) throws(PlanProblem) -> Selection {
        guard let size = size(named: name) else {
            throw PlanProblem(
                .media,
                "media is \(name.withoutControlCharacters), which has no size; write one such as iso_a4_210x297mm")
        }
        let isThere = { (medium: Medium) in
            // A roll without a length is of any.
            let wanted = PaperSize(
                width: size.width, height: size.height > 0 || !medium.isRoll ? size.height : medium.height)
            return medium.name == name || medium.nearest(to: wanted).difference(to: wanted, .names) != nil
        }
        let found = matching(stock.all.filter(isThere))
        let believed = Medium(width: size.width, height: size.height, isRoll: MediaName(name)?.kind == .roll)
        guard let medium = found.first ?? (stock.isUnknown ? believed : nil) else {
            throw PlanProblem(
                .media,
                "the printer has no \(name.withoutControlCharacters); print on another paper, or on another printer")
        }
        var selection = selection(of: medium, for: size, page, .requested)
        selection.paper.name = name
        (selection.paper.width, selection.paper.height) = (size.width, size.height)
        // With a length, the ticket says itself where the roll is cut.
        if size.height > 0, MediaName(name) != nil { selection.paper.cutLengths = nil }
        if stock.knowsLoaded, !stock.loaded.contains(where: isThere) { selection.remark = Self.notLoaded(name) }
        return selection
    }

    /// The size of a name, or of the printer's entry with a name that says none.
    private func size(named name: String) -> PaperSize? {
        if let size = MediaName(name), size.bound == nil { return PaperSize(width: size.width, height: size.height) }
        return stock.all.first { $0.name == name && !$0.isRange }?.size
    }

    /// The media with the ticket's source and type. Where none has them, they are the printer's affair, and all are
    /// left.
    private func matching(_ media: [Medium]) -> [Medium] {
        let source = ticket.mediaSource.flatMap { $0 == "auto" ? nil : $0 }
        let type = ticket.mediaType.flatMap { $0 == "auto" ? nil : $0 }
        let fromSource = source.map { source in media.filter { $0.source == source } } ?? []
        let remaining = fromSource.isEmpty ? media : fromSource
        let ofType = type.map { type in remaining.filter { $0.type == type } } ?? []
        return ofType.isEmpty ? remaining : ofType
    }
}

// The best of what the printer has.
extension BestPaper {
    /// The paper of a printer that says nothing: a label is as large as its page, and a sheet of a usual size.
    private func unknownPaper(for page: PaperSize) -> Medium {
        switch settings.kind {
        case .sheets: StandardSheets.medium(for: page) ?? settings.defaultMedium
        case .labels: Medium(width: page.width, height: page.height)
        case .rolls: settings.defaultMedium
        }
    }

    private var tolerance: PaperSize.Tolerance { settings.kind == .sheets ? .sheets : .labels }

    /// The medium of the page's size: a single size before a range, the nearest first, upright before turned.
    private func equal(to page: PaperSize, among media: [Medium], includingRanges: Bool) -> Medium? {
        best(media.filter { !$0.isRoll && (includingRanges || !$0.isRange) }) { medium in
            let near = { (page: PaperSize) in page.difference(to: medium.nearest(to: page), tolerance) }
            guard let difference = [near(page), near(page.turned)].compactMap(\.self).min() else { return nil }
            return (medium.isRange ? 1 : 0, Double(difference))
        }
    }

    /// The roll that is as wide as the page, or as the page is high.
    private func roll(asWideAs page: PaperSize, among media: [Medium]) -> Medium? {
        best(media.filter(\.isRoll)) { roll in
            let differences = [page, page.turned].map { abs($0.width - roll.nearest(to: $0).width) }
            guard
                let (turns, difference) = differences.enumerated().first(where: {
                    $0.element <= PaperSize.Tolerance.labels.across
                })
            else { return nil }
            return (turns, Double(difference))
        }
    }

    /// The medium on which the page fits with the least waste. Where the printer does not say what is loaded, its
    /// standard paper is the likeliest.
    private func larger(than page: PaperSize, among media: [Medium]) -> Medium? {
        if !stock.knowsLoaded, let standard = stock.standard, holds(standard, page) || holds(standard, page.turned) {
            return standard
        }
        return best(media.filter { !$0.isRange }) { medium in
            let isUpright = holds(medium, page)
            guard isUpright || holds(medium, page.turned) else { return nil }
            let lying = isUpright ? page : page.turned
            let length = medium.isRoll ? max(lying.height, medium.height) : medium.height
            // On labels, an upright page comes before less waste.
            return (settings.kind == .sheets || isUpright ? 0 : 1, Double(medium.width) * Double(length))
        }
    }

    /// The printer's standard paper if it is loaded as far as is known, else the largest that is.
    private func standard(among loaded: [Medium]) -> Medium {
        if let standard = stock.standard {
            if !stock.knowsLoaded { return standard }
            if let same = loaded.first(where: { $0.size == standard.size }) { return same }
        }
        return loaded.max { Double($0.width) * Double($0.height) < Double($1.width) * Double($1.height) }
            ?? settings.defaultMedium
    }

    private func holds(_ medium: Medium, _ page: PaperSize) -> Bool {
        PaperSize(
            width: max(medium.width, medium.maximumWidth ?? 0), height: medium.isRoll ? page.height : medium.height
        )
        .holds(page)
    }

    /// The medium with the lowest rank; of equal ones the printer's standard, and then the first.
    private func best(_ media: [Medium], rank: (Medium) -> (Int, Double)?) -> Medium? {
        let ranked = media.compactMap { medium in
            rank(medium).map { (medium: medium, rank: ($0.0, $0.1, medium.size == stock.standard?.size ? 0 : 1)) }
        }
        return ranked.min { $0.rank < $1.rank }?.medium
    }
}

// The entry that its margins come from.
extension BestPaper {
    /// The paper of this medium for a page, with the margins of the very entry that is asked for.
    private func selection(
        of medium: Medium, for wanted: PaperSize, _ page: PageSize, _ choice: SelectedPaper.Choice
    ) -> Selection {
        let upright = medium.nearest(to: wanted)
        let turned = medium.nearest(to: wanted.turned)
        // A range takes the page upright where it can; a roll is as wide as it is.
        let isTurned =
            medium.isRoll
            ? upright.width != wanted.width && turned.width == wanted.height
            : wanted.difference(to: upright, tolerance) == nil && wanted.turned.difference(to: turned, tolerance) != nil
        let size = isTurned ? turned : upright
        let entry = entry(of: medium, size, page)
        let name = medium.isRange || medium.isRoll ? nil : medium.name
        return Selection(
            paper: SelectedPaper(
                medium: entry, name: name ?? MediaName.custom(width: size.width, height: size.height),
                width: size.width, height: size.height, margins: entry.margins ?? settings.margins, choice: choice,
                cutLengths: medium.isRoll ? stock.cutLengths(of: medium) : nil))
    }

    /// The medium with the margins of the entry that is asked for. One without a border is asked for only where the
    /// ticket or the page fills the sheet, since printers spray over its edges then.
    private func entry(of medium: Medium, _ size: PaperSize, _ page: PageSize) -> Medium {
        let same = stock.all.filter { other in
            other.isRoll == medium.isRoll && other.nearest(to: size) == size && other.margins != nil
                && (other.source == nil || medium.source == nil || other.source == medium.source)
                && (other.type == nil || medium.type == nil || other.type == medium.type)
        }
        let bordered = same.first { $0.margins?.isBorderless == false }?.margins
        let borderless = same.first { $0.margins?.isBorderless == true }?.margins
        // What is loaded may say nothing of its margins where the same size in the list does.
        var margins = medium.margins?.isBorderless == false ? medium.margins : bordered ?? medium.margins ?? borderless
        if let borderless,
            ticket.scaling == .fill || margins.map({ fillsSheet(page, size, $0) }) ?? false
        {
            margins = borderless
        }
        var entry = medium
        entry.margins = margins
        return entry
    }

    /// Whether the page has the size of the sheet, and shows something where the sheet stays white.
    private func fillsSheet(_ page: PageSize, _ size: PaperSize, _ margins: Medium.Margins) -> Bool {
        guard let content = page.content else { return false }
        let points = { (hundredths: Int) in Double(hundredths) * 72 / 2540 }
        let isTurned = PaperSize(page).difference(to: size, .sheets) == nil
        guard !isTurned || PaperSize(page).turned.difference(to: size, .sheets) != nil else { return false }
        // Turned pages have their borders elsewhere; the widest one decides.
        let border =
            isTurned ? [margins.left, margins.top, margins.right, margins.bottom].max().map(points) ?? 0 : nil
        let printable = PageRectangle(
            left: border ?? points(margins.left), top: border ?? points(margins.top),
            right: page.width - (border ?? points(margins.right)),
            bottom: page.height - (border ?? points(margins.bottom)))
        return !printable.holds(content, overhang: points(PaperSize.Tolerance.overhang))
    }
}
