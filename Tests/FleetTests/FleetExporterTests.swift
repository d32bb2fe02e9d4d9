import Foundation
import KioskPrintModel
import KioskPrometheusText
import KioskTestSupport
import Testing

@testable import KioskFleet
@testable import kioskctl_fleet

/// What the exporter makes of the statuses of kiosks: bounded figures, metrics and a page.
@Suite struct FleetExporterTests {
    private static let second: Int64 = 1_000_000_000
    private static let now: Int64 = 1_000_000

    /// What a kiosk has said so many seconds ago; a version of nil is a status that cannot be read.
    private func statement(
        _ site: String, _ node: String, _ status: HealthReport.Status = .ok, age: Int64 = 1, version: String? = "0.1.0",
        waiting: Int = 2, message: String = "any"
    ) throws -> FleetHealth.Statement {
        let health = HealthReport(
            checks: [HealthReport.Check(code: "any", status: status, message: message)], printersAvailable: 1,
            printersSaved: 1, jobsWaiting: waiting, jobsUnconfirmed: 1, oldestWaitingSeconds: nil)
        return FleetHealth.Statement(
            site: try SiteName(site), node: try NodeName(node),
            status: version.map { KioskStatus(version: $0, health: health, takenUpTo: nil) },
            storedAt: (Self.now - age) * Self.second)
    }

    private func figures(_ statements: [FleetHealth.Statement]) -> FleetFigures {
        FleetFigures(FleetHealth(statements, at: Self.now * Self.second))
    }

    private func metrics(_ figures: FleetFigures, namedSites: Int = 0) throws -> ScrapedMetrics {
        try ScrapedMetrics(FleetMetrics(namedSites: namedSites).text(of: snapshot(figures)))
    }

    private func snapshot(_ figures: FleetFigures?, problem: String? = nil) -> FleetSnapshot {
        FleetSnapshot(
            figures: figures, isUp: problem == nil, age: .milliseconds(1500), readingTime: .milliseconds(20),
            counts: .init(done: 3, failed: 1), problem: problem)
    }

    /// A site of each kind.
    private func fleet() throws -> [FleetHealth.Statement] {
        [
            try statement("ok", "kiosk-1"), try statement("ok", "kiosk-2"),
            try statement("warning", "kiosk-1", .warning), try statement("warning", "kiosk-2"),
            try statement("half", "kiosk-1", age: 4000), try statement("half", "kiosk-2"),
            try statement("critical", "kiosk-1", .critical), try statement("silent", "kiosk-1", .ok, age: 7200),
            try statement("new", "kiosk-1", version: nil),
        ]
    }

    // MARK: Figures

    @Test func `a site is silent where all its kiosks are, and critical where one is`() throws {
        let figures = figures(try fleet())
        #expect(figures.kiosks == [.silent: 2, .critical: 1, .warning: 1, .unknown: 1, .ok: 4])
        #expect(figures.sites == [.silent: 1, .critical: 2, .warning: 1, .unknown: 1, .ok: 1])
        #expect(figures.worstSites.map(\.site) == ["silent", "critical", "half", "warning", "new"])
        #expect(figures.worstSites.map(\.state) == [.silent, .critical, .critical, .warning, .unknown])
        #expect(figures.worstSites[2].finding.hasPrefix("kiosk-1: silent for 1 h 6 min; it said last: "))
        #expect(figures.oldestSilence == 7200)
        #expect(figures.jobsWaiting == 16 && figures.jobsUnconfirmed == 8)
    }

    @Test func `an empty fleet has every state, and none of them`() throws {
        let scrape = try metrics(figures([]))
        for name in ["kioskd_fleet_kiosks", "kioskd_fleet_sites"] {
            #expect(Set(scrape.labels(of: name).compactMap { $0["state"] }).count == 5)
            for state in FleetFigures.State.allCases { #expect(scrape[name, ["state": state.rawValue]] == 0) }
        }
        #expect(scrape["kioskd_fleet_oldest_silence_seconds"] == 0)
        // What this login may not read is left out.
        #expect(scrape.types["kioskd_fleet_configurations"] == nil)
        #expect(scrape.types["kioskd_fleet_stream_bytes"] == nil)
    }

    @Test func `the most common versions are told apart, and all kiosks are counted`() throws {
        var statements: [FleetHealth.Statement] = []
        for version in 1...30 {
            // The lower its number the more kiosks have it.
            for kiosk in version...30 {
                statements.append(try statement("site-\(version)", "kiosk-\(kiosk)", version: "1.\(version)"))
            }
        }
        for (number, version) in ["other", "", String(repeating: "9", count: 65)].enumerated() {
            statements.append(try statement("odd", "kiosk-\(number)", version: version))
        }
        let versions = figures(statements).versions
        #expect(versions.count == 21)
        #expect(versions.first == .init(version: "1.1", kiosks: 30))
        #expect(versions[19] == .init(version: "1.20", kiosks: 11))
        // 10 + 9 + … + 1 of the ten rarest, and the three odd ones.
        #expect(versions.last == .init(version: "other", kiosks: 58))
    }

    @Test func `any number that a kiosk says can be added`() throws {
        let figures = figures([
            try statement("a", "kiosk-1", waiting: .max), try statement("b", "kiosk-1", waiting: .max),
            try statement("c", "kiosk-1", waiting: .min),
        ])
        #expect(figures.jobsWaiting == 2_000_000_000)
    }

    @Test func `configurations are counted by the words of the command that lists them`() throws {
        var report = ConfigurationReport(node: try NodeName("kiosk-1"), mode: .shown, drift: true)
        report.applied = 3
        let sites = [
            SiteConfiguration(site: "a", state: .applied, desired: 3, report: report),
            SiteConfiguration(site: "b", state: .refused, desired: 4), SiteConfiguration(site: "c", state: .noReport),
        ]
        let figures = FleetFigures(
            FleetHealth([], at: nil), configurations: sites, streams: [.init(name: "JOBS", messages: 7, bytes: 4711)])
        let scrape = try metrics(figures)
        for (state, count) in ["applied": 1.0, "refused": 1, "no-report": 1, "waiting": 0, "none": 0] {
            #expect(scrape["kioskd_fleet_configurations", ["state": state]] == count, "\(state)")
        }
        #expect(scrape["kioskd_fleet_configurations_drifted"] == 1)
        #expect(scrape["kioskd_fleet_stream_messages", ["stream": "JOBS"]] == 7)
        #expect(scrape["kioskd_fleet_stream_bytes", ["stream": "JOBS"]] == 4711)
        let json = try JSONSerialization.jsonObject(with: Data(try FleetJSON.encode(figures))) as? [String: Any]
        #expect((json?["configurations"] as? [String: Int])?["no-report"] == 1)
        #expect((json?["kiosks"] as? [String: Int])?["ok"] == 0)
    }

    // MARK: Metrics

    @Test func `what a kiosk says cannot break the text`() throws {
        let versions = ["a\"b", "a\\", "a\nkioskd_fleet_up 7", "a\"\u{301}", "} 1 # x", "ü"]
        let statements = try versions.enumerated().map { try statement("site-\($0)", "kiosk-1", version: $1) }
        let scrape = try metrics(figures(statements))
        #expect(scrape["kioskd_fleet_up"] == 1)
        let shown = Set(scrape.labels(of: "kioskd_fleet_kiosks_version").compactMap { $0["version"] })
        #expect(shown.isSuperset(of: ["a\"b", "a\\", "a\"\u{301}", "} 1 # x", "ü"]))
        #expect(shown.count == 6 && shown.allSatisfy { !$0.unicodeScalars.contains("\n") })
    }

    @Test func `sites have series of their own only where that is asked for, and only the worst`() throws {
        let figures = figures(try fleet())
        #expect(try metrics(figures).types["kioskd_fleet_site_state"] == nil)
        let named = try metrics(figures, namedSites: 2).labels(of: "kioskd_fleet_site_state")
        #expect(
            Set(named) == [["site": "silent", "state": "silent"], ["site": "critical", "state": "critical"]])
        // No more than there are, and none that is ok.
        #expect(try metrics(figures, namedSites: 100).labels(of: "kioskd_fleet_site_state").count == 5)
    }

    @Test func `a large fleet has no more series than a small one`() throws {
        let large = try (0..<3000).map {
            try statement(
                "site-\($0)", "kiosk-1", .critical, version: "1.\($0)", message: String(repeating: "x", count: 900))
        }
        let figures = figures(large)
        #expect(figures.worstSites.count == FleetFigures.maximumSites)
        #expect(figures.worstSites.allSatisfy { $0.finding.utf8.count <= 500 })
        #expect(try metrics(figures, namedSites: 100).values.count < 200)
        #expect(FleetPage(snapshot(figures), refresh: .seconds(30), nonce: "n").text.contains("2900 more sites"))
    }

    @Test func `before the first reading there is only that there is none`() throws {
        let text = FleetMetrics(namedSites: 0).text(of: snapshot(nil, problem: "the hub cannot be reached"))
        let scrape = try ScrapedMetrics(text)
        #expect(Set(scrape.types.keys) == ["kioskd_fleet_up", "kioskd_fleet_readings_total"])
        #expect(scrape["kioskd_fleet_up"] == 0)
        #expect(scrape["kioskd_fleet_readings_total", ["outcome": "failed"]] == 1)
    }

    @Test func `names follow Prometheus's conventions, none stands twice, and the document has them all`() throws {
        #expect(Set(FleetMetrics.all.map(\.name)).count == FleetMetrics.all.count)
        let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/fleet.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        let named = Set(text.matches(of: /\bkioskd_fleet_\w+/).map { String($0.0) })
        #expect(named == Set(FleetMetrics.all.map(\.name)))
    }

    // MARK: The page

    @Test func `the page shows the worst sites first, and nothing that a kiosk says is markup`() throws {
        let hostile = #"</td><script>alert("x")</script> ' & "# + "\u{202E}"
        let page = FleetPage(
            snapshot(figures(try fleet() + [try statement("evil", "kiosk-1", .critical, message: hostile)])),
            refresh: .seconds(30), nonce: "4711"
        ).text
        #expect(!page.contains("<script") && !page.contains("\u{202E}") && !page.contains("style=\""))
        #expect(
            page.contains("&lt;/td&gt;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &#39; &amp;"))
        #expect(page.contains(#"<meta http-equiv="refresh" content="30">"#))
        #expect(page.contains(#"<style nonce="4711">"#))
        #expect(page.contains(#"aria-label="1 silent, 3 critical, 1 warning, 1 unknown, 1 ok""#))
        let order = ["<td>silent</td>", "<td>critical</td>", "<td>evil</td>", "<td>warning</td>"].map { cell in
            page.range(of: cell)?.lowerBound
        }
        #expect(order.allSatisfy { $0 != nil } && order.compactMap(\.self) == order.compactMap(\.self).sorted())
        // Nothing is loaded from elsewhere.
        #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("src="))
    }

    @Test func `a page of old figures says so, and one without any too`() throws {
        let old = FleetPage(
            snapshot(figures(try fleet()), problem: "a <b> problem"), refresh: .seconds(30), nonce: "n"
        ).text
        #expect(old.contains("a &lt;b&gt; problem. What follows is 1.5 s old."))
        #expect(old.contains("<td>critical</td>") && old.contains("<title>Kiosk fleet: hub away</title>"))
        let none = FleetPage(snapshot(nil, problem: "away"), refresh: .seconds(30), nonce: "n").text
        #expect(none.contains("Nothing was read yet."))
    }

    // MARK: Requests

    private func pages(isLoopback: Bool = true) -> ExporterPages {
        ExporterPages(
            figures: LastFigures(), metrics: FleetMetrics(namedSites: 0), interval: .seconds(30),
            isLoopback: isLoopback)
    }

    @Test(arguments: [
        ("GET", "/metrics", "localhost:9647", 200), ("HEAD", "/metrics?x=1", "127.0.0.1:9647", 200),
        ("GET", "/", "[::1]:9647", 200), ("GET", "/", nil, 200), ("GET", "/other", "localhost", 404),
        ("POST", "/metrics", "localhost", 405),
        ("GET", "/metrics", "office.example:9647", 421), ("GET", "/metrics", "localhost.evil.example", 421),
        ("GET", "/metrics", "0x7f.1.example", 421),
    ])
    func `a request has its response`(method: String, target: String, host: String?, status: Int) {
        let response = pages().respond(to: ExporterRequest(method: method, target: target, host: host))
        #expect(response.status == status)
        #expect(response.fields.contains(.init(name: "X-Content-Type-Options", value: "nosniff")))
    }

    @Test func `off loopback any name is good, since a proxy or a scrape has its own`() {
        let request = ExporterRequest(method: "GET", target: "/metrics", host: "office.example:9647")
        #expect(pages(isLoopback: false).respond(to: request).status == 200)
    }

    @Test func `the page's policy lets in its own style alone, by another nonce each time`() throws {
        let request = ExporterRequest(method: "GET", target: "/", host: nil)
        let nonces = try (0..<2).map { _ in
            let response = pages().respond(to: request)
            let policy = try #require(response.fields.first { $0.name == "Content-Security-Policy" }?.value)
            let nonce = try #require(policy.firstMatch(of: /style-src 'nonce-([0-9a-f]{32})'/)?.1)
            #expect(policy.hasPrefix("default-src 'none'; ") && policy.hasSuffix("; frame-ancestors 'none'"))
            #expect(response.body.contains("<style nonce=\"\(nonce)\">"))
            return String(nonce)
        }
        #expect(nonces[0] != nonces[1])
    }

    // MARK: Addresses

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:9647", true), ("127.0.0.1:0", "127.0.0.1:0", true),
        ("[::1]:8080", "[::1]:8080", true), ("::1", "[::1]:9647", true), ("0.0.0.0:80", "0.0.0.0:80", false),
        ("[::]", "[::]:9647", false),
    ])
    func `addresses are read`(text: String, address: String, isLoopback: Bool) throws {
        let read = try ExporterAddress(text)
        #expect(read.description == address && read.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", "office", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+80", "[::1", "[::1]80", "1.2.3:80", ":80",
    ])
    func `what is no address is refused`(text: String) {
        #expect(throws: ExporterAddress.Invalid.self) { try ExporterAddress(text) }
    }
}
