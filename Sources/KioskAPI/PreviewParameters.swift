public import PrintModel

/// What `POST /v1/preview` says beside the receipt.
public struct PreviewParameters: Hashable, Sendable {
    /// What the receipt is shown on; a roll of 80 mm where nothing is said.
    public var paper: Paper?
    /// Nil: markup.
    public var format: DocumentFormat?

    public enum Paper: Hashable, Sendable {
        /// The paper of a saved printer.
        case printer(PrinterID)
        /// That of a profile, by name.
        case profile(String)
        /// So many characters of the usual font on a line.
        case columns(Int)
    }

    public init() {}

    /// No paper has fewer or more.
    public static let columns = 8...400

    /// The names of all parameters.
    public static let keys = ["printer", "profile", "columns", formatKey]
    private static let formatKey = "document-format"
    private static let unsaidContentType = "application/x-www-form-urlencoded"

    /// Reads a request; throws a `Problem`. `header` gives the value of a field, by its name in any case.
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
        if format == nil, let contentType = header("Content-Type") {
            guard let said = DocumentFormat(contentType) else {
                throw Problem.invalid("Content-Type", contentType, write: "a media type such as text/receiptline")
            }
            format = said.mimeType == Self.unsaidContentType ? nil : said
        }
    }

    /// The path with the query that says all this, for a client; the format goes as a header field.
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

/// What a preview can be, by its media type.
public enum PreviewForm: String, Hashable, Sendable, CaseIterable {
    /// Characters on the printer's grid.
    case text = "text/plain"
    /// Dots as the printer prints them.
    case png = "image/png"
    /// A picture of vectors.
    case svg = "image/svg+xml"
    /// `PreviewText`.
    case json = "application/json"

    /// What a request prefers (RFC 9110 §12.5.1): of equals what it names first. Nil where it takes none of them.
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
    /// Lines, each with its end.
    public var text: String
    /// What the receipt says and will not be heeded.
    public var remarks: [Problem.Finding]

    public init(text: String, remarks: [Problem.Finding]) {
        self.text = text
        self.remarks = remarks
    }
}
