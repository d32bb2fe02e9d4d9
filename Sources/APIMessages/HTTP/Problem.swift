/// What went wrong with a request: RFC 9457 problem details, `application/problem+json`.
public struct Problem: Error, Hashable, Sendable, Codable {
    /// A URI that names the kind of problem. It follows from `code`.
    public var type: String
    /// The kind of problem in a few words, the same for every occurrence.
    public var title: String
    /// The HTTP status code.
    public var status: Int
    /// What happened this time, and what to do; for people.
    public var detail: String?
    /// The path of the resource that the problem is about.
    public var instance: String?
    /// The kind of problem as a stable keyword, for programs.
    public var code: Code
    /// The findings, where there are several: what is wrong in a registry file or a ticket.
    public var problems: [Finding]?

    /// One error, and where it is.
    public struct Finding: Hashable, Sendable, Codable {
        /// The file's path; nil where the request itself has the error.
        public var file: String?
        /// The line, counted from 1.
        public var line: Int?
        /// The column, counted from 1.
        public var column: Int?
        /// What is wrong.
        public var message: String
        /// What to write instead.
        public var instead: String?

        public init(
            file: String? = nil, line: Int? = nil, column: Int? = nil, message: String, instead: String? = nil
        ) {
            self.file = file
            self.line = line
            self.column = column
            self.message = message
            self.instead = instead
        }
    }

    /// `status` and `title` follow from the code.
    public init(_ code: Code, detail: String, instance: String? = nil, problems: [Finding]? = nil) {
        self.type = "urn:kioskd:problem:\(code)"
        self.title = code.title
        self.status = code.status
        self.detail = detail
        self.instance = instance
        self.code = code
        self.problems = problems
    }
}

extension Problem: CustomStringConvertible {
    public var description: String { detail ?? title }
}

extension Problem.Finding: CustomStringConvertible {
    /// `printers.yaml:7:9: message; write …`
    public var description: String {
        var place = file ?? ""
        for number in [line, column].compactMap(\.self) { place += place.isEmpty ? "\(number)" : ":\(number)" }
        return (place.isEmpty ? "" : "\(place): ") + message + (instead.map { "; write \($0)" } ?? "")
    }
}

extension Problem {
    /// The kind of a problem. More are added as the API grows: a client treats an unknown code by its HTTP status.
    public struct Code: Hashable, Sendable, Codable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// A parameter of the query or a header field is not valid.
        public static let invalidParameter = Code(rawValue: "invalid-parameter")
        /// The body is not JSON, or not the JSON that is expected.
        public static let invalidJSON = Code(rawValue: "invalid-json")
        /// The ticket holds values that are not valid; `problems` names them.
        public static let invalidTicket = Code(rawValue: "invalid-ticket")
        /// The document has no bytes.
        public static let emptyDocument = Code(rawValue: "empty-document")
        /// The body ended before its announced length.
        public static let bodyCutOff = Code(rawValue: "body-cut-off")
        /// The bytes that were sent are not an HTTP request.
        public static let malformedRequest = Code(rawValue: "malformed-request")
        /// The body did not end in time.
        public static let bodyTooSlow = Code(rawValue: "body-too-slow")
        /// The header did not end in time.
        public static let headerTooSlow = Code(rawValue: "header-too-slow")
        /// The request's header fields are too many or too long.
        public static let headerTooLarge = Code(rawValue: "header-too-large")
        /// A `Transfer-Encoding` other than `chunked` (RFC 9112 §6.1).
        public static let transferCodingNotSupported = Code(rawValue: "transfer-coding-not-supported")
        /// An HTTP version that the daemon does not speak.
        public static let httpVersionNotSupported = Code(rawValue: "http-version-not-supported")
        /// The request shows neither a token nor a session, or one that is unknown, revoked or over (RFC 6750).
        public static let unauthenticated = Code(rawValue: "unauthenticated")
        /// The token has no scope for this (RFC 6750's `insufficient_scope`).
        public static let insufficientScope = Code(rawValue: "insufficient-scope")
        /// Only an administrator may do this, and the caller is not one.
        public static let notAllowed = Code(rawValue: "not-allowed")
        /// A page of another origin may not do this.
        public static let crossOrigin = Code(rawValue: "cross-origin")
        /// The request is for another host (RFC 9110 §15.5.20).
        public static let misdirectedRequest = Code(rawValue: "misdirected-request")
        /// No token lists the origin of the web page, or not the token that it sent, or pages of other origins may
        /// not do this at all.
        public static let originNotAllowed = Code(rawValue: "origin-not-allowed")
        /// Nothing is at this path.
        public static let notFound = Code(rawValue: "not-found")
        /// No role has this name.
        public static let unknownRole = Code(rawValue: "unknown-role")
        /// No saved printer has this id.
        public static let unknownPrinter = Code(rawValue: "unknown-printer")
        /// No profile has this name.
        public static let unknownProfile = Code(rawValue: "unknown-profile")
        /// No access token has this number, or it was revoked.
        public static let unknownToken = Code(rawValue: "unknown-token")
        /// Another access token has this name.
        public static let tokenNameTaken = Code(rawValue: "token-name-taken")
        /// The one-time code is wrong, was used, or is over.
        public static let wrongLoginCode = Code(rawValue: "wrong-login-code")
        /// No job has this id, or its history is no longer kept.
        public static let unknownJob = Code(rawValue: "unknown-job")
        /// The resource does not take this method; `Allow` lists those that it takes.
        public static let methodNotAllowed = Code(rawValue: "method-not-allowed")
        /// The same `Idempotency-Key` was used with other content.
        public static let idempotencyConflict = Code(rawValue: "idempotency-conflict")
        /// The job's state does not allow what is asked.
        public static let jobState = Code(rawValue: "job-state")
        /// The job is known, but its document is no longer kept.
        public static let documentNotKept = Code(rawValue: "document-not-kept")
        /// A role still names the printer.
        public static let printerInUse = Code(rawValue: "printer-in-use")
        /// The fleet's office writes this kiosk's printers and roles; a change here would be overwritten.
        public static let managedCentrally = Code(rawValue: "managed-centrally")
        /// The same job was accepted by the kiosk's partner, which prints it.
        public static let jobAtPartner = Code(rawValue: "job-at-partner")
        /// The printer shows another certificate or host key than the one that was to be trusted, or none.
        public static let certificateMismatch = Code(rawValue: "certificate-mismatch")
        /// The host key that was to be trusted is marked as revoked in a known_hosts file.
        public static let keyRevoked = Code(rawValue: "key-revoked")
        /// The printer had to be asked, and could not be reached.
        public static let printerUnreachable = Code(rawValue: "printer-unreachable")
        /// No transport is built in for this URL's scheme.
        public static let schemeNotSupported = Code(rawValue: "scheme-not-supported")
        /// The role has no printers.
        public static let roleWithoutPrinters = Code(rawValue: "role-without-printers")
        /// No printer of the role does this type of job.
        public static let jobTypeNotSupported = Code(rawValue: "job-type-not-supported")
        /// The document breaks its format's rules; `problems` says where.
        public static let documentInvalid = Code(rawValue: "document-invalid")
        /// The document has more pages than its role allows.
        public static let pageLimitExceeded = Code(rawValue: "page-limit-exceeded")
        /// No printer meets the ticket.
        public static let ticketNotSupported = Code(rawValue: "ticket-not-supported")
        /// The printer cannot show which one it is.
        public static let identificationNotSupported = Code(rawValue: "identification-not-supported")
        /// The resource has none of the media types in `Accept`.
        public static let notAcceptable = Code(rawValue: "not-acceptable")
        /// The document is longer than the daemon takes.
        public static let documentTooLarge = Code(rawValue: "document-too-large")
        /// No printer of the role takes this format, or the format could not be detected.
        public static let formatNotSupported = Code(rawValue: "document-format-not-supported")
        /// An `Expect` other than `100-continue` (RFC 9110 §10.1.1).
        public static let expectationFailed = Code(rawValue: "expectation-failed")
        /// The registry would be, or is, not valid; `problems` says where.
        public static let registryRefused = Code(rawValue: "registry-refused")
        /// The export is damaged, of another version, or its passphrase is wrong.
        public static let exportRefused = Code(rawValue: "export-refused")
        /// What is to be changed was changed by somebody else since the caller read it (RFC 9110 §13.1.1).
        public static let changedMeanwhile = Code(rawValue: "changed-meanwhile")
        /// One user has more requests or jobs open than one user may.
        public static let tooManyRequests = Code(rawValue: "too-many-requests")
        /// All users together have more requests or jobs open than the daemon serves.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The daemon has a bug; its log says more.
        public static let internalError = Code(rawValue: "internal-error")
        /// The daemon is shutting down; send the request again once it has restarted.
        public static let shuttingDown = Code(rawValue: "shutting-down")
        /// The disk has no room for the job.
        public static let storageFull = Code(rawValue: "storage-full")
        /// The state directory's file system takes no writes.
        public static let storageReadOnly = Code(rawValue: "storage-read-only")
        /// Stored data cannot be read back.
        public static let storageDamaged = Code(rawValue: "storage-damaged")
        /// Storage failed in another way.
        public static let storageFailed = Code(rawValue: "storage-failed")
    }
}

extension Problem.Code {
    /// All codes of this version, for the API's description.
    public static let known: [Problem.Code] = table.map(\.code)

    /// The HTTP status of responses with this code.
    public var status: Int { Self.row(of: self)?.status ?? 500 }

    /// The seconds after which to send the same request again; nil where it would fail again, or where the time is not
    /// known.
    public var retryAfter: Int? {
        switch self {
        case .tooManyRequests, .overloaded, .shuttingDown: 2
        default: nil
        }
    }

    /// The kind of problem in a few words, for people.
    public var title: String { Self.row(of: self)?.title ?? "Unknown problem" }

    private static func row(of code: Problem.Code) -> (code: Problem.Code, status: Int, title: String)? {
        table.first { $0.code == code }
    }

    private static let table: [(code: Problem.Code, status: Int, title: String)] = [
        (.invalidParameter, 400, "A parameter is not valid"),
        (.invalidJSON, 400, "The JSON is not what is asked for"),
        (.invalidTicket, 400, "The ticket is not valid"),
        (.emptyDocument, 400, "The document is empty"),
        (.bodyCutOff, 400, "The body was cut off"),
        (.malformedRequest, 400, "The request is malformed"),
        (.unauthenticated, 401, "Nobody knows who you are"),
        (.notAllowed, 403, "You may not do this"),
        (.insufficientScope, 403, "The token may not do this"),
        (.crossOrigin, 403, "A page of another origin may not do this"),
        (.wrongLoginCode, 403, "The one-time code does not work"),
        (.originNotAllowed, 403, "The page's origin may not do this"),
        (.notFound, 404, "There is nothing here"),
        (.unknownRole, 404, "The role is not known"),
        (.unknownPrinter, 404, "The printer is not known"),
        (.unknownProfile, 404, "The profile is not known"),
        (.unknownToken, 404, "The access token is not known"),
        (.unknownJob, 404, "The job is not known"),
        (.methodNotAllowed, 405, "The method is not allowed here"),
        (.notAcceptable, 406, "No media type that is accepted is given here"),
        (.bodyTooSlow, 408, "The body came too slowly"),
        (.headerTooSlow, 408, "The header came too slowly"),
        (.idempotencyConflict, 409, "The idempotency key was used for another job"),
        (.jobState, 409, "The job's state does not allow it"),
        (.tokenNameTaken, 409, "Another access token has this name"),
        (.printerInUse, 409, "A role still names the printer"),
        (.managedCentrally, 409, "The fleet's office sets up this kiosk"),
        (.jobAtPartner, 409, "The kiosk's partner has the job"),
        (.certificateMismatch, 409, "The printer shows another key"),
        (.keyRevoked, 409, "The printer's key is revoked"),
        (.roleWithoutPrinters, 409, "The role has no printers"),
        (.documentNotKept, 410, "The document is no longer kept"),
        (.changedMeanwhile, 412, "It was changed meanwhile"),
        (.documentTooLarge, 413, "The document is too large"),
        (.formatNotSupported, 415, "No printer accepts the document format"),
        (.expectationFailed, 417, "The expectation cannot be met"),
        (.misdirectedRequest, 421, "The request is for another host"),
        (.jobTypeNotSupported, 422, "No printer does the job type"),
        (.documentInvalid, 422, "The document is not valid"),
        (.pageLimitExceeded, 422, "The document has too many pages"),
        (.ticketNotSupported, 422, "No printer meets the ticket"),
        (.identificationNotSupported, 422, "The printer cannot show which one it is"),
        (.registryRefused, 422, "The registry is not valid"),
        (.exportRefused, 422, "The export cannot be used"),
        (.tooManyRequests, 429, "Too many requests"),
        (.headerTooLarge, 431, "The header is too large"),
        (.internalError, 500, "The daemon failed"),
        (.schemeNotSupported, 501, "Printers of this scheme are not reached yet"),
        (.transferCodingNotSupported, 501, "The transfer coding is not supported"),
        (.printerUnreachable, 503, "The printer could not be asked"),
        (.overloaded, 503, "The daemon is overloaded"),
        (.shuttingDown, 503, "The daemon is shutting down"),
        (.storageReadOnly, 503, "Storage is read-only"),
        (.storageDamaged, 503, "Storage is damaged"),
        (.storageFailed, 503, "Storage failed"),
        (.httpVersionNotSupported, 505, "The HTTP version is not supported"),
        (.storageFull, 507, "Storage is full"),
    ]
}
