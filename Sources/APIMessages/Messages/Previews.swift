public import KioskPrintModel

/// The parameters of `POST /v1/preview`, whose body is the receipt or the document.
public struct PreviewParameters: Hashable, Sendable {
    /// The paper that a receipt is laid out for, a roll of 80 mm where it is nil; for a document its printer.
    public var paper: Paper?
    /// The format; nil is a receipt's markup.
    public var format: DocumentFormat?
    /// How a document is printed, and the password that opens it, which goes into a header field. Receipts have no
    /// ticket here.
    public var ticket = Ticket()
    /// The sides of a document's sheets that its picture shows, from 1; nil shows the first few.
    public var show: PageRange?
    /// The dots per inch of a document's picture, one of `resolutions`; nil is about a screen's. A picture of many or
    /// large sheets has less.
    public var resolution: Int?

    /// A paper, by what is printed on it.
    public enum Paper: Hashable, Sendable {
        /// The paper of a saved printer.
        case printer(PrinterID)
        /// The paper of a profile, by name.
        case profile(String)
        /// Paper with this number of characters of the standard font on a line.
        case columns(Int)
    }

    public init() {}

    /// The bounds of `Paper.columns`.
    public static let columns = 8...400

    /// The bounds of `resolution`.
    public static let resolutions = 10...300

    /// The names of all parameters.
    public static let keys = ["printer", "profile", "columns", formatKey, showKey, resolutionKey] + Ticket.keys
    private static let formatKey = "document-format"
    private static let showKey = "show"
    private static let resolutionKey = "dpi"

    /// Reads a request. Throws a `Problem`. `header` returns a field's value by its name in any case.
    public init(query: String?, header: (String) -> String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: Self.keys)
        let range = Self.columns
        let papers = [
            try items.value("printer", write: "a printer's id") { PrinterID(rawValue: $0).map(Paper.printer) },
            items["profile"].map(Paper.profile),
            try items.value("columns", write: "a number from \(range.lowerBound) to \(range.upperBound)") {
                Int(digits: $0, in: range).map(Paper.columns)
            },
        ].compactMap(\.self)
        guard papers.count <= 1 else {
            throw Problem(
                .invalidParameter, detail: "printer, profile and columns each name a paper; write only one of them")
        }
        paper = papers.first
        format = try items.value(Self.formatKey, write: "a media type such as text/receiptline") { DocumentFormat($0) }
        if format == nil { format = try DocumentFormat.contentType(header, example: "text/receiptline") }
        for key in Ticket.keys { if let text = items[key] { try ticket.set(key, to: text) } }
        let passwordField = APIHeaders.parameterPrefix + Ticket.CodingKeys.documentPassword.rawValue
        if let text = header(passwordField) {
            guard let password = QueryItems.decode(text[...]) else {
                throw Problem.invalid(passwordField, "…", write: "percent-encoded UTF-8")
            }
            ticket.documentPassword = Secret(password)
        }
        show = try items.value(Self.showKey, write: "sides to show such as 3 or 1-4") { PageRange($0) }
        let dots = Self.resolutions
        resolution = try items.value(
            Self.resolutionKey, write: "a number from \(dots.lowerBound) to \(dots.upperBound)"
        ) { Int(digits: $0, in: dots) }
        try ticket.check()
        guard isForDocument || !hasDocumentParameters else {
            throw Problem(
                .invalidParameter,
                detail:
                    "\(Self.showKey), \(Self.resolutionKey) and a ticket are for documents such as PDF, not for receipts"
            )
        }
    }

    /// Whether the format is not a receipt's.
    public var isForDocument: Bool { format.map { !$0.isReceipt } ?? false }

    private var hasDocumentParameters: Bool { ticket != Ticket() || show != nil || resolution != nil }

    /// The path of a client's request with these parameters. The format goes into a header field.
    public var path: String {
        var items = QueryItems()
        switch paper {
        case .printer(let id): items.add("printer", id.rawValue)
        case .profile(let name): items.add("profile", name)
        case .columns(let count): items.add("columns", String(count))
        case nil: break
        }
        for item in ticket.parameters { items.add(item.key, item.value) }
        items.add(Self.showKey, show?.description)
        items.add(Self.resolutionKey, resolution.map(String.init))
        return APIPaths.preview + items.suffix
    }
}

/// The forms of a preview, by media type.
public enum PreviewForm: String, Hashable, Sendable, CaseIterable {
    /// A receipt's characters on the printer's grid; a document's sheets as a table.
    case text = "text/plain"
    /// A picture of the dots that a receipt printer prints, or of sheets.
    case png = "image/png"
    /// A vector picture of a receipt.
    case svg = "image/svg+xml"
    /// `PreviewText`, or of a document `SheetList`.
    case json = "application/json"

    /// The form that a request prefers (RFC 9110 §12.5.1). Of those with equal weight, the first one wins. Nil where
    /// the request accepts none.
    public init?(accept: String?) {
        var best: (form: PreviewForm, weight: Double)?
        for range in (accept ?? "*/*").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.trimmingBlanks().lowercased() }
            guard let type = parts.first, let form = Self.form(type) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > best?.weight ?? 0 { best = (form, weight) }
        }
        guard let best else { return nil }
        self = best.form
    }

    private static func form(_ type: String) -> PreviewForm? {
        switch type {
        case "*/*", "text/*": .text
        case "image/*": .png
        default: PreviewForm(rawValue: type)
        }
    }
}

/// A preview in characters, for programs.
public struct PreviewText: Hashable, Sendable, Codable {
    /// The lines, each with its line end.
    public var text: String
    /// The parts of the receipt that have no effect on this paper.
    public var remarks: [Problem.Finding]

    public init(text: String, remarks: [Problem.Finding]) {
        self.text = text
        self.remarks = remarks
    }
}
