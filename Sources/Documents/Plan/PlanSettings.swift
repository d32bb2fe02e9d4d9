package import KioskPrintModel

/// What holds for a printer and the language that its sides are sent in.
package struct PlanSettings: Hashable, Sendable {
    /// What the printer prints on, which decides how pages are scaled and turned where nobody says.
    package var kind: Kind
    /// The dots per inch of the output in both directions; 72 for output in points.
    package var dpi: Int
    /// The values of `sides` that the printer takes.
    package var sides: Set<Ticket.Sides>
    /// How the printer wants the pixels of back sides; nil where the output has no pixels, or no back sides.
    package var sheetBack: PageSupport.SheetBack?
    /// Whether the printer makes the copies of what it is sent. Raster streams hold all copies themselves.
    package var printerMakesCopies: Bool
    /// What the document itself asks for.
    package var preferences: DocumentPreferences
    /// The paper of a printer that says nothing.
    package var defaultMedium: Medium
    /// The border of a medium for which the printer states none.
    package var margins: Medium.Margins
    /// Whether a page may name a supported paper that is not loaded, at which the printer stops and asks for it. Where
    /// not, the page is scaled to the paper that is there.
    package var asksForPaper: Bool
    /// The most dots of a side: 400 MB in grey.
    package var maximumSideDots: Int
    /// The most sides of a copy.
    package var maximumSides: Int

    /// What a printer prints on.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Cut sheets: a page is made smaller where it does not fit.
        case sheets
        /// Labels: a page of their size is never scaled.
        case labels
        /// Rolls, such as those of receipts: a page as wide as they are is never scaled.
        case rolls
    }

    /// Creates settings; the defaults are those of raster for a printer that prints on one side.
    package init(
        kind: Kind = .sheets, dpi: Int, sides: Set<Ticket.Sides> = [.oneSided],
        sheetBack: PageSupport.SheetBack? = nil, printerMakesCopies: Bool = false,
        preferences: DocumentPreferences = DocumentPreferences(), defaultMedium: Medium = Self.a4,
        margins: Medium.Margins = Medium.Margins(all: 0), asksForPaper: Bool = true,
        maximumSideDots: Int = 400_000_000, maximumSides: Int = 100_000
    ) {
        self.kind = kind
        self.dpi = dpi
        self.sides = sides
        self.sheetBack = sheetBack
        self.printerMakesCopies = printerMakesCopies
        self.preferences = preferences
        self.defaultMedium = defaultMedium
        self.margins = margins
        self.asksForPaper = asksForPaper
        self.maximumSideDots = maximumSideDots
        self.maximumSides = maximumSides
    }

    /// ISO A4.
    package static let a4 = Medium(name: "iso_a4_210x297mm", width: 21_000, height: 29_700)
}

/// What a document asks for where the ticket is silent: a PDF's ViewerPreferences (ISO 32000-1 §12.2), without its
/// number of copies, which nobody means.
package struct DocumentPreferences: Hashable, Sendable {
    /// Whether its pages are to be printed as they are (`PrintScaling` None).
    package var isUnscaled: Bool
    /// One or both sides (`Duplex`).
    package var sides: Ticket.Sides?
    /// The pages to print (`PrintPageRange`).
    package var pageRanges: [PageRange]?

    /// Creates preferences; without arguments, those of a document that asks for nothing.
    package init(isUnscaled: Bool = false, sides: Ticket.Sides? = nil, pageRanges: [PageRange]? = nil) {
        self.isUnscaled = isUnscaled
        self.sides = sides
        self.pageRanges = pageRanges
    }
}
