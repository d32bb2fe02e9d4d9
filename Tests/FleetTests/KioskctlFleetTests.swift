import Foundation
import KioskDaemonSupport
import KioskFleet
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// `kioskctl fleet` at real hubs, and with a real kiosk.
@Suite(.timeLimit(.minutes(15))) struct KioskctlFleetTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("fleet") }

    /// Runs it with a hub from the environment; an empty one is none.
    private func run(_ hub: String, _ arguments: String..., input: String = "") async throws -> ChildProcess.Result {
        try await KioskctlFleet.run(arguments, hub: hub, input: input)
    }

    private func json(_ result: ChildProcess.Result) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        return try #require(value as? [String: Any], "\(result)")
    }

    private func receipt(_ text: String = "TEA 2.50\n") throws -> String {
        try folder.write(text, to: "order.txt")
    }

    // MARK: Setup

    @Test(arguments: NATSServer.installed)
    func `setup shows what is missing, makes it, and puts changed settings back`(
        version: NATSServer.Version
    ) async throws {
        let server = try await NATSServer(version)
        let before = try await run(server.url, "setup", "--replicas", "1")
        #expect(before.end == .exited(1), "\(before)")
        #expect(before.standardOutput.split(separator: "\n").count { $0.contains("missing") } == 9)
        #expect(before.standardError.contains("kioskctl fleet setup --apply"))
        // Looking has made none.
        #expect(try await run(server.url, "setup", "--replicas", "1").standardOutput == before.standardOutput)
        let made = try await run(server.url, "setup", "--replicas", "1", "--apply")
        let settled: ChildProcess.End = version == .current ? .exited(0) : .exited(1)
        #expect(made.end == settled, "\(made)")
        if version == .debian {
            #expect(made.standardOutput.contains("allow_msg_ttl: false → true"))
            #expect(made.standardError.contains("version is too old"))
        }
        let link = try await NATSLink.connect(NATSLink.Options.test([server.url]))
        try await eventually("the link to reach the hub") { link.isConnected }
        var reports = try #require(HubLayout(replicas: 1).streams.first { $0.name == HubLayout.reports })
        reports.maximumMessagesPerSubject = 3
        try await JetStream(link).update(reports)
        let changed = try await run(server.url, "setup", "--replicas", "1", "--json")
        #expect(changed.end == .exited(1))
        let streams = try #require(try json(changed)["streams"] as? [[String: Any]])
        let found = try #require(streams.first { $0["name"] as? String == "REPORTS" })
        #expect(found["state"] as? String == "different")
        #expect(
            found["differences"] as? [[String: String]]
                == [["setting": "max_msgs_per_subject", "found": "3", "wanted": "8"]])
        #expect(try await run(server.url, "setup", "--replicas", "1", "--apply").end == settled)
        #expect(try await JetStream(link).configuration(of: HubLayout.reports)?.maximumMessagesPerSubject == 8)
    }

    // MARK: Jobs

    @Test(arguments: NATSServer.installed)
    func `a job is stored once under its key, and another document is refused`(
        version: NATSServer.Version
    ) async throws {
        let office = try await FleetOffice(version)
        let file = try receipt()
        let arguments = ["--site", "0147", "--role", "receipt", "--key", "order-1"]
        let print = { (file: String) in
            try await ChildProcess.run(
                BuiltProducts.path("kioskctl-fleet"), ["print", file, "--hub", office.server.url] + arguments,
                deadline: .seconds(600))
        }
        let first = try await print(file)
        #expect(first.end == .exited(0), "\(first)")
        #expect(first.standardOutput == "order-1: stored at the hub for receipt of 0147 (9 B)\n")
        let again = try await print(file)
        #expect(again.end == .exited(0))
        #expect(again.standardOutput == "order-1: already stored at the hub for receipt of 0147 (9 B)\n")
        let other = try await print(try receipt("CAKE\n"))
        #expect(other.end == .exited(1))
        #expect(other.standardError.contains("the idempotency key was used for another document or destination"))
    }

    @Test func `without a key a random one is made and shown`() async throws {
        let office = try await FleetOffice()
        let result = try await run(
            office.server.url, "print", "-", "--site", "0147", "--role", "receipt", "--name", "Receipt 147",
            "--type", "receiptline", "--ticket", #"{"copies": 2}"#, "--expires-after", "60", "--json", input: "TEA\n")
        #expect(result.end == .exited(0), "\(result)")
        let sent = try json(result)
        let key = try #require(sent["key"] as? String)
        #expect(key.count == 32 && sent["outcome"] as? String == "stored" && sent["site"] as? String == "0147")
        let message = try #require(
            try await office.jetStream.lastMessage(
                of: .job(to: "receipt", of: FleetOffice.site, JobKey(idempotencyKey: key)), in: HubLayout.jobs))
        #expect(message.body == Array("TEA\n".utf8))
        #expect(message.headers["Kioskd-Name"] == "Receipt 147")
        #expect(message.headers["Kioskd-Format"] == "text/receiptline")
        #expect(message.headers["Kioskd-Ticket"] == #"{"copies":2}"#)
        #expect(message.headers["Kioskd-Expires-After"] == "60")
    }

    /// SHA-256 of `TEA 2.50` and a line break.
    private static let digest = "a04ed2488f623fc46dfd48ed4c8bbfe396a0c4aa3aa644d6db38fa3975a764af"

    @Test func `a document at an address is printed, and sent again under another address it is the same`() async throws
    {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let store = try await NginxStore()
        try store.put(Array("TEA 2.50\n".utf8), as: "tea.txt")
        let daemon = try await KioskdFixture(printers: [printer.uri], arguments: office.options("kiosk-1"))
        let address = "http://127.0.0.1:\(store.port)/documents/tea.txt?X-Amz-Signature="
        let print = { (signature: String) in
            try await ChildProcess.run(
                BuiltProducts.path("kioskctl-fleet"),
                [
                    "print", address + signature, "--hub", office.server.url, "--site", "0147", "--role", "receipt",
                    "--key", "order-1", "--size", "9", "--sha256", Self.digest, "--wait", "final",
                ], deadline: .seconds(600))
        }
        let printed = try await print("1")
        #expect(printed.end == .exited(0), "\(printed) \(daemon.log)")
        #expect(printed.standardOutput.hasPrefix("order-1: stored at the hub for receipt of 0147 (9 B)\n"))
        let names = try await printer.paper.map(\.jobName)
        #expect(names.count == 1 && names[0].hasSuffix(" tea.txt"))
        let again = try await print("2")
        #expect(again.end == .exited(0) && again.standardOutput.hasPrefix("order-1: already stored"), "\(again)")
        #expect(try await printer.paper.count == 1)
        let message = try #require(
            try await office.jetStream.lastMessage(
                of: .job(to: "receipt", of: FleetOffice.site, JobKey(idempotencyKey: "order-1")), in: HubLayout.jobs))
        #expect(message.body == Array("\(address)1".utf8))
        #expect(message.headers["Kioskd-Format"] == "text/plain")
    }

    @Test func `waits until the kiosk has printed, and shows the report`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri], arguments: office.options("kiosk-1"))
        let file = try receipt()
        let printed = try await run(
            office.server.url, "print", file, "--site", "0147", "--role", "receipt", "--key", "order-1", "--wait",
            "final", "--wait-timeout", "300")
        #expect(printed.end == .exited(0), "\(printed) \(daemon.log)")
        let lines = printed.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 && lines[0].hasPrefix("order-1: stored at the hub"))
        #expect(lines.last?.hasPrefix("order-1: ended at kiosk-1, job 1 completed on till-1, evidence ") == true)
        let names = try await printer.paper.map(\.jobName)
        // Before it stands what kioskd finds it by at the printer.
        #expect(names.count == 1 && names[0].hasSuffix(" order.txt"))
        let report = try await run(office.server.url, "report", "--site", "0147", "--key", "order-1")
        #expect(report.end == .exited(0))
        #expect(report.standardOutput.contains("completed") && report.standardOutput.contains("till-1"))
        let same = try await run(office.server.url, "report", "--site", "0147", "--key", "order-1", "--json")
        #expect(try json(same)["stage"] as? String == "ended")
        // The same words as with `kioskctl print`: a job for a role that is not there was refused.
        let refused = try await run(
            office.server.url, "print", file, "--site", "0147", "--role", "kitchen", "--key", "order-2", "--wait",
            "accepted", "--json")
        #expect(refused.end == .exited(1), "\(refused)")
        let said = try #require(try json(refused)["report"] as? [String: Any])
        #expect((said["error"] as? [String: String])?["code"] == "unknown-role")
        // The hub takes one job of a key for each role; the kiosk does not.
        let other = try await run(
            office.server.url, "print", file, "--site", "0147", "--role", "kitchen", "--key", "order-1", "--wait",
            "final")
        #expect(other.end == .exited(1), "\(other)")
        #expect(other.standardError.contains("another job under this key"))
    }

    @Test func `cancels a job that waits, and says what became of it`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        try await printer.perform(.goOffline(milliseconds: nil))
        let daemon = try await KioskdFixture(printers: [printer.uri], arguments: office.options("kiosk-1"))
        let job = ["--site", "0147", "--role", "receipt", "--key", "order-1"]
        let accepted = try await ChildProcess.run(
            BuiltProducts.path("kioskctl-fleet"),
            ["print", try receipt(), "--hub", office.server.url, "--wait", "accepted"] + job, deadline: .seconds(600))
        #expect(accepted.end == .exited(0), "\(accepted) \(daemon.log)")
        #expect(accepted.standardOutput.contains("order-1: accepted at kiosk-1, job 1 "))
        for word in ["stored", "already stored"] {
            let canceled = try await run(office.server.url, "cancel", "--site", "0147", "--key", "order-1")
            #expect(canceled.end == .exited(0))
            #expect(canceled.standardOutput == "order-1: its cancellation is \(word) at the hub for 0147\n")
        }
        try await office.report("order-1", .ended)
        let ended = try await ChildProcess.run(
            BuiltProducts.path("kioskctl-fleet"),
            ["print", try receipt(), "--hub", office.server.url, "--wait", "final"] + job, deadline: .seconds(600))
        #expect(ended.end == .exited(4), "\(ended)")
        #expect(ended.standardError.hasPrefix("kioskctl: order-1: ended at kiosk-1, job 1 canceled"))
    }

    @Test func `says what is not settled yet when the waiting ends`() async throws {
        let office = try await FleetOffice()
        let result = try await run(
            office.server.url, "print", try receipt(), "--site", "0147", "--role", "receipt", "--key", "order-1",
            "--wait", "final", "--wait-timeout", "1")
        #expect(result.end == .exited(6), "\(result)")
        #expect(
            result.standardError
                == "kioskctl: order-1: no kiosk of 0147 has taken it yet; see `kioskctl fleet report --site 0147 --key order-1`\n"
        )
        let report = try await run(office.server.url, "report", "--site", "0147", "--key", "order-1")
        #expect(report.end == .exited(1))
        #expect(report.standardError.contains("no kiosk of 0147 has said anything of the job order-1 yet"))
    }

    @Test func `sends again until a hub that is away, or without its streams, is there`() async throws {
        let server = try await NATSServer(.debian)
        try await server.kill()
        let child = try ChildProcess(
            BuiltProducts.path("kioskctl"),
            ["fleet", "print", try receipt(), "--site", "0147", "--role", "receipt", "--timeout", "300"],
            environment: ["KIOSK_FLEET_HUB": server.url])
        try await server.start()
        let link = try await NATSLink.connect(NATSLink.Options.test([server.url]))
        try await eventually("the link to reach the hub") { link.isConnected }
        // It asks a hub that has no stream for its job.
        let jobs = try link.messages(of: "jobs.>", maximum: 10)
        for await message in jobs where message.subject.hasPrefix("jobs.0147.receipt.") { break }
        #expect(child.isRunning, "\(child.standardError)")
        try await HubSetup(HubLayout(replicas: 1), at: JetStream(link, timeout: .seconds(60)))
            .apply(changesExisting: false)
        #expect(try await child.wait() == .exited(0), "\(child.standardError)")
        #expect(child.standardOutput.contains("stored at the hub for receipt of 0147"))
    }

    // MARK: Health

    @Test(arguments: NATSServer.installed)
    func `health shows every kiosk, the worst first`(version: NATSServer.Version) async throws {
        let office = try await FleetOffice(version)
        let none = try await run(office.server.url, "health")
        #expect(none.end == .exited(3), "\(none)")
        #expect(none.standardOutput.hasPrefix("KIOSK FLEET UNKNOWN - no kiosk has said how it is"))
        let checks = [
            HealthReport.Check(code: "printer-unreachable", subject: "till-1", status: .warning, message: "no | paper")
        ]
        for (site, node, checks) in [("0147", "kiosk-1", []), ("0148", "kiosk-1", checks), ("0148", "kiosk-2", [])] {
            let health = HealthReport(
                checks: checks, printersAvailable: 1, printersSaved: 2, jobsWaiting: 3, jobsUnconfirmed: 0,
                oldestWaitingSeconds: nil)
            let status = KioskStatus(version: "0.1.0", health: health, takenUpTo: nil)
            _ = try await office.jetStream.publish(
                .status(SiteName(site), NodeName(node)), body: status.body())
        }
        // A kiosk that was taken away: what the NATS tools write for a deleted key.
        _ = try await office.jetStream.publish(
            .status(SiteName("0149"), NodeName("kiosk-1")), headers: ["KV-Operation": "DEL"], body: [])
        let all = try await run(office.server.url, "health")
        #expect(all.end == .exited(1), "\(all)")
        #expect(
            all.standardOutput == """
                KIOSK FLEET WARNING - 3 kiosks: 1 warning, 2 ok | kiosks=3;;;0 kiosks_silent=0;;;0;3 \
                kiosks_critical=0;;;0;3 kiosks_warning=1;;;0;3 jobs_waiting=9;;;0 jobs_unconfirmed=0;;;0
                WARNING 0148/kiosk-1: 1 of 2 printers available; no / paper
                OK 0147/kiosk-1: 1 of 2 printers available; 3 jobs waiting
                OK 0148/kiosk-2: 1 of 2 printers available; 3 jobs waiting

                """)
        let one = try await run(office.server.url, "health", "--site", "0147", "--json")
        #expect(one.end == .exited(0))
        let kiosks = try #require(try json(one)["kiosks"] as? [[String: Any]])
        #expect(kiosks.count == 1 && kiosks[0]["node"] as? String == "kiosk-1")
        #expect(kiosks[0]["silent"] as? Bool == false && kiosks[0]["age"] as? Int != nil)
    }

    // MARK: Mistakes

    @Test(arguments: [
        ("", ["print", "/dev/null", "--site", "0147", "--role", "receipt"], 64, "Name the hub"),
        ("http://hub", ["setup"], 64, "$KIOSK_FLEET_HUB: the hub's address \"http://hub\" is none"),
        ("", ["setup", "--hub", "nats://till:secret@hub:4222"], 64, "holds a login"),
        ("", ["setup", "--hub", "nats://a:4222", "--hub", "tls://b:4222"], 64, "with TLS and without"),
        ("", ["setup", "--hub", "nats://a:4222, http://b"], 64, "--hub: the hub's address \"http://b\" is none"),
        ("", ["setup", "--hub", "nats://a:4222", "--authorities", "ca.pem"], 64, "--authorities is for TLS"),
        ("nats://127.0.0.1:9", ["cancel", "--site", "A B", "--key", "k"], 64, "a site's name is 1 to 63"),
        ("nats://127.0.0.1:9", ["print", "/dev/null", "--site", "1", "--role", "r"], 1, "it is empty"),
        ("nats://127.0.0.1:9", ["print", "/nowhere", "--site", "1", "--role", "r"], 1, "/nowhere: it cannot be read"),
        (
            "nats://127.0.0.1:9", ["print", "https://store.example/a?secret", "--site", "1", "--role", "r"], 64,
            "add --size and --sha256"
        ),
        (
            "nats://127.0.0.1:9", ["print", "https://store.example/a", "--site", "1", "--role", "r", "--size", "1"], 64,
            "add --size and --sha256"
        ),
        (
            "nats://127.0.0.1:9", ["print", "/dev/null", "--site", "1", "--role", "r", "--size", "1"], 64,
            "leave them out for a file"
        ),
        (
            "nats://127.0.0.1:9",
            ["print", "http://store.example/a", "--site", "1", "--role", "r", "--size", "1", "--sha256", digest], 1,
            "write https://host/path"
        ),
        (
            "nats://127.0.0.1:9",
            ["print", "https://store.example/a", "--site", "1", "--role", "r", "--size", "1", "--sha256", "0"], 1,
            "64 hexadecimal digits"
        ),
        ("nats://127.0.0.1:9", ["setup", "--credentials", "/nowhere"], 1, "the credentials cannot be read"),
        ("nats://127.0.0.1:9", ["setup", "--credentials", "/etc/hosts"], 77, "chmod o= /etc/hosts"),
        ("nats://127.0.0.1:9", ["setup", "--timeout", "1"], 69, "nats://127.0.0.1:9 cannot be reached within 1 s"),
        ("nats://127.0.0.1:9", ["health", "--timeout", "1"], 3, "cannot be reached"),
        ("", ["health"], 3, "Name the hub"),
    ])
    func `mistakes are told with what to do`(
        hub: String, arguments: [String], code: Int32, message: String
    ) async throws {
        let result = try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), ["fleet"] + arguments, environment: ["KIOSK_FLEET_HUB": hub])
        #expect(result.end == .exited(code), "\(result)")
        #expect(result.standardError.hasPrefix("kioskctl: ") && result.standardError.contains(message), "\(result)")
        #expect(!result.standardError.contains("secret"))
    }

    @Test(arguments: [
        ("nats", "authorization { user: office, password: other, timeout: 300 }", "Authorization Violation"),
        ("tls", "", "Secure Connection not available"),
    ])
    func `a hub that does not let it in is told from one that is away`(
        scheme: String, more: String, reason: String
    ) async throws {
        let server = try await NATSServer(.debian, more: more)
        let hub = server.url.replacingOccurrences(of: "nats", with: scheme)
        let result = try await run(hub, "setup")
        #expect(result.end == .exited(69), "\(result)")
        #expect(result.standardError.contains("answers, and does not let this program in (\(reason))"), "\(result)")
    }

    @Test func `a file that holds no login is told before a hub is asked`() async throws {
        let file = try folder.write("nothing\n", to: "office.creds")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let result = try await run("nats://127.0.0.1:9", "setup", "--credentials", file)
        #expect(result.end == .exited(1), "\(result)")
        #expect(result.standardError.hasPrefix("kioskctl: \(file): what should be a NATS JWT"), "\(result)")
    }

    @Test func `a hub that breaks logins off is away, and does not refuse them`() async throws {
        let server = try await NATSServer(.debian)
        let relay = try await TCPRelay(to: server.port)
        try await server.kill()
        let result = try await run("nats://127.0.0.1:\(relay.port)", "setup", "--timeout", "5")
        #expect(result.end == .exited(69), "\(result)")
        #expect(result.standardError.contains("cannot be reached within 5 s"), "\(result)")
    }

    @Test(arguments: [
        ("{", "is no ticket"), (#"{"copys": 2}"#, "\"copys\", which no ticket has"),
        (#"{"copies": 0}"#, "copies"), (#"{"job-password": "1234"}"#, "job-password, which would lie at the hub"),
    ])
    func `a ticket that no kiosk would take is not sent`(ticket: String, message: String) async throws {
        let result = try await run(
            "nats://127.0.0.1:9", "print", try receipt(), "--site", "0147", "--role", "receipt", "--ticket", ticket)
        #expect(result.end == .exited(1) && result.standardError.contains(message), "\(result)")
        #expect(!result.standardError.contains("1234"))
    }
}
