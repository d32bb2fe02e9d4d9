public import KioskPrintModel

/// The paths of the HTTP API, for the daemon's routes and the clients.
public enum APIPaths {
    /// The jobs: `GET` lists them, `POST` submits one.
    public static let jobs = "/v1/jobs"
    /// The saved printers.
    public static let printers = "/v1/printers"
    /// The printers that are connected, saved or not.
    public static let discoveredPrinters = "/v1/discovered-printers"
    /// The search for printers, as a stream of events.
    public static let discovery = "/v1/discovery"
    /// One contact with a printer that is not saved.
    public static let probe = "/v1/probe"
    /// The printers that are or were saved, the last change first.
    public static let recentPrinters = "/v1/recent-printers"
    /// Previews of receipts.
    public static let preview = "/v1/preview"
    /// The roles.
    public static let roles = "/v1/roles"
    /// The profiles of printer models.
    public static let profiles = "/v1/profiles"
    /// Reads the registry file again.
    public static let registryReload = "/v1/registry/reload"
    /// The event stream.
    public static let events = "/v1/events"
    /// The daemon's health.
    public static let health = "/v1/health"
    /// The daemon: its version, where it listens, and its certificate.
    public static let server = "/v1/server"
    /// The kiosk's part in its fleet.
    package static let fleet = "/v1/fleet"
    /// The access tokens.
    package static let tokens = "/v1/tokens"
    /// One-time codes for the admin page.
    package static let loginCodes = "/v1/login-codes"
    /// Who did what.
    package static let audit = "/v1/audit"
    /// Printers, roles, trust, and with a passphrase the secrets, as one file.
    package static let export = "/v1/export"
    /// Takes such a file in.
    package static let `import` = "/v1/import"
    /// What a kiosk has of its partner's jobs.
    package static let standby = "/v1/standby"
    /// The API's description, as OpenAPI 3.1.
    public static let openAPI = "/v1/openapi.json"

    /// One job.
    public static func job(_ id: Job.ID) -> String { "\(jobs)/\(id)" }
    /// Releases a held job.
    public static func release(_ id: Job.ID) -> String { "\(jobs)/\(id)/release" }
    /// Prints a job's document again, as a new job.
    public static func reprint(_ id: Job.ID) -> String { "\(jobs)/\(id)/reprint" }
    /// Every step of a job's life.
    public static func timeline(_ id: Job.ID) -> String { "\(jobs)/\(id)/timeline" }
    /// One saved printer.
    public static func printer(_ id: PrinterID) -> String { "\(printers)/\(id)" }
    /// Queries a printer's presence, state and capabilities.
    public static func contact(_ id: PrinterID) -> String { "\(printers)/\(id)/contact" }
    /// Has a printer show which one it is.
    public static func identify(_ id: PrinterID) -> String { "\(printers)/\(id)/identify" }
    /// Prints what shows how a printer is set up.
    public static func testPrint(_ id: PrinterID) -> String { "\(printers)/\(id)/test" }
    /// The certificate or host key that a printer shows now.
    public static func certificate(_ id: PrinterID) -> String { "\(printers)/\(id)/certificate" }
    /// Trusts a printer's key.
    public static func trust(_ id: PrinterID) -> String { "\(printers)/\(id)/trust" }
    /// The trace of what goes over the wire to a printer.
    public static func trace(_ id: PrinterID) -> String { "\(printers)/\(id)/trace" }
    /// One role.
    public static func role(_ name: RoleName) -> String { "\(roles)/\(name)" }
    /// One access token.
    package static func token(_ id: UInt32) -> String { "\(tokens)/\(id)" }
    /// One job of a partner. The names need no encoding.
    package static func standby(_ node: String, _ id: Job.ID) -> String { "\(standby)/\(node)/\(id)" }
    /// One profile. Its name may hold any character; it is percent-encoded.
    public static func profile(_ name: String) -> String {
        "\(profiles)/\(PercentEncoding.encode(name, keeping: PercentEncoding.isUnreserved))"
    }
}

/// The header fields with a meaning of their own in the API.
public enum APIHeaders {
    /// Requests with the same key and the same content make one job (draft-ietf-httpapi-idempotency-key-header).
    public static let idempotencyKey = "Idempotency-Key"
    /// The last event that a client has seen (WHATWG HTML §9.2).
    public static let lastEventID = "Last-Event-ID"
    /// The prefix of header fields that carry submission parameters: `Kiosk-Role`.
    public static let parameterPrefix = "Kiosk-"
}

/// The media types of the API's requests and responses.
public enum APIMediaTypes {
    /// RFC 8259 §11.
    public static let json = "application/json"
    /// RFC 9457 §3.
    public static let problem = "application/problem+json"
    /// An export with secrets, which is JSON and an encrypted block behind it.
    package static let export = "application/vnd.kioskd.export"
    /// WHATWG HTML §9.2.
    public static let eventStream = "text/event-stream"
}

/// The API's limits, for the daemon and the clients.
public enum APILimits {
    /// The longest wait, in seconds, that one request may ask for. A client that waits longer asks again.
    public static let maximumWait = 600
    /// The longest time of a printer's trace, in seconds.
    public static let maximumTrace = 86_400
    /// The time of a trace where the request names none, in seconds.
    public static let standardTrace = 600
    /// The longest search for printers on the network, in seconds.
    public static let maximumDiscovery = 60
    /// The time of a search where the request names none, in seconds.
    public static let standardDiscovery = 3
    /// The most jobs in one page of a listing.
    public static let maximumPage = 1000
    /// The jobs in one page where the request names no limit.
    public static let standardPage = 100
    /// Bytes of an `Idempotency-Key`.
    public static let maximumIdempotencyKey = 255
    /// Bytes of a job's or user's name.
    public static let maximumName = 255
    /// Bytes of the message that a printer shows to identify itself (RFC 8011 §5.4.21).
    public static let maximumPanelMessage = 127
    /// Bytes of a JSON body other than a submission.
    public static let maximumChange = 1 << 20
    /// Bytes of a JSON submission. Larger documents go as a raw body, which is streamed.
    public static let maximumJSONSubmission = 8 << 20
    /// Bytes of an export file.
    public static let maximumExport = 6 << 20
    /// Bytes of a passphrase for an export's secrets.
    package static let passphraseLength = 8...1000
}

/// The query of a request: `key=value&…` in percent-encoded UTF-8. `+` stands for a space, as forms and curl write it.
public struct QueryItems: Hashable, Sendable {
    /// The items in their order.
    public private(set) var items: [Item] = []

    /// One key and its value, decoded.
    public struct Item: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The value; empty where the query has the key alone.
        public var value: String
    }

    public init() {}

    /// Reads the part after the question mark. Throws a `Problem` when it is not percent-encoded or names a key twice.
    public init(_ query: String?) throws {
        for part in (query ?? "").split(separator: "&") {
            let (key, value) = part.splitOnce(at: "=")
            guard let key = Self.decode(key), let value = Self.decode(value ?? "") else {
                throw Problem(
                    .invalidParameter,
                    detail: "\"\(part)\" in the query is not percent-encoded UTF-8; write %XX for such bytes"
                )
            }
            guard self[key] == nil else {
                throw Problem(.invalidParameter, detail: "\"\(key)\" stands twice in the query; write it once")
            }
            items.append(Item(key: key, value: value))
        }
    }

    /// The value of the first item with this key; nil where there is none.
    public subscript(key: String) -> String? { items.first { $0.key == key }?.value }

    /// Adds an item; a nil value adds nothing.
    public mutating func add(_ key: String, _ value: String?) {
        if let value { items.append(Item(key: key, value: value)) }
    }

    /// Throws a `Problem` when the query has a key that is not in `known`.
    public func refuseKeys(besides known: [String]) throws {
        guard let unknown = items.first(where: { !known.contains($0.key) }) else { return }
        throw Problem(
            .invalidParameter,
            detail:
                "the parameter \"\(unknown.key)\" is not known; the parameters are \(known.joined(separator: ", "))"
        )
    }

    /// The query with its question mark; empty when there are no items.
    public var suffix: String {
        items.isEmpty
            ? "" : "?" + items.map { "\(Self.encode($0.key))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    static func decode(_ text: Substring) -> String? {
        let isPlain = text.utf8.allSatisfy { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }
        return isPlain ? String(text) : PercentEncoding.decode(String(text.map { $0 == "+" ? " " : $0 }))
    }

    private static func encode(_ text: String) -> String {
        PercentEncoding.encode(text, keeping: PercentEncoding.isUnreserved)
    }

    /// The value of `key`, read by `parse`. Throws a `Problem` that says what to write when `parse` returns nil.
    func value<Value>(_ key: String, write instead: String, parse: (String) -> Value?) throws -> Value? {
        guard let text = self[key] else { return nil }
        guard let value = parse(text) else { throw Problem.invalid(key, text, write: instead) }
        return value
    }

    /// The elements of a comma-separated list, each read by `parse`; nil when one of them is not readable.
    static func list<Element>(_ text: String, parse: (String) -> Element?) -> [Element]? {
        let parts = text.split(separator: ",", maxSplits: 16, omittingEmptySubsequences: false)
        let elements = parts.compactMap { parse(String($0)) }
        return elements.count == parts.count ? elements : nil
    }
}

extension Problem {
    /// A parameter or header field with a value that is not valid, and what to write instead.
    static func invalid(_ key: String, _ text: String, write instead: String) -> Problem {
        let shown = text.withoutControlCharacters.prefix(utf8Count: 80)
        return Problem(.invalidParameter, detail: "\(key) is \"\(shown)\"; write \(instead)")
    }
}

extension Int {
    /// Reads digits, and nothing else, within `range`.
    init?(digits text: String, in range: ClosedRange<Int>) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = Int(text), range.contains(value)
        else { return nil }
        self = value
    }
}

extension Bool {
    /// Reads a flag: `true` or `false`; a key without a value is true.
    init?(parameter text: String) {
        switch text {
        case "true", "": self = true
        case "false": self = false
        default: return nil
        }
    }
}

/// The `wait` parameter: the whole seconds for which a request may stay open until the job is settled.
public enum WaitParameter {
    /// The parameter's name.
    public static let key = "wait"

    /// Reads the parameter; nil where the query has none. Throws a `Problem` unless it is 0 to `APILimits.maximumWait`.
    public static func parse(_ items: QueryItems) throws -> Int? {
        let range = 0...APILimits.maximumWait
        return try items.value(key, write: "whole seconds from 0 to \(APILimits.maximumWait)") {
            Int(digits: $0, in: range)
        }
    }
}
