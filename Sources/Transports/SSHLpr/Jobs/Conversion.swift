import KioskPrintModel

/// The conversion of a document with the host's own tools before `lpr` gets it: PDF becomes PostScript, and pages are
/// selected and arranged.
struct Conversion: Hashable, Sendable {
    private var isPDF: Bool
    private var pages = ""
    private var count = ""
    private var paper: Paper?
    private var setup = ""
    /// The options that are left for `lpr`.
    private(set) var rest: [PageOption] = []

    /// Returns nil if there is nothing to convert; throws if the conversion cannot do what the ticket requests.
    init?(_ ticket: Ticket, format: DocumentFormat) throws(UnsupportedTicket) {
        let pageOptions = PageOption.all(of: ticket)
        guard format == .pdf || format == .postScript else {
            if let option = pageOptions.first, !format.isPrinterLanguage {
                throw UnsupportedTicket(option: option, reason: .formatNotConverted(format))
            }
            return nil
        }
        isPDF = format == .pdf
        for option in pageOptions {
            switch option {
            case .pageRanges(let ranges): pages = ranges.map(\.description).joined(separator: ",")
            case .numberUp(let number) where Self.counts.contains(number): count = "\(number)"
            case .media(let name) where isPDF && Paper.known[name] != nil: paper = Paper.known[name]
            case .sides(let sides): setup = "<< /Duplex true /Tumble \(sides == .twoSidedShortEdge) >> setpagedevice"
            default: rest.append(option)
            }
        }
        // The printer's default may be duplex.
        if ticket.sides == .oneSided { setup = "<< /Duplex false >> setpagedevice" }
        guard isPDF || !pages.isEmpty || !count.isEmpty || !setup.isEmpty else { return nil }
    }

    /// The pages that `psnup` arranges on one side: rows and columns that fit the sheet (psnup(1)).
    private static let counts: Set<Int> = [1, 2, 4, 6, 8, 9, 16]

    /// The programs that it needs, each with its Debian package.
    var programs: [(name: String, package: String)] {
        (isPDF ? [("pdftops", "poppler-utils")] : []) + (pages.isEmpty ? [] : [("psselect", "psutils")])
            + (count.isEmpty ? [] : [("psnup", "psutils")])
    }

    func arguments(file: String) -> [String] {
        [file, isPDF ? "pdf" : "ps", pages, count, paper?.pdftops ?? "", paper?.psutils ?? "", setup]
    }

    /// The tools' names for a paper.
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
