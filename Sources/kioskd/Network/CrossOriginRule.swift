/// Whether a browser may send a request that changes something: only from this daemon's own pages. It is the rule of
/// Go's `http.CrossOriginProtection`, by Fetch Metadata (W3C) and `Origin` (RFC 6454).
///
/// `same-site` is not enough: another port of the same host is the same site, and cookies are shared between ports.
enum CrossOriginRule {
    /// A request's fields, nil where it has none. A field that stands twice is joined by commas and equals nothing.
    struct Request: Hashable, Sendable {
        var method: String
        var host: String?
        var secFetchSite: String?
        var origin: String?
        /// Whether the origin is on the list of browser tills, and the request has a bearer token. A page of a foreign
        /// origin has no token unless somebody gave it one, and a browser adds none by itself.
        var isListedWithToken = false
    }

    static func allows(_ request: Request) -> Bool {
        switch request.method {
        // They change nothing.
        case "GET", "HEAD", "OPTIONS": return true
        default: break
        }
        if request.isListedWithToken { return true }
        switch request.secFetchSite {
        case "same-origin", "none": return true
        case .some: return false
        // An older browser, or no browser.
        case nil: break
        }
        guard let origin = request.origin else { return true }
        return host(of: origin).map { $0 == request.host?.lowercased() } ?? false
    }

    /// `till.example:8631` of `https://till.example:8631`; nil for `null` and the like.
    private static func host(of origin: String) -> String? {
        let lowercased = origin.lowercased()
        for scheme in ["https://", "http://"] where lowercased.hasPrefix(scheme) {
            return String(lowercased.dropFirst(scheme.count))
        }
        return nil
    }
}
