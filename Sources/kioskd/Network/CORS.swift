import HTTPTypes
import KioskAPI
import KioskAccess
import KioskPrintModel

/// Cross-origin resource sharing (WHATWG Fetch §3.3): which web pages of other origins may use the API over TCP.
///
/// A page may where some token lists its origin, exactly as its browser writes it. That is not enough: its request
/// must carry a token that lists it, too (`requireListing`). Cookies never count for such a request, since pages on
/// another port of the same host are sent them. A page of another origin prints, follows jobs and reads, by its
/// token's scopes; whatever its token may, it changes no printer, role, trust or token.
struct CORS: Sendable {
    /// W3C Fetch Metadata.
    private static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!

    /// Whether some token that is valid now lists this origin.
    let isListed: @Sendable (String) -> Bool

    /// What is known of the page that a request comes from.
    enum Admission: Equatable, Sendable {
        /// No page, or one of this daemon: the rule against cross-site requests decides alone.
        case own
        /// A page of another origin, whose request may go on with a token.
        case shared(origin: String)
        /// The question before such a request, and its response: 204 with these fields.
        case preflight(HTTPFields)
        /// The response to a page that may not use the API, or not in this way.
        case refused(Problem)
    }

    /// The scheme is not compared, since a proxy in front may be the one that speaks TLS.
    func admission(of request: HTTPRequest) -> Admission {
        guard let origin = request.headerFields[.origin] else { return .own }
        // Under `Referrer-Policy: no-referrer`, forms of our own pages are sent with `Origin: null`. No script can set
        // this field.
        if ["same-origin", "none"].contains(request.headerFields[Self.secFetchSite]) { return .own }
        if let host = request.authority?.lowercased(),
            ["http://\(host)", "https://\(host)"].contains(origin.lowercased())
        {
            return .own
        }
        guard isListed(origin) else { return .refused(Self.notListed(origin)) }
        let path = String((request.path ?? "").prefix { $0 != "?" })
        let asked = request.headerFields[.accessControlRequestMethod]
        guard request.method == .options, let asked else {
            return Self.isShared(request.method, path)
                ? .shared(origin: origin) : .refused(Self.notShared(request.method.rawValue, path))
        }
        guard let method = HTTPRequest.Method(asked), Self.isShared(method, path) else {
            return .refused(Self.notShared(asked, path))
        }
        return .preflight(Self.preflight(for: origin))
    }

    /// Adds what lets a page of a listed origin read its response, be it a problem; other pages' scripts do not get to
    /// read even that.
    static func addFields(to fields: inout HTTPFields, for admission: Admission) {
        guard admission != .own else { return }
        // A cache must not hand one origin's response to another.
        fields.append(HTTPField(name: .vary, value: "Origin"))
        guard case .shared(let origin) = admission else { return }
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlExposeHeaders] = "Location, Retry-After, X-Request-ID"
    }

    /// Throws the problem of a page whose token does not list its origin.
    static func requireListing(of origin: String, by token: AccessToken) throws(Problem) {
        guard !token.isUsable(from: origin) else { return }
        throw Problem(
            .originNotAllowed,
            detail:
                "the token \"\(token.name)\" does not list the origin \(shown(origin)); make one with kioskctl tokens add --origin \(shown(origin))"
        )
    }

    /// Seconds for which a browser keeps the answer to a preflight: a withdrawn origin is refused by the request itself.
    static let maximumAge = 600

    private static func preflight(for origin: String) -> HTTPFields {
        [
            .accessControlAllowOrigin: origin,
            .accessControlAllowMethods: "GET, POST, DELETE",
            .accessControlAllowHeaders: "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID",
            .accessControlMaxAge: String(maximumAge),
        ]
    }

    /// Whether pages of other origins may send such requests at all.
    private static func isShared(_ method: HTTPRequest.Method, _ path: String) -> Bool {
        let isOfJobs = path == APIPaths.jobs || path.hasPrefix(APIPaths.jobs + "/")
        return switch method {
        case .get, .head: path.hasPrefix("/v1/") || path == KioskScriptRoute.path
        case .post: isOfJobs || path == APIPaths.preview
        case .delete: isOfJobs
        default: false
        }
    }

    private static func notListed(_ origin: String) -> Problem {
        Problem(
            .originNotAllowed,
            detail:
                "no token lists the origin \(shown(origin)), so its pages may not print here; make one with kioskctl tokens add --origin \(shown(origin))"
        )
    }

    private static func notShared(_ method: String, _ path: String) -> Problem {
        Problem(
            .originNotAllowed,
            detail:
                "\(shown(method)) \(shown(path)) is not for pages of other origins, whatever their token may; use the admin page or kioskctl"
        )
    }

    private static func shown(_ text: String) -> String {
        String(text.withoutControlCharacters.prefix(utf8Count: 255))
    }
}
