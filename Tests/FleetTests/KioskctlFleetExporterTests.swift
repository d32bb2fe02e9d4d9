import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskFleet
@testable import kioskctl_fleet

/// `kioskctl fleet exporter` at real hubs, scraped by curl.
@Suite(.timeLimit(.minutes(15))) struct KioskctlFleetExporterTests {
    /// A running exporter.
    private struct Exporter {
        let child: ChildProcess
        let url: String

        /// Returns once it serves, at a port that the kernel has chosen.
        init(_ hub: String, _ arguments: String...) async throws {
            let child = try ChildProcess(
                BuiltProducts.path("kioskctl"),
                ["fleet", "exporter", "--listen", "127.0.0.1:0", "--interval", "1"] + arguments,
                environment: ["KIOSK_FLEET_HUB": hub])
            self.child = child
            url = try await eventuallyValue("the exporter to serve") {
                guard child.isRunning else { throw TestSupportError("the exporter ended: \(child.standardError)") }
                return child.standardError.firstMatch(of: /serving (http:\/\/127\.0\.0\.1:\d+)\/metrics,/)
                    .map { String($0.1) }
            }
        }

        /// Header and body of a response.
        func curl(_ path: String, _ arguments: String...) async throws -> (header: String, body: String) {
            let result = try await ChildProcess.run(
                try InstalledProgram.path("curl", package: "curl"),
                ["-sS", "-i", "--max-time", "300", url + path] + arguments, deadline: .seconds(600))
            guard result.end == .exited(0) else { throw TestSupportError("\(result) \(child.standardError)") }
            let parts = result.standardOutput.components(separatedBy: "\r\n\r\n")
            return (parts[0], parts.dropFirst().joined(separator: "\r\n\r\n"))
        }

        func metrics() async throws -> ScrapedMetrics { try ScrapedMetrics(await curl("/metrics").body) }

        /// Returns a scrape that is as wanted.
        @discardableResult
        func eventually(
            _ what: String, _ isAsWanted: (ScrapedMetrics) -> Bool
        ) async throws -> ScrapedMetrics {
            try await eventuallyValue(what) {
                guard child.isRunning else { throw TestSupportError("the exporter ended: \(child.standardError)") }
                let scrape = try await metrics()
                return isAsWanted(scrape) ? scrape : nil
            }
        }
    }

    /// Says how two kiosks are, one of them not well.
    private func sayStatuses(at jetStream: JetStream) async throws {
        let checks = [HealthReport.Check(code: "any", status: .warning, message: "the <b>paper</b> is low")]
        for (site, checks) in [("0147", []), ("0148", checks)] {
            let health = HealthReport(
                checks: checks, printersAvailable: 1, printersSaved: 2, jobsWaiting: 3, jobsUnconfirmed: 0,
                oldestWaitingSeconds: nil)
            let status = KioskStatus(version: "0.1.0", health: health, takenUpTo: nil)
            _ = try await jetStream.publish(.status(SiteName(site), NodeName("kiosk-1")), body: status.body())
        }
    }

    private func count(_ scrape: ScrapedMetrics, _ state: String) -> Double? {
        scrape["kioskd_fleet_kiosks", ["state": state]]
    }

    @Test(arguments: NATSServer.installed)
    func `it serves what kiosks say, keeps it while the hub is away, and ends by a signal`(
        version: NATSServer.Version
    ) async throws {
        let office = try await FleetOffice(version)
        let exporter = try await Exporter(office.server.url, "--sites-by-name", "5")
        try await exporter.eventually("the first reading") { $0["kioskd_fleet_up"] == 1 }
        try await sayStatuses(at: office.jetStream)
        _ = try await office.jetStream.publish(.desired(FleetOffice.site), body: Array("version: 1\n".utf8))
        let scrape = try await exporter.eventually("both kiosks and the configuration to be counted") {
            count($0, "ok") == 1 && count($0, "warning") == 1
                && $0["kioskd_fleet_configurations", ["state": "no-report"]] == 1
        }
        #expect(scrape["kioskd_fleet_sites", ["state": "warning"]] == 1)
        #expect(scrape["kioskd_fleet_site_state", ["site": "0148", "state": "warning"]] == 1)
        #expect(scrape["kioskd_fleet_kiosks_version", ["version": "0.1.0"]] == 2)
        #expect(scrape["kioskd_fleet_jobs_waiting"] == 6)
        #expect(scrape["kioskd_fleet_stream_messages", ["stream": "JOBS"]] == 0)
        #expect(scrape["kioskd_fleet_stream_bytes", ["stream": "REPORTS"]] == 0)

        let page = try await exporter.curl("/")
        #expect(page.header.hasPrefix("HTTP/1.1 200 ") && page.header.contains("Content-Security-Policy: default-src"))
        #expect(page.body.contains("the &lt;b&gt;paper&lt;/b&gt; is low"))
        let metrics = try await exporter.curl("/metrics", "--head")
        #expect(metrics.header.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"))
        #expect(metrics.header.contains("Content-Length: ") && metrics.body.isEmpty)
        #expect(try await exporter.curl("/metrics", "--data", "x").header.hasPrefix("HTTP/1.1 405 "))
        #expect(try await exporter.curl("/metrics", "-H", "Host: evil.example").header.hasPrefix("HTTP/1.1 421 "))
        let long = String(repeating: "x", count: 20_000)
        // The connection may break before its response is read, since not all of the header is.
        let refused = try? await exporter.curl("/metrics", "-H", "X-Long: \(long)")
        #expect(refused?.header.hasPrefix("HTTP/1.1 400 ") != false, "\(String(describing: refused))")

        try await office.server.kill()
        let kept = try await exporter.eventually("the hub to be away") { $0["kioskd_fleet_up"] == 0 }
        let kiosks = FleetFigures.State.allCases.compactMap { count(kept, $0.rawValue) }.reduce(0, +)
        #expect(kiosks == 2)
        try await office.server.start()
        try await exporter.eventually("the hub to be back") { $0["kioskd_fleet_up"] == 1 }
        #expect(try await exporter.child.terminate() == .exited(0), "\(exporter.child.standardError)")
    }

    @Test func `it begins without a hub, and without the hub's streams`() async throws {
        let server = try await NATSServer(.debian)
        try await server.kill()
        let exporter = try await Exporter(server.url)
        let away = try await exporter.metrics()
        #expect(away["kioskd_fleet_up"] == 0 && away.types["kioskd_fleet_kiosks"] == nil)
        #expect(try await exporter.curl("/").body.contains("Nothing was read yet."))
        try await eventually("the exporter to say it") { exporter.child.standardError.contains("cannot be reached") }
        try await server.start()
        try await eventually("the exporter to say what the hub lacks") {
            exporter.child.standardError.contains("stream not found")
        }
        let link = try await NATSLink.connect(NATSLink.Options.test([server.url]))
        try await eventually("the link to reach the hub") { link.isConnected }
        try await HubSetup(HubLayout(replicas: 1), at: JetStream(link, timeout: .seconds(60)))
            .apply(changesExisting: false)
        try await exporter.eventually("the first reading") { $0["kioskd_fleet_up"] == 1 }
        exporter.child.signal(SIGINT)
        #expect(try await exporter.child.wait() == .exited(0), "\(exporter.child.standardError)")
    }

    @Test func `once it writes the metrics, or the figures as JSON, with the office's rights`() async throws {
        let hub = try await EnrolledHub(.debian)
        let admin = try hub.link(hub.credentials(of: .admin))
        defer { admin.close() }
        try await eventually("the admin to reach the hub") { admin.isConnected }
        let jetStream = JetStream(admin, timeout: .seconds(60))
        try await HubSetup(HubLayout(replicas: 1), at: jetStream).apply(changesExisting: false)
        try await sayStatuses(at: jetStream)
        let arguments = [
            "fleet", "exporter", "--once", "--hub", hub.server.url, "--timeout", "300", "--credentials",
            try hub.credentials(of: .office),
        ]
        let kioskctl = try BuiltProducts.path("kioskctl")
        let text = try await ChildProcess.run(kioskctl, arguments, deadline: .seconds(600))
        #expect(text.end == .exited(0) && text.standardError.isEmpty, "\(text)")
        let scrape = try ScrapedMetrics(text.standardOutput)
        #expect(scrape["kioskd_fleet_up"] == 1 && scrape["kioskd_fleet_jobs_waiting"] == 6)
        #expect(scrape["kioskd_fleet_stream_messages", ["stream": "DOCS"]] == 0)
        #expect(scrape["kioskd_fleet_configurations", ["state": "applied"]] == 0)
        let json = try await ChildProcess.run(kioskctl, arguments + ["--json"], deadline: .seconds(600))
        #expect(json.end == .exited(0), "\(json)")
        let figures = try JSONSerialization.jsonObject(with: Data(json.standardOutput.utf8)) as? [String: Any]
        #expect(figures?["jobs-waiting"] as? Int == 6)
        #expect((figures?["worst-sites"] as? [[String: Any]])?.first?["site"] as? String == "0148")
    }

    @Test func `what a login may not read is left out`() async throws {
        let server = try await NATSServer(
            .debian,
            more: """
                authorization {
                    users: [
                        { user: admin, password: secret }
                        { user: reader, password: secret, permissions: {
                            publish: ["$JS.API.CONSUMER.CREATE.KV_STATUS.>", "$JS.API.CONSUMER.MSG.NEXT.KV_STATUS.*"]
                            subscribe: ["_INBOX.>"]
                        } }
                    ]
                }
                """)
        func link(_ user: String) async throws -> NATSLink {
            var options = NATSLink.Options.test([server.url], as: user)
            options.authentication = .user(user, password: "secret")
            let link = try await NATSLink.connect(options)
            try await eventually("\(user) to reach the hub") { link.isConnected }
            return link
        }
        let jetStream = JetStream(try await link("admin"), timeout: .seconds(60))
        try await HubSetup(HubLayout(replicas: 1), at: jetStream).apply(changesExisting: false)
        try await sayStatuses(at: jetStream)
        let reader = FleetReader(JetStream(try await link("reader"), timeout: .seconds(60)))
        for _ in 0..<2 {
            let figures = try await reader.read()
            #expect(figures.kiosks[.ok] == 1 && figures.kiosks[.warning] == 1)
            #expect(figures.configurations == nil && figures.configurationsDrifted == nil && figures.streams.isEmpty)
        }
    }

    @Test func `a port that is taken is said`() async throws {
        let exporter = try await Exporter("nats://127.0.0.1:9")
        let place = exporter.url.replacingOccurrences(of: "http://", with: "")
        let second = try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), ["fleet", "exporter", "--listen", place],
            environment: ["KIOSK_FLEET_HUB": "nats://127.0.0.1:9"])
        #expect(second.end == .exited(1), "\(second)")
        #expect(second.standardError.contains("cannot listen at \(place): Address already in use"), "\(second)")
    }

    @Test(arguments: [
        (["--interval", "0"], 64, "--interval is 0"), (["--sites-by-name", "101"], 64, "from 0 to 100"),
        (["--json"], 64, "--json is for --once"), (["--listen", "office"], 64, "write an address of this machine"),
        (["--once", "--timeout", "1"], 69, "cannot be reached within 1 s"),
        (["--credentials", "/nowhere"], 1, "the credentials cannot be read"),
    ])
    func `mistakes are told with what to do`(arguments: [String], code: Int32, message: String) async throws {
        let result = try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), ["fleet", "exporter"] + arguments,
            environment: ["KIOSK_FLEET_HUB": "nats://127.0.0.1:9"])
        #expect(result.end == .exited(code), "\(result)")
        #expect(result.standardError.hasPrefix("kioskctl: ") && result.standardError.contains(message), "\(result)")
    }
}
