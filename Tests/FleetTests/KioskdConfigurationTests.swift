import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// A kioskd that its office sets up through a real hub.
@Suite(.timeLimit(.minutes(15))) struct KioskdConfigurationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("configuration") }

    private func kiosk(_ office: FleetOffice, _ mode: String, registry: String? = nil) async throws -> KioskdFixture {
        try await KioskdFixture(
            registry: registry,
            arguments: office.options("kiosk-1") + [
                "--fleet-configuration", mode, "--fleet-configuration-interval", "1", "--profiles",
                ShippedProfiles.folder,
            ])
    }

    private func run(_ office: FleetOffice, _ arguments: String...) async throws -> ChildProcess.Result {
        try await KioskctlFleet.run(arguments, hub: office.server.url)
    }

    /// What the kiosk reports, once it is as `condition` says.
    @discardableResult
    private func report(
        _ office: FleetOffice, _ what: String, _ condition: (ConfigurationReport) -> Bool
    ) async throws -> ConfigurationReport {
        var last: ConfigurationReport?
        try await eventually("the report: \(what)") {
            last = try await office.jetStream.lastMessage(of: .reported(FleetOffice.site), in: HubLayout.reported)
                .map { try ConfigurationReport($0) }
            return last.map(condition) ?? false
        }
        return try #require(last)
    }

    private func write(_ text: String, _ office: FleetOffice) async throws -> UInt64 {
        let writer = ConfigurationWriter(at: office.jetStream)
        let present = try await writer.current(of: FleetOffice.site).sequence
        return try await writer.write(Array(text.utf8), for: FleetOffice.site, over: present)
    }

    private func file(of daemon: KioskdFixture) -> String? {
        try? String(contentsOfFile: daemon.registryPath, encoding: .utf8)
    }

    @Test(arguments: NATSServer.installed)
    func `what the office applies is in force, and a job to a new role prints`(
        version: NATSServer.Version
    ) async throws {
        let office = try await FleetOffice(version)
        let printer = try await SimulatedPrinter.start()
        let daemon = try await kiosk(office, "managed")
        let text = KioskdFixture.registry([printer.uri], role: "kitchen")
        try folder.write(text, to: "0147.yaml")
        let looked = try await run(office, "apply", "--dir", folder.path, "--dry-run")
        #expect(looked.end == .exited(0) && looked.standardOutput.contains("+  kitchen:"), "\(looked)")
        let unasked = try await run(office, "apply", "--dir", folder.path)
        #expect(unasked.end == .exited(1) && unasked.standardError.contains("add --yes"), "\(unasked)")
        #expect(try await office.jetStream.lastMessage(of: .desired(FleetOffice.site), in: HubLayout.desired) == nil)
        let applied = try await run(
            office, "apply", "--dir", folder.path, "--yes", "--canary", "1", "--as", "anna", "--json")
        #expect(applied.end == .exited(0) && applied.standardOutput.contains("\"applied\""), "\(applied) \(daemon.log)")
        #expect(file(of: daemon) == text)
        #expect(try await daemon.client().submit(text: "soup", to: "kitchen").role == "kitchen")
        try await eventually("the paper") { try await office.printed(by: printer) == ["soup"] }
        let shown = try await run(office, "configuration", "--json")
        #expect(shown.standardOutput.contains("\"state\" : \"applied\""), "\(shown)")
        let audit = try await run(office, "audit", "--site", "0147", "--json")
        #expect(audit.end == .exited(0) && audit.standardOutput.contains("\"who\" : \"anna\""), "\(audit)")
        #expect(audit.standardOutput.components(separatedBy: "\"who\"").count == 2)
    }

    @Test func `an edit at a managed site is refused, and says whom to ask`() async throws {
        let office = try await FleetOffice()
        let daemon = try await kiosk(
            office, "managed", registry: KioskdFixture.registry(["ipp://localhost:9/ipp/print"]))
        let before = file(of: daemon)
        let refusal = await #expect(throws: KioskClientError.self) {
            try await daemon.client().removePrinter("till-1")
        }
        let problem = refusal?.problem
        #expect(problem?.code.rawValue == "managed-centrally" && problem?.status == 409)
        let removed = try await daemon.kioskctl("roles", "remove", "receipt")
        #expect(removed.end != .exited(0) && removed.standardError.contains("kioskctl fleet apply"), "\(removed)")
        #expect(file(of: daemon) == before)
    }

    @Test func `a mistake changes nothing, and the office sees its line and column`() async throws {
        let office = try await FleetOffice()
        let daemon = try await kiosk(
            office, "managed", registry: KioskdFixture.registry(["ipp://localhost:9/ipp/print"]))
        let before = file(of: daemon)
        let broken = "version: 1\nprinters:\n  - { id: till-1, nmae: x, url: \"ipp://localhost:9/ipp/print\" }\n"
        try folder.write(broken, to: "0147.yaml")
        let refused = try await run(office, "apply", "--dir", folder.path, "--yes")
        #expect(refused.end == .exited(1) && refused.standardError.contains("0147.yaml:3:"), "\(refused)")
        #expect(try await office.jetStream.lastMessage(of: .desired(FleetOffice.site), in: HubLayout.desired) == nil)
        // By another program than ours.
        let revision = try await write(broken, office)
        let error = try await report(office, "the mistake") { $0.desired == revision && $0.error != nil }.error
        #expect(error?.line == 3 && (error?.column ?? 0) > 1 && error?.text.contains("nmae") == true)
        #expect(file(of: daemon) == before)
        let table = try await run(office, "configuration", "--site", "0147")
        #expect(table.standardOutput.contains("refused") && table.standardOutput.contains("line 3, column"), "\(table)")
        let right = try await write("version: 1\n", office)
        try await report(office, "what is right") { $0.applied == right && $0.error == nil }
        #expect(file(of: daemon) == "version: 1\n")
    }

    @Test(arguments: ["managed", "shown"])
    func `an edit of the file is drift, which the next configuration overwrites`(mode: String) async throws {
        let office = try await FleetOffice()
        let daemon = try await kiosk(office, mode)
        let first = try await write("version: 1\n", office)
        try await report(office, "applied") { $0.applied == first && !$0.drift }
        let edited = KioskdFixture.registry(["ipp://localhost:9/ipp/print"])
        if mode == "shown" {
            let added = try await daemon.kioskctl("printers", "add", "ipp://localhost:9/ipp/print", "--id", "till-1")
            #expect(added.standardError.contains("managed") == false, "\(added)")
            try daemon.folder.write(edited, to: "printers.yaml")
        } else {
            try daemon.folder.write(edited, to: "printers.yaml")
        }
        try await report(office, "drift") { $0.drift && $0.mode.rawValue == mode }
        try await eventually("the warning") {
            try await daemon.client().health().checks.contains {
                $0.code == "configuration-drift" && $0.status == .warning
            }
        }
        #expect(file(of: daemon) == edited)
        let second = try await write("version: 1\n# second\n", office)
        try await report(office, "applied again") { $0.applied == second && !$0.drift }
        #expect(file(of: daemon) == "version: 1\n# second\n")
    }

    @Test func `a write over an old revision is refused, and repeating one's own is not`() async throws {
        let office = try await FleetOffice()
        let writer = ConfigurationWriter(at: office.jetStream)
        let (site, old) = (FleetOffice.site, try await write("version: 1\n", office))
        let new = try await writer.write(Array("version: 1\n# a\n".utf8), for: site, over: old)
        #expect(try await writer.write(Array("version: 1\n# a\n".utf8), for: site, over: old) == new)
        let error = await #expect(throws: FleetError.self) {
            try await writer.write(Array("version: 1\n# b\n".utf8), for: site, over: old)
        }
        #expect(error?.code == .conflict)
        #expect(try await writer.current(of: site).desired?.revision == new)
    }

    @Test func `a kiosk that is killed as soon as its file is written comes right, and applies nothing twice`()
        async throws
    {
        let office = try await FleetOffice()
        let daemon = try await kiosk(office, "managed")
        let text = KioskdFixture.registry(["ipp://localhost:9/ipp/print"])
        let revision = try await write(text, office)
        try await eventually("the file", poll: .milliseconds(1)) { file(of: daemon) == text }
        try await daemon.kill()
        try await daemon.start()
        try await report(office, "applied") { $0.applied == revision && !$0.drift && $0.error == nil }
        // While it is down.
        try await daemon.kill()
        let next = try await write("version: 1\n", office)
        try await daemon.start()
        try await report(office, "the next") { $0.applied == next && !$0.drift }
        let versions = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
            .filter { $0.hasPrefix("printers.yaml.~") }
        #expect(versions.count == 2, "\(versions)")
    }

    @Test func `the bucket of a hub that was wiped counts anew, and is taken`() async throws {
        let office = try await FleetOffice()
        let daemon = try await kiosk(office, "managed")
        for text in ["version: 1\n", "version: 1\n# 2\n", "version: 1\n# 3\n"] {
            let revision = try await write(text, office)
            try await report(office, "applied \(revision)") { $0.applied == revision }
        }
        try await office.wipeHub()
        #expect(try await write("version: 1\n# anew\n", office) == 1)
        try await report(office, "applied anew") { $0.applied == 1 && !$0.drift }
        #expect(file(of: daemon) == "version: 1\n# anew\n")
    }

    @Test func `a canary that fails leaves the other sites untouched`() async throws {
        let office = try await FleetOffice()
        let daemon = try await kiosk(office, "managed", registry: "version: 1\n")
        // The office does not know the kiosk's profiles.
        let url = "ipp://localhost:9/ipp/print"
        let text = "version: 1\nprinters:\n  - { id: till-1, url: \"\(url)\", profile: of-no-printer }\n"
        for site in ["0147", "0148", "0149"] { try folder.write(text, to: "\(site).yaml") }
        let result = try await run(office, "apply", "--dir", folder.path, "--canary", "1%", "--yes")
        #expect(result.end == .exited(1), "\(result) \(daemon.log)")
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("0147") && $0.contains("failed") && $0.contains("line 3") }, "\(result)")
        #expect(lines.count { $0.contains("untouched") } == 2)
        for site in ["0148", "0149"] {
            let site = try SiteName(site)
            #expect(try await office.jetStream.lastMessage(of: .desired(site), in: HubLayout.desired) == nil)
        }
        #expect(file(of: daemon) == "version: 1\n")
    }
}
