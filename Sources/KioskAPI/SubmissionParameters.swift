public import PrintModel

/// What `POST /v1/jobs` says beside the document, in the raw form whose body is the document itself.
///
/// Every parameter stands in the query under its own name (`?role=receipt&copies=2`), or in a header field
/// `Kiosk-<name>` with the same percent-encoded value; both at once must agree. The format is the `Content-Type`
/// (or `document-format`); none, or curl's `application/x-www-form-urlencoded`, lets the first bytes tell.
public struct SubmissionParameters: Hashable, Sendable {
    /// The role to print to; either this or `printer`.
    public var role: RoleName?
    public var printer: PrinterID?
    public var name: String?
    public var user: String?
    /// Nil: the document's first bytes tell.
    public var format: DocumentFormat?
    public var ticket = Ticket()
    /// Whole seconds for which the answer may wait until the job is settled; nil answers at once.
    public var wait: Int?
    public var idempotencyKey: String?

    public init() {}

    /// The names of all parameters, in the order in which they are written.
    public static let keys: [String] =
        ["role", "printer", "name", "user", formatKey] + Ticket.keys + [WaitParameter.key]

    private static let formatKey = "document-format"

    /// What curl sends when nobody said anything; no printer takes forms.
    private static let unsaidContentType = "application/x-www-form-urlencoded"
}

extension SubmissionParameters {
    /// Reads a request of the raw form; throws a `Problem`. `header` gives the value of a field, by its name in any
    /// case.
    public init(query: String?, header: (String) -> String?) throws {
        let items = try Self.items(query: query, header: header)
        try self.init(items: items, idempotencyKey: header(APIHeaders.idempotencyKey))
        if format == nil, let contentType = header("Content-Type") {
            guard let said = DocumentFormat(contentType) else {
                throw Problem.invalid("Content-Type", contentType, write: "a media type such as text/plain")
            }
            format = said.mimeType == Self.unsaidContentType ? nil : said
        }
        try check()
    }

    /// Reads a request of the JSON form, whose query holds nothing but `wait`; throws a `Problem`.
    public init(submission: JobSubmission, query: String?, header: (String) -> String?) throws {
        let items = try Self.items(query: query, header: header)
        if let stranger = items.items.first(where: { $0.key != WaitParameter.key }) {
            throw Problem(
                .invalidParameter,
                detail: "the parameter \"\(stranger.key)\" stands beside a JSON body; write it in the body"
            )
        }
        try self.init(items: items, idempotencyKey: header(APIHeaders.idempotencyKey))
        role = submission.role
        printer = submission.printer
        name = submission.name
        user = submission.user
        format = submission.effectiveFormat
        ticket = submission.ticket
        try check()
    }

    private static func items(query: String?, header: (String) -> String?) throws -> QueryItems {
        var items = try QueryItems(query)
        try items.refuseKeys(besides: keys)
        for key in keys {
            guard let text = header(APIHeaders.parameterPrefix + key) else { continue }
            guard let value = QueryItems.decode(text[...]) else {
                throw Problem.invalid(APIHeaders.parameterPrefix + key, text, write: "percent-encoded UTF-8")
            }
            guard let inQuery = items[key] else {
                items.add(key, value)
                continue
            }
            guard inQuery == value else {
                throw Problem(
                    .invalidParameter,
                    detail: "\(key) stands in the query and in a header with another value; write it once"
                )
            }
        }
        return items
    }

    private init(items: QueryItems, idempotencyKey: String?) throws {
        let nameRule = "words of lower-case letters and digits joined by hyphens"
        role = try items.value("role", write: nameRule) { RoleName(rawValue: $0) }
        printer = try items.value("printer", write: nameRule) { PrinterID(rawValue: $0) }
        name = items["name"]
        user = items["user"]
        format = try items.value(Self.formatKey, write: "a media type such as text/plain") { DocumentFormat($0) }
        for key in Ticket.keys {
            if let text = items[key] { try ticket.set(key, to: text) }
        }
        wait = try WaitParameter.parse(items)
        self.idempotencyKey = try idempotencyKey.map(Self.idempotencyKey)
    }

    /// The draft writes the key as a quoted structured-field string; nearly every client sends it bare. Both are the
    /// same key.
    static func idempotencyKey(_ text: String) throws -> String {
        let isQuoted = text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
        let key = isQuoted ? String(text.dropFirst().dropLast()) : text
        guard isUsable(idempotencyKey: key) else {
            throw Problem.invalid(
                APIHeaders.idempotencyKey, text,
                write: "1 to \(APILimits.maximumIdempotencyKey) printable ASCII characters, such as a UUID"
            )
        }
        return key
    }

    private static func isUsable(idempotencyKey key: String) -> Bool {
        (1...APILimits.maximumIdempotencyKey).contains(key.utf8.count)
            && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    }
}

extension SubmissionParameters {
    /// Throws a `Problem` unless role or printer is named, names are printable and the ticket is within its bounds.
    public func check() throws {
        switch (role, printer) {
        case (nil, nil):
            throw Problem(
                .invalidParameter, detail: "neither role nor printer is named; write for example role=receipt")
        case (_?, _?):
            throw Problem(.invalidParameter, detail: "role and printer are both named; write only one of them")
        default: break
        }
        for (key, text) in [("name", name), ("user", user)] {
            guard let text else { continue }
            guard text.utf8.count <= APILimits.maximumName, !text.hasControlCharacters else {
                throw Problem.invalid(
                    key, text, write: "at most \(APILimits.maximumName) bytes without control characters"
                )
            }
        }
        if let idempotencyKey, !Self.isUsable(idempotencyKey: idempotencyKey) {
            throw Problem.invalid(APIHeaders.idempotencyKey, idempotencyKey, write: "printable ASCII characters")
        }
        try ticket.check()
    }

    /// The path with the query that says all this, for a client; the format and the idempotency key go as header
    /// fields.
    public var path: String {
        var items = QueryItems()
        items.add("role", role?.rawValue)
        items.add("printer", printer?.rawValue)
        items.add("name", name)
        items.add("user", user)
        for item in ticket.parameters { items.add(item.key, item.value) }
        items.add(WaitParameter.key, wait.map(String.init))
        return APIPaths.jobs + items.suffix
    }

    /// The header fields that go with `path`.
    public var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let format { headers.append(("Content-Type", format.mimeType)) }
        if let idempotencyKey { headers.append((APIHeaders.idempotencyKey, idempotencyKey)) }
        return headers
    }
}
