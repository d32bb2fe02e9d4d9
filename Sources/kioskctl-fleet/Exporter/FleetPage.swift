import KioskTerminal

/// The page for people: how the fleet is as a picture, and its worst sites. It needs no script and loads nothing.
struct FleetPage {
    /// The document.
    let text: String

    /// `nonce` is what the response's policy lets the page's style in by.
    init(_ snapshot: FleetSnapshot, refresh: Duration, nonce: String) {
        let content = snapshot.figures.map { Self.content($0) } ?? "<p>Nothing was read yet.</p>\n"
        text = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="refresh" content="\(refresh.components.seconds)">
            <title>\(Self.escaped(Self.title(snapshot)))</title>
            <style nonce="\(nonce)">\(Self.style)</style>
            </head>
            <body>
            <main>
            <h1>Kiosk fleet</h1>
            \(Self.notice(snapshot))\(content)<footer><a href="/metrics">Metrics</a> for Prometheus</footer>
            </main>
            </body>
            </html>

            """
    }

    // MARK: Parts

    private static func title(_ snapshot: FleetSnapshot) -> String {
        guard snapshot.isUp, let figures = snapshot.figures else { return "Kiosk fleet: hub away" }
        let bad = FleetFigures.State.allCases.filter { $0 != .ok }.reduce(0) { $0 + (figures.sites[$1] ?? 0) }
        return "Kiosk fleet: " + (bad == 0 ? "ok" : Quantities.count(bad, "site needs a look", "sites need a look"))
    }

    /// What people should know of the figures themselves.
    private static func notice(_ snapshot: FleetSnapshot) -> String {
        let age = Quantities.time(milliseconds: Int64(min(snapshot.age / .milliseconds(1), 1e15)))
        guard !snapshot.isUp else { return "<p>Read \(age) ago.</p>\n" }
        let problem = snapshot.problem ?? "the hub is not reached"
        let figures = snapshot.figures == nil ? "" : " What follows is \(age) old."
        return "<p class=\"notice\" role=\"alert\">\(escaped(problem)).\(figures)</p>\n"
    }

    private static func content(_ figures: FleetFigures) -> String {
        var content = "<h2>Sites</h2>\n\(bar(figures.sites, "site", "sites"))"
        content += "<h2>Kiosks</h2>\n\(bar(figures.kiosks, "kiosk", "kiosks"))"
        if figures.kiosksLeftOut > 0 { content += "<p>\(figures.kiosksLeftOut) more are not counted.</p>\n" }
        content += "<h2>Worst sites</h2>\n"
        let bad = FleetFigures.State.allCases.filter { $0 != .ok }.reduce(0) { $0 + (figures.sites[$1] ?? 0) }
        content +=
            figures.worstSites.isEmpty
            ? "<p>None: every site is ok.</p>\n"
            : table(
                ["Site", "State", "Kiosks", "Worst kiosk"],
                figures.worstSites.map {
                    [
                        escaped($0.site), "<span class=\"\($0.state.rawValue)\">\($0.state.rawValue)</span>",
                        "\($0.kiosks)", escaped($0.finding),
                    ]
                })
        if bad > figures.worstSites.count {
            content += "<p>\(bad - figures.worstSites.count) more sites are not ok.</p>\n"
        }
        content += "<h2>Jobs</h2>\n<p>\(figures.jobsWaiting) waiting, \(figures.jobsUnconfirmed) unconfirmed.</p>\n"
        if let configurations = figures.configurations {
            let rows = SiteConfiguration.State.allCases.map { [escaped($0.rawValue), "\(configurations[$0] ?? 0)"] }
            let drifted = [["applied, and edited since", "\(figures.configurationsDrifted ?? 0)"]]
            content += "<h2>Configurations</h2>\n" + table(["State", "Sites"], rows + drifted)
        }
        content += "<h2>Versions</h2>\n"
        content += table(["Version", "Kiosks"], figures.versions.map { [escaped($0.version), "\($0.kiosks)"] })
        guard !figures.streams.isEmpty else { return content }
        let streams = figures.streams.map {
            [escaped($0.name), "\($0.messages)", Quantities.bytes(Int64(clamping: $0.bytes))]
        }
        return content + "<h2>Streams</h2>\n" + table(["Stream", "Messages", "Size"], streams)
    }

    /// `cells` are markup.
    private static func table(_ headings: [String], _ rows: [[String]]) -> String {
        let head = headings.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let body = rows.map { "<tr>" + $0.map { "<td>\($0)</td>" }.joined() + "</tr>\n" }.joined()
        return "<table>\n<thead><tr>\(head)</tr></thead>\n<tbody>\n\(body)</tbody>\n</table>\n"
    }

    // MARK: The picture

    /// The width of a bar in its own units, and the least that a state has of it, so that one of many is seen.
    private static let width = 1000.0
    private static let leastWidth = 8.0

    /// A bar that is divided by states, the worst first, and what it says in words.
    private static func bar(_ counts: [FleetFigures.State: Int], _ one: String, _ many: String) -> String {
        let found = FleetFigures.State.allCases.compactMap { state in
            counts[state].flatMap { $0 > 0 ? (state: state.rawValue, count: $0) : nil }
        }
        let total = found.reduce(0) { $0 + $1.count }
        guard total > 0 else { return "<p>There are none; do kiosks know the hub (--fleet-hub)?</p>\n" }
        let shares = found.map { max(leastWidth, width * Double($0.count) / Double(total)) }
        let scale = width / shares.reduce(0, +)
        var (left, parts) = (0.0, "")
        for (part, share) in zip(found, shares) {
            let width = share * scale
            parts +=
                "<rect class=\"\(part.state)\" x=\"\(rounded(left))\" width=\"\(rounded(width))\" height=\"24\"><title>\(part.count) \(part.state)</title></rect>"
            left += width
        }
        let words = found.map { "\($0.count) \($0.state)" }.joined(separator: ", ")
        let keys = found.map { "<span class=\"\($0.state)\">\($0.count) \($0.state)</span>" }.joined(separator: " ")
        return """
            <svg viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label="\(words)">\(parts)</svg>
            <p>\(Quantities.count(total, one, many)): \(keys)</p>

            """
    }

    /// With one digit behind the point.
    private static func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    // MARK: Text

    /// Text in which no character is markup, neither between tags nor in a quoted attribute. Control characters, and
    /// those that turn the direction of the text behind them, are shown as `terminalEscaped` shows them.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.terminalEscaped.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static let style = """
        :root { color-scheme: light dark; --ok: #17693a; --warning: #855400; --critical: #b3261e; --silent: #6a1b9a;
        --unknown: #565d6b; --line: #dadde4; }
        @media (prefers-color-scheme: dark) { :root { --ok: #7ddba0; --warning: #f5c566; --critical: #ff9b92;
        --silent: #d6a4f0; --unknown: #a6adbb; --line: #30353f; } }
        body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        main { max-width: 62rem; margin: 0 auto; padding: 1rem; }
        svg { display: block; width: 100%; height: 2rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0;
        border-bottom: 1px solid var(--line); }
        span { font-weight: 600; white-space: nowrap; margin-right: .75rem; }
        .notice { border-left: .25rem solid var(--critical); padding-left: .75rem; }
        .ok { color: var(--ok); fill: var(--ok); } .warning { color: var(--warning); fill: var(--warning); }
        .critical { color: var(--critical); fill: var(--critical); }
        .silent { color: var(--silent); fill: var(--silent); }
        .unknown { color: var(--unknown); fill: var(--unknown); }
        footer { margin-top: 2rem; }
        """
}
