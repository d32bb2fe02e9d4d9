import KioskPrintModel

/// The commands of HP's Printer Job Language before a document ("Printer Job Language Technical Reference Manual"). The
/// transport begins and ends the job that the printer reports on.
struct PJLHeader {
    /// "Universal exit language".
    static let exitLanguage = Array("\u{1B}%-12345X".utf8)

    private var lines: [String]

    /// The header of a document in PCL.
    init(_ document: RasterDocument, _ page: RasterPage, _ paper: PCLPaper) {
        self.init(document, page.sides)
        // Copies of the whole document; those of each sheet are PCL's own command.
        if document.copies > 1, document.isCollated { lines.append("SET QTY=\(document.copies)") }
        lines.append("SET RESOLUTION=\(page.dpi)")
        if let name = paper.pjlName { lines.append("SET PAPER=\(name)") }
        lines.append("ENTER LANGUAGE=PCL")
    }

    /// The header of a document in PostScript, which says the rest itself.
    init(_ document: RasterDocument) {
        self.init(document, nil)
        lines.append("ENTER LANGUAGE=POSTSCRIPT")
    }

    private init(_ document: RasterDocument, _ sides: Ticket.Sides?) {
        lines = document.jobName.map { ["SET JOBNAME=\"\(Self.quotable($0))\""] } ?? []
        switch sides {
        case .oneSided: lines.append("SET DUPLEX=OFF")
        case .twoSidedLongEdge: lines += ["SET DUPLEX=ON", "SET BINDING=LONGEDGE"]
        case .twoSidedShortEdge: lines += ["SET DUPLEX=ON", "SET BINDING=SHORTEDGE"]
        case nil: break
        }
    }

    func append(to output: inout [UInt8]) {
        output += Self.exitLanguage + Array("@PJL\r\n".utf8)
        for line in lines { output += "@PJL \(line)\r\n".utf8 }
    }

    /// A name as PJL takes it: at most 80 characters of ASCII without quotation marks.
    static func quotable(_ name: String) -> String {
        String(
            name.unicodeScalars.prefix(80).map { (0x20..<0x7F).contains($0.value) && $0 != "\"" ? Character($0) : "?" })
    }
}
