public import PrintModel

/// The paths of the HTTP API, for the daemon's routes and the clients.
public enum APIPaths {
    public static let jobs = "/v1/jobs"
    public static let printers = "/v1/printers"
    public static let discoveredPrinters = "/v1/discovered-printers"
    public static let preview = "/v1/preview"
    public static let roles = "/v1/roles"
    public static let profiles = "/v1/profiles"
    public static let registryReload = "/v1/registry/reload"
    public static let events = "/v1/events"
    public static let health = "/v1/health"
    public static let openAPI = "/v1/openapi.json"

    public static func job(_ id: Job.ID) -> String { "\(jobs)/\(id)" }
    public static func release(_ id: Job.ID) -> String { "\(jobs)/\(id)/release" }
    public static func reprint(_ id: Job.ID) -> String { "\(jobs)/\(id)/reprint" }
    public static func timeline(_ id: Job.ID) -> String { "\(jobs)/\(id)/timeline" }
    public static func printer(_ id: PrinterID) -> String { "\(printers)/\(id)" }
    public static func contact(_ id: PrinterID) -> String { "\(printers)/\(id)/contact" }
    public static func certificate(_ id: PrinterID) -> String { "\(printers)/\(id)/certificate" }
    public static func trust(_ id: PrinterID) -> String { "\(printers)/\(id)/trust" }
    public static func role(_ name: RoleName) -> String { "\(roles)/\(name)" }
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
    public static let json = "application/json"
    /// RFC 9457 §3.
    public static let problem = "application/problem+json"
    /// WHATWG HTML §9.2.
    public static let eventStream = "text/event-stream"
}

/// The API's limits, for the daemon and the clients.
public enum APILimits {
    /// The longest wait, in seconds, that one request may ask for. A client that waits longer asks again.
    public static let maximumWait = 600
    /// The most jobs in one page of a listing.
    public static let maximumPage = 1000
    /// The jobs in one page where the request names no limit.
    public static let standardPage = 100
    /// Bytes of an `Idempotency-Key`.
    public static let maximumIdempotencyKey = 255
    /// Bytes of a job's or user's name.
    public static let maximumName = 255
    /// Bytes of a JSON body other than a submission.
    public static let maximumChange = 1 << 20
    /// Bytes of a JSON submission. Larger documents go as a raw body, which is streamed.
    public static let maximumJSONSubmission = 8 << 20
}
