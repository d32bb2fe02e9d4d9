public import KioskPrintModel

/// The preview of a document for programs: the sheets on which it would come out of one printer.
public struct SheetList: Hashable, Sendable, Codable {
    /// The printer.
    public var printer: PrinterID
    /// The format that the printer would be sent.
    public var format: DocumentFormat
    /// Whether the printer gets the document as it is, and draws it itself: what it makes of it is not known here then.
    public var isUnchanged: Bool
    /// The number of the document's pages, printed or not.
    public var pageCount: Int
    /// The paper of all sheets.
    public var paper: Paper
    /// One side or both, as sheets are printed.
    public var sides: Ticket.Sides
    /// How often the document is printed.
    public var copies: Int
    /// The number of sheets of one copy.
    public var sheetCount: Int
    /// The number of sides of one copy, blank ones between two copies included.
    public var sideCount: Int
    /// The sheets of one copy, at most `maximumSheets` of them.
    public var sheets: [Sheet]
    /// What people are to know, such as pages that are scaled.
    public var remarks: [Problem.Finding]

    /// More sheets than anybody looks at.
    public static let maximumSheets = 1_000

    /// A paper and how it was chosen.
    public struct Paper: Hashable, Sendable, Codable {
        /// The PWG 5101.1 name of its size.
        public var name: String
        /// The extent across the feed, in hundredths of a millimetre.
        public var width: Int
        /// The extent along the feed, in hundredths of a millimetre; on a roll, that of the first side.
        public var height: Int
        /// The border that the printer cannot print on.
        public var margins: Medium.Margins
        /// How it was chosen: `requested` by the ticket; `equal` to the page, and loaded; a `roll` as wide as the page;
        /// `larger` than the page; `not-loaded`; or the printer's `default`.
        public var choice: String
        /// The tray or roll that it lies in; nil where that is not known.
        public var source: String?

        /// Creates a paper.
        public init(
            name: String, width: Int, height: Int, margins: Medium.Margins, choice: String, source: String? = nil
        ) {
            self.name = name
            self.width = width
            self.height = height
            self.margins = margins
            self.choice = choice
            self.source = source
        }
    }

    /// A sheet: the pages of the document on its sides, from 1, in the order in which they are read.
    public struct Sheet: Hashable, Sendable, Codable {
        /// The front; without pages it is blank.
        public var front: [Int]
        /// The back; nil where it is not printed on, and without pages where it is blank.
        public var back: [Int]?

        /// Creates a sheet.
        public init(front: [Int], back: [Int]? = nil) {
            self.front = front
            self.back = back
        }
    }

    /// Creates the preview of a document on a printer.
    public init(
        printer: PrinterID, format: DocumentFormat, isUnchanged: Bool, pageCount: Int, paper: Paper,
        sides: Ticket.Sides, copies: Int, sheetCount: Int, sideCount: Int, sheets: [Sheet],
        remarks: [Problem.Finding]
    ) {
        self.printer = printer
        self.format = format
        self.isUnchanged = isUnchanged
        self.pageCount = pageCount
        self.paper = paper
        self.sides = sides
        self.copies = copies
        self.sheetCount = sheetCount
        self.sideCount = sideCount
        self.sheets = sheets
        self.remarks = remarks
    }

    enum CodingKeys: String, CodingKey {
        case printer
        case format = "document-format"
        case isUnchanged = "unchanged"
        case pageCount = "page-count"
        case paper, sides, copies
        case sheetCount = "sheet-count"
        case sideCount = "side-count"
        case sheets, remarks
    }
}

extension SheetList {
    /// The sheets as a table for people, without the remarks.
    public var text: String {
        let summary = [
            Self.count(pageCount, "page"), "\(Self.count(sheetCount, "sheet")) \(Self.words(sides))",
            copies > 1 ? "\(copies) copies" : nil,
        ]
        let way = isUnchanged ? "sent as it is" : "sent as \(format)"
        var lines = [
            "Paper: \(paper.name), \(Self.millimetres(paper.width)) × \(Self.millimetres(paper.height)) mm, \(choiceInWords)",
            "\(summary.compactMap(\.self).joined(separator: ", ")), \(way)",
        ]
        let hasBacks = sheets.contains { $0.back != nil }
        let fronts = sheets.map { Self.words($0.front) }
        let numberWidth = max("SHEET".count, String(sheets.count).count)
        let frontWidth = max("FRONT".count, fronts.map(\.count).max() ?? 0)
        func line(_ number: String, _ front: String, _ back: String?) -> String {
            guard hasBacks else { return "\(Self.padded(number, numberWidth))  \(front)" }
            return "\(Self.padded(number, numberWidth))  \(Self.padded(front, frontWidth))  \(back ?? "-")"
        }
        lines.append(line("SHEET", hasBacks ? "FRONT" : "PAGES", "BACK"))
        for (index, sheet) in sheets.enumerated() {
            lines.append(line(String(index + 1), fronts[index], sheet.back.map { Self.words($0) }))
        }
        if sheetCount > sheets.count { lines.append("… and \(sheetCount - sheets.count) more") }
        return lines.map { $0 + "\n" }.joined()
    }

    private var choiceInWords: String {
        let place = paper.source.map { " (\($0))" } ?? ""
        return switch paper.choice {
        case "requested": "as asked for\(place)"
        case "equal": "of the page's size\(place)"
        case "roll": "a roll of the page's width\(place)"
        case "larger": "the smallest on which the page fits\(place)"
        case "not-loaded": "of the page's size, and not loaded"
        default: "what the printer has\(place)"
        }
    }

    private static func words(_ sides: Ticket.Sides) -> String {
        switch sides {
        case .oneSided: "on one side"
        case .twoSidedLongEdge: "on both sides (turned at the long edge)"
        case .twoSidedShortEdge: "on both sides (turned at the short edge)"
        }
    }

    private static func words(_ pages: [Int]) -> String {
        pages.isEmpty ? "blank" : pages.map(String.init).joined(separator: ", ")
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Hundredths of a millimetre as millimetres.
    private static func millimetres(_ hundredths: Int) -> String {
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return String(whole) }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
