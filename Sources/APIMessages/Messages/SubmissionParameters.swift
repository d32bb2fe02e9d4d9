public import KioskPrintModel

/// The parameters of `POST /v1/jobs`: all but the document. The daemon reads them from the query and header fields, or
/// from a `JobSubmission`; `KioskClient` writes them.
public struct SubmissionParameters: Hashable, Sendable {
    /// The role to print to. Either this or `printer` is set.
    public var role: RoleName?
    /// The printer to print to, in place of a role.
    public var printer: PrinterID?
    /// The job's name for people.
    public var name: String?
    /// The name of the user that the job shows.
    public var user: String?
    /// The document's format; nil detects it from the first bytes.
    public var format: DocumentFormat?
    /// The settings of the job, such as copies and sides.
    public var ticket = Ticket()
    /// The whole seconds that the response may wait until the job is settled; nil responds at once. The daemon takes up
    /// to `APILimits.maximumWait`; `KioskClient` splits a longer wait.
    public var wait: Int?
    /// The same key with the same content is the same job, however often it is sent.
    public var idempotencyKey: String?

    public init() {}

    /// The names of all parameters, in the order of `path`.
    public static let keys: [String] =
        ["role", "printer", "name", "user", formatKey] + Ticket.keys + [WaitParameter.key]

    private static let formatKey = "document-format"

    /// Each parameter with the name of its header field.
    private static let fields = (keys + Ticket.secretKeys).map { (key: $0, field: APIHeaders.parameterPrefix + $0) }
}

extension SubmissionParameters {
    /// Reads a request in the raw form. Throws a `Problem`. `header` returns a field's value by its name in any case.
    public init(query: String?, header: (String) -> String?) throws {
        let items = try Self.items(query: query, header: header)
        try self.init(items: items, idempotencyKey: header(APIHeaders.idempotencyKey))
        if format == nil { format = try DocumentFormat.contentType(header, example: "text/plain") }
        try check()
    }

    /// Reads a request in the JSON form, whose query has no parameter but `wait`. Throws a `Problem`.
    public init(submission: JobSubmission, query: String?, header: (String) -> String?) throws {
        let items = try Self.items(query: query, header: header)
        if let other = items.items.first(where: { $0.key != WaitParameter.key }) {
            throw Problem(
                .invalidParameter,
                detail: "the parameter \"\(other.key)\" stands beside a JSON body; write it in the body"
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

    /// The parameters of the query and of the header fields.
    private static func items(query: String?, header: (String) -> String?) throws -> QueryItems {
        var items = try QueryItems(query)
        if let secret = items.items.first(where: { Ticket.secretKeys.contains($0.key) }) {
            throw Problem(
                .invalidParameter,
                detail:
                    "\(secret.key) stands in the query, which logs and lists of processes show; send it as the header field \(APIHeaders.parameterPrefix)\(secret.key), or in a JSON body"
            )
        }
        try items.refuseKeys(besides: keys)
        for (key, field) in fields {
            guard let text = header(field) else { continue }
            guard let value = QueryItems.decode(text[...]) else {
                throw Problem.invalid(
                    field, Ticket.secretKeys.contains(key) ? "…" : text, write: "percent-encoded UTF-8")
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
        for key in Ticket.keys + Ticket.secretKeys {
            if let text = items[key] { try ticket.set(key, to: text) }
        }
        wait = try WaitParameter.parse(items)
        self.idempotencyKey = try idempotencyKey.map(Self.idempotencyKey)
    }

    /// The key in an `Idempotency-Key` field. The draft quotes it (a structured-field string); nearly every client
    /// sends it without quotes. Both mean the same key.
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
    /// Throws a `Problem` unless either a role or a printer is named, the names are printable and the ticket is valid.
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

    /// The path of a client's request with these parameters. The format, the idempotency key and the PIN go into
    /// `headers`.
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

    /// The header fields of a client's request, beside `path`.
    public var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let format { headers.append(("Content-Type", format.mimeType)) }
        if let idempotencyKey { headers.append((APIHeaders.idempotencyKey, idempotencyKey)) }
        return headers + ticket.secretHeaders
    }
}

extension Ticket {
    /// The header fields of its secrets, which no query has.
    var secretHeaders: [(name: String, value: String)] {
        let values = [jobPassword?.reveal(), jobPasswordEncryption, documentPassword?.reveal()]
        return zip(Self.secretKeys, values).compactMap { key, value in
            value.map { value in
                let encoded = PercentEncoding.encode(value, keeping: PercentEncoding.isUnreserved)
                return (APIHeaders.parameterPrefix + key, encoded)
            }
        }
    }
}

extension DocumentFormat {
    /// curl's `Content-Type` for a body where the user gives none. It names no format: no printer takes forms.
    private static let formContentType = "application/x-www-form-urlencoded"

    /// The format in a request's `Content-Type`; nil where it names none. Throws a `Problem`. `example` is for its
    /// message.
    static func contentType(_ header: (String) -> String?, example: String) throws -> DocumentFormat? {
        guard let contentType = header("Content-Type") else { return nil }
        guard let format = DocumentFormat(contentType) else {
            throw Problem.invalid("Content-Type", contentType, write: "a media type such as \(example)")
        }
        return format.mimeType == formContentType ? nil : format
    }
}

/// The parameters of `POST /v1/jobs/{id}/reprint`.
public struct ReprintParameters: Hashable, Sendable {
    /// The only printer to print to; nil prints where the original job was sent.
    public var printer: PrinterID?
    /// The whole seconds that the response may wait until the new job is settled; nil responds at once. The daemon
    /// takes up to `APILimits.maximumWait`; `KioskClient` splits a longer wait.
    public var wait: Int?
    /// The same key for the same job is the same new job, however often it is sent.
    public var idempotencyKey: String?

    public init() {}

    /// Reads a request. Throws a `Problem`. `header` returns a field's value by its name in any case.
    public init(query: String?, header: (String) -> String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["printer", WaitParameter.key])
        printer = try items.value("printer", write: "a printer's id") { PrinterID(rawValue: $0) }
        wait = try WaitParameter.parse(items)
        idempotencyKey = try header(APIHeaders.idempotencyKey).map(SubmissionParameters.idempotencyKey)
    }

    /// The query of a client's request, with its question mark.
    var suffix: String {
        var items = QueryItems()
        items.add("printer", printer?.rawValue)
        items.add(WaitParameter.key, wait.map(String.init))
        return items.suffix
    }
}

extension Ticket {
    /// This ticket as parameters, in the order of `Ticket.keys`. Choices that are left open are missing.
    public var parameters: [QueryItems.Item] {
        Self.keys.compactMap { key in parameter(key).map { QueryItems.Item(key: key, value: $0) } }
    }

    private func parameter(_ key: String) -> String? {
        switch key {
        case "copies": copies.map(String.init)
        case "sides": sides?.rawValue
        case "media": media
        case "page-ranges": pageRanges?.map(\.description).joined(separator: ",")
        case "number-up": numberUp.map(String.init)
        case "orientation-requested": orientation?.rawValue
        case "print-color-mode": colorMode?.rawValue
        case "print-quality": quality?.rawValue
        case "cut": cut?.rawValue
        case "drawer": drawer.map(String.init)
        case "priority": priority.map(String.init)
        case "expires-after": expiresAfter.map(String.init)
        case "media-source": mediaSource
        case "media-type": mediaType
        case "output-bin": outputBin
        case "print-scaling": scaling?.rawValue
        case "multiple-document-handling": documentHandling?.rawValue
        case "page-border": pageBorder?.rawValue
        case "print-content-optimize": contentOptimization?.rawValue
        case "printer-resolution": resolution.map(String.init)
        case "job-account-id": accountID
        case "job-accounting-user-id": accountingUserID
        case "fidelity": fidelity.map(String.init)
        default: nil
        }
    }

    /// Sets one choice from a parameter's text. Throws a `Problem` that says what to write.
    public mutating func set(_ key: String, to text: String) throws {
        switch key {
        case "copies": copies = try Self.number(key, text)
        case "sides": sides = try Self.keyword(key, text)
        case "media": media = text
        case "page-ranges": pageRanges = try Self.pageRanges(key, text)
        case "number-up": numberUp = try Self.number(key, text)
        case "orientation-requested": orientation = try Self.keyword(key, text)
        case "print-color-mode": colorMode = try Self.keyword(key, text)
        case "print-quality": quality = try Self.keyword(key, text)
        case "cut": cut = try Self.keyword(key, text)
        case "drawer": drawer = try Self.flag(key, text)
        case "priority": priority = try Self.number(key, text)
        case "expires-after": expiresAfter = try Self.number(key, text)
        case "media-source": mediaSource = text
        case "media-type": mediaType = text
        case "output-bin": outputBin = text
        case "print-scaling": scaling = try Self.keyword(key, text)
        case "multiple-document-handling": documentHandling = try Self.keyword(key, text)
        case "page-border": pageBorder = try Self.keyword(key, text)
        case "print-content-optimize": contentOptimization = try Self.keyword(key, text)
        case "printer-resolution": resolution = try Self.number(key, text)
        case "job-account-id": accountID = text
        case "job-accounting-user-id": accountingUserID = text
        case "fidelity": fidelity = try Self.flag(key, text)
        case "job-password": jobPassword = Secret(text)
        case "job-password-encryption": jobPasswordEncryption = text
        case "document-password": documentPassword = Secret(text)
        default: throw Problem(.invalidParameter, detail: "\"\(key)\" is not a key of a ticket")
        }
    }

    /// Throws a `Problem` that lists every value that is out of bounds.
    public func check() throws {
        let problems = self.problems
        guard let first = problems.first else { return }
        throw Problem(.invalidTicket, detail: first, problems: problems.map { Problem.Finding(message: $0) })
    }

    private static func number(_ key: String, _ text: String) throws -> Int {
        guard let number = Int(digits: text, in: 0...Int(Int32.max)) else {
            throw Problem.invalid(key, text, write: "a whole number")
        }
        return number
    }

    private static func keyword<Value: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ text: String
    ) throws -> Value {
        guard let value = Value(rawValue: text) else {
            throw Problem.invalid(key, text, write: Value.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return value
    }

    private static func flag(_ key: String, _ text: String) throws -> Bool {
        guard let flag = Bool(parameter: text) else { throw Problem.invalid(key, text, write: "true or false") }
        return flag
    }

    private static func pageRanges(_ key: String, _ text: String) throws -> [PageRange] {
        let parts = text.split(separator: ",", maxSplits: maximumPageRanges, omittingEmptySubsequences: false)
        let ranges = parts.compactMap { PageRange($0) }
        guard ranges.count == parts.count else {
            throw Problem.invalid(key, text, write: "page ranges such as 1-3,5")
        }
        return ranges
    }
}
