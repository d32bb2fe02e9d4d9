import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskMetrics
import KioskPrintModel
import KioskPrometheusText
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// `/metrics` of a daemon that has worked, and what is shipped to watch it with.
@Suite struct KioskdMetricsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func promtool(_ arguments: [String], input: String = "") async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            try InstalledProgram.path("promtool", package: "prometheus"), arguments, input: input)
    }

    private static func registry(_ uri: String, _ away: String) -> String {
        """
        version: 1
        printers:
          - { id: till-1, url: "\(uri)" }
          - { id: away, url: "\(away)" }
        roles:
          receipt: { printers: [till-1] }
          slip: { printers: [till-1], unconfirmed: hold }
          draft: { printers: [till-1], unconfirmed: drop }

        """
    }

    /// Sends a job that its printer takes, and forgets when its power goes; returns it once nobody can know of it.
    private func lose(_ role: String, _ printer: SimulatedPrinter, _ daemon: KioskdFixture) async throws -> Job {
        try await printer.perform(.hold)
        let id = try await daemon.submit("CAKE\n", "role=\(role)").json(Job.self).id
        try await eventually("the printer to have the job") {
            try await daemon.curl("/v1/jobs/\(id)").json(Job.self).remoteJob != nil
        }
        try await printer.perform(.powerOff)
        try await printer.perform(.goOnline)
        try await eventually("the job to be in doubt") {
            try await daemon.curl("/v1/jobs/\(id)").json(Job.self).isUnconfirmed
        }
        try await printer.perform(.release)
        return try await daemon.curl("/v1/jobs/\(id)").json(Job.self)
    }

    /// The samples of a scrape, by their name and labels as they are written.
    private func samples(_ text: String) -> [String: Double] {
        Dictionary(
            uniqueKeysWithValues: text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
                line.lastIndex(of: " ").flatMap { space in
                    Double(line[line.index(after: space)...]).map { (String(line[..<space]), $0) }
                }
            })
    }

    @Test func `what was printed, lost, held and canceled is counted, and promtool has nothing to say`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            registry: Self.registry(printer.uri, "ipp://localhost:\(try freePort())/ipp/print"))
        for _ in 0..<3 {
            let job = try await daemon.submit("TEA\n", "role=receipt&wait=300").json(Job.self)
            #expect(job.state == .completed)
        }
        #expect(try await lose("slip", printer, daemon).state == .pendingHeld)
        #expect(try await lose("draft", printer, daemon).state == .aborted)
        let canceled = try await daemon.submit("MILK\n", "printer=away").json(Job.self).id
        _ = try await daemon.curl("/v1/jobs/\(canceled)", ["-X", "DELETE"])
        _ = try await daemon.submit("SALT\n", "printer=away").json(Job.self)
        try await eventually("away to be unreachable") {
            try await daemon.curl("/v1/printers/away").json(PrinterStatus.self).availability.state == .unreachable
        }

        let response = try await daemon.curl("/metrics")
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let check = try await Self.promtool(["check", "metrics"], input: response.text)
        #expect(check.end == .exited(0), "\(check.standardOutput)\(check.standardError)")
        #expect((check.standardOutput + check.standardError).isEmpty, "\(check.standardOutput)\(check.standardError)")

        let found = samples(response.text)
        #expect(found[#"kioskd_build_info{version="0.1.0"}"#] == 1)
        #expect(found[#"kioskd_jobs_accepted_total{role="receipt"}"#] == 3)
        #expect(found[#"kioskd_jobs_accepted_total{role=""}"#] == 2)
        let settled = found.filter { $0.key.hasPrefix("kioskd_jobs_settled_total{") }
        func count(_ parts: String...) -> Double {
            settled.filter { sample in parts.allSatisfy(sample.key.contains) }.values.reduce(0, +)
        }
        #expect(count(#"role="receipt""#, #"state="completed""#) == 3, "\(settled)")
        #expect(count(#"role="receipt""#, #"evidence="""#) == 0, "\(settled)")
        #expect(count(#"role="slip""#, #"state="pending-held""#, #"reason="unconfirmed""#) == 1, "\(settled)")
        #expect(count(#"role="draft""#, #"state="aborted""#, #"reason="unconfirmed""#) == 1, "\(settled)")
        #expect(count(#"role="""#, #"state="canceled""#) == 1, "\(settled)")
        #expect(found[#"kioskd_jobs_unconfirmed_total{role="slip"}"#] == 1)
        #expect(found[#"kioskd_jobs_unconfirmed_total{role="receipt"}"#] == 0)
        #expect(found[#"kioskd_job_accept_duration_seconds_count{role="receipt"}"#] == 3)
        #expect(found[#"kioskd_job_first_byte_duration_seconds_count{role="receipt"}"#] == 3)
        #expect(found[#"kioskd_job_end_duration_seconds_count{role="receipt"}"#] == 3)
        #expect(found[#"kioskd_delivered_bytes_total{printer="till-1"}"#] == 22)
        #expect(found[#"kioskd_delivery_attempts_total{printer="till-1"}"#] == 5)
        #expect((found["kioskd_storage_sync_duration_seconds_count"] ?? 0) >= 5)
        #expect(found[#"kioskd_queue_jobs{role="slip",state="pending-held"}"#] == 1)
        #expect(found[#"kioskd_queue_jobs{role="",state="pending"}"#] == 1)
        #expect(found[#"kioskd_queue_jobs{role="receipt",state="pending"}"#] == 0)
        #expect((found[#"kioskd_queue_oldest_job_age_seconds{role=""}"#] ?? 0) > 0)
        #expect(found[#"kioskd_queue_oldest_job_age_seconds{role="slip"}"#] == 0)
        #expect(found[#"kioskd_printer_available{printer="away"}"#] == 0)
        #expect(found[#"kioskd_printer_state{printer="away",state="unreachable"}"#] == 1)
        #expect(found["kioskd_registry_version"] == 1)
        #expect(found["kioskd_registry_refused"] == 0)
        #expect(found[#"kioskd_helper_failures_total{helper="kiosk-draw"}"#] == 0)
    }

    @Test func `over the network it takes a token that may read`() async throws {
        let port = try freePort()
        let daemon = try await KioskdFixture(arguments: ["--listen", "127.0.0.1:\(port)"])
        func status(_ scope: String?) async throws -> String {
            var arguments = ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(port)/metrics"]
            if let scope {
                let made = try await daemon.curlJSON(
                    "POST", "/v1/tokens", #"{"name":"token","scopes":["\#(scope)"]}"#)
                let token = try made.json(NewToken.self)
                arguments += ["-H", "Authorization: Bearer \(token.secret)"]
                let result = try await ChildProcess.run(
                    try InstalledProgram.path("curl", package: "curl"), arguments)
                _ = try await daemon.curl("/v1/tokens/\(token.token.id)", ["-X", "DELETE"])
                return result.standardOutput
            }
            return try await ChildProcess.run(try InstalledProgram.path("curl", package: "curl"), arguments)
                .standardOutput
        }
        try await eventually("the daemon to listen over TCP") {
            daemon.log.contains("listening at http://127.0.0.1:\(port)")
        }
        #expect(try await status(nil) == "401")
        #expect(try await status("print:receipt") == "403")
        #expect(try await status("read") == "200")
        #expect(try await status("admin") == "200")
    }

    // MARK: What is shipped

    @Test func `the alert rules are valid, and say what they should`() async throws {
        let folder = Self.root.appendingPathComponent("contrib/prometheus").path
        for arguments in [["check", "rules", "kioskd.rules.yml"], ["test", "rules", "kioskd.rules.test.yml"]] {
            let result = try await ChildProcess.run(
                try InstalledProgram.path("promtool", package: "prometheus"), arguments, folder: folder)
            #expect(result.end == .exited(0), "\(result.standardOutput)\(result.standardError)")
        }
        // Each alert has a test in which it fires.
        let rules = try String(contentsOfFile: "\(folder)/kioskd.rules.yml", encoding: .utf8)
        let tests = try String(contentsOfFile: "\(folder)/kioskd.rules.test.yml", encoding: .utf8)
        for alert in rules.matches(of: /- alert: (\w+)/).map(\.1) {
            let fires = try Regex("alertname: \(alert)\\n +exp_alerts:")
            #expect(tests.contains(fires), "\(alert)")
        }
    }

    @Test(arguments: ["contrib/prometheus/kioskd.rules.yml", "contrib/grafana/kioskd.json"])
    func `every metric that is named exists`(file: String) throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8)
        let named = Set(text.matches(of: /\b(kioskd_\w+|process_\w+)/).map { String($0.1) })
        let known = Set(MetricCatalogue.all.flatMap(\.sampleNames))
        #expect(named.count > 8)
        #expect(named.subtracting(known).isEmpty, "\(named.subtracting(known).sorted())")
    }

    @Test func `the dashboard shows every metric, and its panels do not overlap`() throws {
        struct Dashboard: Decodable {
            struct Panel: Decodable {
                struct Position: Decodable { var x, y, w, h: Int }
                var id: Int
                var title: String
                var gridPos: Position
            }
            var panels: [Panel]
        }
        let data = try Data(contentsOf: Self.root.appendingPathComponent("contrib/grafana/kioskd.json"))
        let text = String(decoding: data, as: UTF8.self)
        for family in MetricCatalogue.all { #expect(text.contains(family.name), "\(family.name)") }
        let panels = try JSONDecoder().decode(Dashboard.self, from: data).panels
        #expect(Set(panels.map(\.id)).count == panels.count)
        var cells: Set<[Int]> = []
        for panel in panels {
            let place = panel.gridPos
            #expect(place.x + place.w <= 24, "\(panel.title)")
            for x in place.x..<(place.x + place.w) {
                for y in place.y..<(place.y + place.h) { #expect(cells.insert([x, y]).inserted, "\(panel.title)") }
            }
        }
    }
}

/// The id of a request, from its header to all that is told of it.
@Suite struct KioskdRequestIDTests {
    @Test func `a till's id stands in the response, the job, its timeline, its events and the log`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            registry: KioskdFixture.registry([printer.uri], more: "    unconfirmed: drop\n"))
        let id = "till-7/4711"
        try await printer.perform(.hold)
        let response = try await daemon.submit("TEA\n", "role=receipt", ["-H", "X-Request-ID: \(id)"])
        #expect(response.headers["x-request-id"] == id)
        let job = try response.json(Job.self)
        #expect(job.requestID == id)
        try await eventually("the printer to have the job") {
            try await daemon.curl("/v1/jobs/\(job.id)").json(Job.self).remoteJob != nil
        }
        // The job outlives the daemon, and its id with it.
        try await daemon.kill()
        try await printer.perform(.powerOff)
        try await printer.perform(.goOnline)
        try await daemon.start()
        try await eventually("the job's end") { try await daemon.curl("/v1/jobs/\(job.id)").json(Job.self).isSettled }
        #expect(try await daemon.curl("/v1/jobs/\(job.id)").json(Job.self).requestID == id)
        #expect(try await daemon.curl("/v1/jobs/\(job.id)/timeline").json(JobTimeline.self).requestID == id)
        let events = try await daemon.curl("/v1/events", ["-H", "Last-Event-ID: 0", "--max-time", "2"]).text
        #expect(events.contains(#""request-id":"\#(id)""#), "\(events)")
        try await eventually("the line of the log") {
            daemon.log.contains("job \(job.id) is aborted") && daemon.log.contains("request-id=\(id)")
        }
    }

    @Test func `a request without an id gets one, and so does one whose id cannot stand in a log`() async throws {
        let daemon = try await KioskdFixture()
        var seen: Set<String> = []
        let long = String(repeating: "x", count: 129)
        for fields in [[], ["X-Request-ID: two words"], ["X-Request-ID: \(long)"], ["X-Request-ID: ü"]] {
            let response = try await daemon.curl("/v1/health", fields.flatMap { ["-H", $0] })
            let id = try #require(response.headers["x-request-id"])
            #expect(id.wholeMatch(of: /[0-9a-z]{13}/) != nil, "\(id)")
            seen.insert(id)
        }
        #expect(seen.count == 4)
        // A problem's response has it too.
        let missing = try await daemon.curl("/v1/jobs/4711", ["-H", "X-Request-ID: a"])
        #expect(missing.status == 404)
        #expect(missing.headers["x-request-id"] == "a")
        let longest = String(repeating: "x", count: 128)
        let kept = try await daemon.curl("/v1/health", ["-H", "X-Request-ID: \(longest)"])
        #expect(kept.headers["x-request-id"] == longest)
    }
}
