import HTTPTypes
import KioskAPI
import KioskAccess
import KioskPrintModel
import Testing

@testable import kioskd

/// Which pages of other origins may use the API, and how.
@Suite struct KioskdCORSTests {
    private static let till = "https://till.example"
    private let cors = CORS { [Self.till, "http://localhost:3000"].contains($0) }

    private static func request(
        _ method: HTTPRequest.Method, _ path: String, origin: String?, host: String = "127.0.0.1:8631",
        asked: String? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
        request.headerFields[.origin] = origin
        request.headerFields[.accessControlRequestMethod] = asked
        return request
    }

    private func outcome(_ request: HTTPRequest) -> String {
        switch cors.admission(of: request) {
        case .own: "own"
        case .shared(let origin): "shared with \(origin)"
        case .preflight(let fields): "preflight of \(fields[.accessControlAllowOrigin] ?? "nobody")"
        case .refused(let problem): "refused: \(problem.code)"
        }
    }

    @Test(
        arguments: [
            (HTTPRequest.Method.post, "/v1/jobs?role=receipt", nil, "own"),
            (.post, "/v1/jobs", "http://127.0.0.1:8631", "own"),
            // Behind a proxy that speaks TLS.
            (.put, "/v1/roles/receipt", "https://127.0.0.1:8631", "own"),
            (.post, "/v1/jobs?role=receipt", till, "shared with https://till.example"),
            (.get, "/v1/events", till, "shared with https://till.example"),
            (.get, "/kiosk.js", till, "shared with https://till.example"),
            (.head, "/v1/health", till, "shared with https://till.example"),
            (.delete, "/v1/jobs/7", till, "shared with https://till.example"),
            (.post, "/v1/jobs/7/reprint", till, "shared with https://till.example"),
            (.post, "/v1/preview?columns=42", till, "shared with https://till.example"),
            (.post, "/v1/jobs", "http://localhost:3000", "shared with http://localhost:3000"),
            // Another port of the same host is another origin.
            (.post, "/v1/jobs", "http://127.0.0.1:8632", "refused: origin-not-allowed"),
            (.get, "/v1/jobs", "http://127.0.0.1", "refused: origin-not-allowed"),
            // Exactly as the browser writes it.
            (.post, "/v1/jobs", "http://till.example", "refused: origin-not-allowed"),
            (.post, "/v1/jobs", "https://till.example:443", "refused: origin-not-allowed"),
            (.post, "/v1/jobs", "https://till.example.evil.example", "refused: origin-not-allowed"),
            (.post, "/v1/jobs", "https://till.example/", "refused: origin-not-allowed"),
            (.post, "/v1/jobs", "https://TILL.example", "refused: origin-not-allowed"),
            (.post, "/v1/jobs", "null", "refused: origin-not-allowed"),
            (.post, "/v1/jobs", "", "refused: origin-not-allowed"),
            // Two fields, joined by the parser.
            (.post, "/v1/jobs", "https://till.example, https://evil.example", "refused: origin-not-allowed"),
            // What a till's page does not do, whatever its token may.
            (.put, "/v1/roles/receipt", till, "refused: origin-not-allowed"),
            (.delete, "/v1/printers/till-1", till, "refused: origin-not-allowed"),
            (.post, "/v1/tokens", till, "refused: origin-not-allowed"),
            (.post, "/login", till, "refused: origin-not-allowed"),
            (.get, "/", till, "refused: origin-not-allowed"),
            (.post, "/v1/jobsandmore", till, "refused: origin-not-allowed"),
            (.options, "/v1/jobs", till, "refused: origin-not-allowed"),
        ] as [(HTTPRequest.Method, String, String?, String)])
    func `a page of a listed origin prints and reads, and no other page`(
        method: HTTPRequest.Method, path: String, origin: String?, expected: String
    ) {
        #expect(outcome(Self.request(method, path, origin: origin)) == expected)
    }

    @Test(arguments: [
        ("/v1/jobs?role=receipt", till, "POST", "preflight of https://till.example"),
        ("/v1/jobs/7", till, "DELETE", "preflight of https://till.example"),
        ("/v1/events", till, "GET", "preflight of https://till.example"),
        ("/v1/jobs", "https://evil.example", "POST", "refused: origin-not-allowed"),
        ("/v1/jobs", "null", "POST", "refused: origin-not-allowed"),
        ("/v1/printers/till-1", till, "PUT", "refused: origin-not-allowed"),
        ("/v1/jobs", till, "PO ST", "refused: origin-not-allowed"),
        ("/v1/jobs", till, "", "refused: origin-not-allowed"),
        ("/v1/jobs", "http://127.0.0.1:8631", "POST", "own"),
    ])
    func `a preflight is answered for a listed origin and what its pages may do`(
        path: String, origin: String, asked: String, expected: String
    ) {
        #expect(outcome(Self.request(.options, path, origin: origin, asked: asked)) == expected)
    }

    @Test func `the answer to a preflight names the origin, never all of them and never cookies`() throws {
        let request = Self.request(.options, "/v1/jobs", origin: Self.till, asked: "POST")
        guard case .preflight(let fields) = cors.admission(of: request) else {
            Issue.record("no preflight")
            return
        }
        #expect(fields[.accessControlAllowOrigin] == Self.till)
        #expect(fields[.accessControlAllowCredentials] == nil)
        #expect(fields[.accessControlMaxAge] == "600")
        #expect(
            fields[.accessControlAllowHeaders]
                == "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID")
    }

    @Test(arguments: [
        ("same-origin", "own"), ("none", "own"), ("same-site", "refused: origin-not-allowed"),
        ("cross-site", "refused: origin-not-allowed"),
    ])
    func `a form of our own page, whose origin the browser keeps to itself, is our own`(site: String, expected: String)
    {
        var request = Self.request(.post, "/login", origin: "null")
        request.headerFields[HTTPField.Name("Sec-Fetch-Site")!] = site
        #expect(outcome(request) == expected)
    }

    @Test func `every response to such a page names its origin and shows where the job is`() {
        var fields: HTTPFields = [.vary: "Accept"]
        CORS.addFields(to: &fields, for: .shared(origin: Self.till))
        #expect(fields[.accessControlAllowOrigin] == Self.till)
        #expect(fields[values: .vary] == ["Accept", "Origin"])
        #expect(fields[.accessControlExposeHeaders] == "Location, Retry-After, X-Request-ID")
        #expect(fields[.accessControlAllowCredentials] == nil)
    }

    @Test func `a refusal names no origin, so that the page's script cannot read it`() {
        var fields: HTTPFields = [:]
        CORS.addFields(to: &fields, for: .refused(Problem(.originNotAllowed, detail: "")))
        #expect(fields[.accessControlAllowOrigin] == nil && fields[.vary] == "Origin")
        fields = [:]
        CORS.addFields(to: &fields, for: .own)
        #expect(fields.isEmpty)
    }

    @Test func `a token is good only for the origins in its own list`() throws {
        func token(_ origins: [String]) -> AccessToken {
            AccessToken(
                id: 1, name: "till", scopes: [.print], createdAt: Timestamp.now, origins: origins, createdBy: "root")
        }
        try CORS.requireListing(of: Self.till, by: token([Self.till]))
        for origins in [["https://other.example"], []] {
            let refusal = #expect(throws: Problem.self) {
                try CORS.requireListing(of: Self.till, by: token(origins))
            }
            #expect(refusal?.code == .originNotAllowed && refusal?.status == 403)
        }
    }
}
