public import KioskPrintModel

/// The parameters of `POST /v1/preview`, whose body is the receipt.
public struct PreviewParameters: Hashable, Sendable {
    /// The paper that the receipt is laid out for; nil is a roll of 80 mm.
    public var paper: Paper?
    /// The receipt's format; nil is markup.
    public var format: DocumentFormat?

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

    /// The names of all parameters.
    public static let keys = ["printer", "profile", "columns", formatKey]
    private static let formatKey = "document-format"

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
    }

    /// The path of a client's request with these parameters. The format goes into a header field.
    public var path: String {
        var items = QueryItems()
        switch paper {
        case .printer(let id): items.add("printer", id.rawValue)
        case .profile(let name): items.add("profile", name)
        case .columns(let count): items.add("columns", String(count))
        case nil: break
        }
        return APIPaths.preview + items.suffix
    }
}

/// The forms of a preview, by media type.
public enum PreviewForm: String, Hashable, Sendable, CaseIterable {
    /// Characters on the printer's grid.
    case text = "text/plain"
    /// A picture of the dots that the printer prints.
    case png = "image/png"
    /// A vector picture.
    case svg = "image/svg+xml"
    /// `PreviewText`.
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
