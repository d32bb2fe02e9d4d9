import PrintModel

/// What the host's own tools do to a document before `lpr` gets it: PDF becomes PostScript, pages are chosen and
/// arranged.
struct Conversion: Hashable, Sendable {
    private var isPDF: Bool
    private var pages = ""
    private var count = ""
    private var paper: Paper?
    private var setup = ""
    /// What of the ticket is left for `lpr`.
    private(set) var rest: [PageWish] = []

    /// Nil where there is nothing to do. Throws what cannot be done.
    init?(_ ticket: Ticket, format: DocumentFormat) throws(UnfulfilledTicket) {
        let wishes = PageWish.all(of: ticket)
        guard format == .pdf || format == .postScript else {
            if let wish = wishes.first, !format.isPrinterLanguage {
                throw UnfulfilledTicket(wish: wish, reason: .formatNotConverted(format))
            }
            return nil
        }
        isPDF = format == .pdf
        for wish in wishes {
            switch wish {
            case .pageRanges(let ranges): pages = ranges.map(\.description).joined(separator: ",")
            case .numberUp(let number) where Self.counts.contains(number): count = "\(number)"
            case .media(let name) where isPDF && Paper.known[name] != nil: paper = Paper.known[name]
            case .sides(let sides): setup = "<< /Duplex true /Tumble \(sides == .twoSidedShortEdge) >> setpagedevice"
            default: rest.append(wish)
            }
        }
        // The printer's own default may be another.
        if ticket.sides == .oneSided { setup = "<< /Duplex false >> setpagedevice" }
        guard isPDF || !pages.isEmpty || !count.isEmpty || !setup.isEmpty else { return nil }
    }

    /// What `psnup` arranges on one side: rows and columns that fit the sheet (psnup(1)).
    private static let counts: Set<Int> = [1, 2, 4, 6, 8, 9, 16]

    /// The programs that it needs, each with the Debian package that has it.
    var programs: [(name: String, package: String)] {
        (isPDF ? [("pdftops", "poppler-utils")] : []) + (pages.isEmpty ? [] : [("psselect", "psutils")])
            + (count.isEmpty ? [] : [("psnup", "psutils")])
    }

    func arguments(file: String) -> [String] {
        [file, isPDF ? "pdf" : "ps", pages, count, paper?.pdftops ?? "", paper?.psutils ?? "", setup]
    }

    /// A paper by the names that the tools have for it.
    private struct Paper: Hashable {
        var pdftops: String
        var psutils: String

        static let known: [String: Paper] = [
            "iso_a4_210x297mm": Paper(pdftops: "A4", psutils: "a4"),
            "iso_a3_297x420mm": Paper(pdftops: "A3", psutils: "a3"),
            "na_letter_8.5x11in": Paper(pdftops: "letter", psutils: "letter"),
            "na_legal_8.5x14in": Paper(pdftops: "legal", psutils: "legal"),
        ]
    }
}
