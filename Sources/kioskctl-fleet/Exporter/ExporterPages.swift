import KioskFleet
import KioskPrometheusText

/// A request as far as it matters here.
struct ExporterRequest: Hashable, Sendable {
    var method: String
    /// The path, and what stands behind it.
    var target: String
    /// What the `Host` field says; nil where there is none.
    var host: String?
}

/// What is sent back.
struct ExporterResponse: Hashable, Sendable {
    var status: Int
    var fields: [Field]
    var body: String

    struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    init(_ status: Int, _ type: String, _ body: String, _ fields: [Field] = []) {
        self.status = status
        self.fields =
            [
                Field(name: "Content-Type", value: type), Field(name: "Cache-Control", value: "no-store"),
                Field(name: "X-Content-Type-Options", value: "nosniff"),
            ] + fields
        self.body = body
    }

    init(_ status: Int, _ message: String, _ fields: [Field] = []) {
        self.init(status, "text/plain; charset=utf-8", message + "\n", fields)
    }
}

/// The exporter's two pages: `/metrics` for Prometheus and `/` for people.
struct ExporterPages: Sendable {
    let figures: LastFigures
    let metrics: FleetMetrics
    let interval: Duration
    /// Whether only this machine reaches it. Then a name that is not this machine's comes from a page that was led here
    /// (DNS rebinding).
    let isLoopback: Bool

    /// A page that is loaded more often cannot be read.
    private static let shortestRefresh: Duration = .seconds(5)

    func respond(to request: ExporterRequest) -> ExporterResponse {
        guard !isLoopback || Self.isOwn(request.host) else {
            return ExporterResponse(421, "this exporter is read as localhost or by its address; write one of them")
        }
        guard ["GET", "HEAD"].contains(request.method) else {
            return ExporterResponse(405, "send GET or HEAD", [.init(name: "Allow", value: "GET, HEAD")])
        }
        switch request.target.prefix(while: { $0 != "?" }) {
        case "/metrics":
            return ExporterResponse(200, TextExposition.mediaType, metrics.text(of: figures.snapshot))
        case "/":
            let nonce = RandomToken.text()
            return ExporterResponse(
                200, "text/html; charset=utf-8",
                FleetPage(figures.snapshot, refresh: max(interval, Self.shortestRefresh), nonce: nonce).text,
                [
                    .init(name: "Content-Security-Policy", value: Self.policy(nonce: nonce)),
                    .init(name: "Referrer-Policy", value: "no-referrer"),
                ])
        default: return ExporterResponse(404, "there are /metrics for Prometheus and / for people")
        }
    }

    /// Its one style alone: nothing else is loaded, run, framed or sent.
    private static func policy(nonce: String) -> String {
        "default-src 'none'; style-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }

    /// Whether a `Host` field names this machine: an address, which no page can make lead elsewhere, or `localhost`.
    private static func isOwn(_ host: String?) -> Bool {
        guard let host else { return true }
        if host.hasPrefix("[") { return true }
        let name = host.prefix { $0 != ":" }
        return name.lowercased() == "localhost" || name.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 }
    }
}
