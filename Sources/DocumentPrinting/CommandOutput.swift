import KioskDocuments
import KioskPrintModel
import KioskReceiptPrinting
import KioskReceipts

/// The form in which a printer of labels or receipts takes pages: dots in the commands of its language. A page is a
/// label, or a piece of its roll with a cut behind it.
struct CommandOutput: Hashable {
    let settings: PrintingSettings
    /// The document format of the language.
    let format: DocumentFormat
    /// The cut behind each page; nil for none.
    let cut: CutMode?
    /// What is done otherwise than the ticket asks, as sentences without a full stop.
    let remarks: [String]

    /// The commands of a printer that takes them rather than the pages that it lists, if it lists any; nil for others.
    /// - Parameters:
    ///   - pages: The format of pages that it would get otherwise.
    init?(
        _ target: PreparationTarget, _ profile: PrintingSettings?, insteadOf pages: DocumentFormat?, _ ticket: Ticket
    ) {
        guard let commands = CommandLanguage(target, profile, takesPages: pages != nil),
            ReceiptTarget(commands.settings).canDraw
        else { return nil }
        if let pages {
            let refused = target.description?.learned?.refusedFormats ?? []
            guard !refused.contains(commands.format), commands.isPreferred || refused.contains(pages) else {
                return nil
            }
        }
        self.init(commands, ticket)
    }

    private init(_ commands: CommandLanguage, _ ticket: Ticket) {
        settings = commands.settings
        format = commands.format
        switch ticket.cut {
        case Ticket.Cut.none?: cut = nil
        case .full?: cut = .full
        case .partial?, nil: cut = .partial
        }
        var remarks: [String] = []
        if ticket.cut != nil, cut != nil, settings.cuts.isEmpty, !settings.language.isForLabels {
            remarks.append("the printer has no cutter: the paper is fed to where it is torn off")
        }
        if ticket.drawer == true {
            remarks.append("the drawer stays shut: only receipts in markup or JSON open it")
        }
        if ticket.colorMode == .color { remarks.append("the printer prints no colours: it is in black") }
        self.remarks = remarks
    }

    /// Labels, or the paper of receipts.
    var kind: PlanSettings.Kind { settings.language.isForLabels ? .labels : .rolls }

    /// Has pages that are wider than the head made smaller, as if they showed something everywhere.
    static func keepWithinHead(_ pages: inout [PageSize], _ ticket: inout Ticket) {
        for index in pages.indices {
            let page = pages[index]
            pages[index].content = PageRectangle(left: 0, top: 0, right: page.width, bottom: page.height)
        }
        ticket.scaling = .autoFit
    }

    /// The most dots of a side, which is held whole: 32 MB.
    static let maximumSideDots = 32 << 23

    /// How commands are made of a document's sides.
    func encoder(for plan: DocumentPlan) -> CommandEncoder? {
        var target = ReceiptTarget(settings)
        if case .label(var capabilities) = target {
            let isEndless = plan.paper.cutLengths != nil
            capabilities.labelLength = isEndless ? nil : plan.side(0).height
            // Continuous media have none, and it is what tells them apart.
            if !isEndless, capabilities.labelGap == 0 { capabilities.labelGap = settings.dpi / 8 }
            target = .label(capabilities)
        }
        guard let encoder = DotEncoder(target) else { return nil }
        // The paper of a roll ends where the page's content does.
        let trims = kind == .rolls && plan.paper.cutLengths != nil
        return CommandEncoder(encoder, headWidth: settings.dots, trims: trims, cut: cut)
    }
}

// The paper, of which such printers say nothing.
extension CommandOutput {
    /// The paper that is in the printer: what the ticket names, the profile's labels or roll, or labels of any size.
    func paper(for ticket: Ticket) -> PageSupport? {
        if let name = ticket.media { return named(name) }
        let longest = DotMatrix.maximumSide * 2540 / settings.dpi
        guard let label = settings.label else {
            return kind == .labels ? labels(upTo: longest) : roll(paperWidth, upTo: longest)
        }
        let (width, height) = (label.width * 100, label.height * 100)
        guard label.gap > 0 else { return roll(width, upTo: longest) }
        // Whole millimetres may stand for inches: a page of nearly this size is as large as the label.
        let nearly = Medium(
            width: width - Self.rounded, height: height - Self.rounded, maximumWidth: width + Self.truncated,
            maximumHeight: height + Self.truncated, margins: margins(width + Self.truncated))
        let exact = Medium(width: width, height: height, margins: margins(width))
        return PageSupport(supported: [nearly], standard: exact)
    }

    /// What sizes lose when they are written in whole millimetres, in hundredths.
    private static let rounded = 50
    private static let truncated = 99

    /// The paper that a ticket names; nil where the name has no size.
    private func named(_ name: String) -> PageSupport? {
        guard let size = PWGMediaSize(mediaName: name), max(size.width, size.height) < Self.longestEdge else {
            return nil
        }
        let (width, height) = (Int((size.width * 100).rounded()), Int((size.height * 100).rounded()))
        let medium = Medium(name: name, width: width, height: height, margins: margins(width))
        return PageSupport(supported: [medium], standard: medium)
    }

    /// Millimetres, longer than any paper.
    private static let longestEdge = 100_000.0

    private func roll(_ width: Int, upTo longest: Int) -> PageSupport {
        let medium = Medium(width: width, height: 0, maximumHeight: longest, margins: margins(width), isRoll: true)
        return PageSupport(supported: [medium], standard: medium)
    }

    private func labels(upTo longest: Int) -> PageSupport {
        PageSupport(
            supported: [Medium(width: 1, height: 1, maximumWidth: max(headWidth, 1), maximumHeight: longest)])
    }

    /// The roll's width in hundredths of a millimetre; without one, that of the head.
    private var paperWidth: Int { settings.paperWidth.map { $0 * 100 } ?? headWidth }

    /// The width that the head reaches, in hundredths of a millimetre, rounded up: all of its dots.
    private var headWidth: Int { (settings.dots * 2540 + settings.dpi - 1) / settings.dpi }

    /// The border of paper that is wider than the head.
    private func margins(_ width: Int) -> Medium.Margins {
        let border = max(width - headWidth, 0)
        return Medium.Margins(top: 0, left: border / 2, bottom: 0, right: border - border / 2)
    }
}
