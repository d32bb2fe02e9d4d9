import ArgumentParser
import Foundation
import KioskFleet
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import kioskctl_fleet

/// `RECORD_HELP=1 swift test --filter KioskctlFleetHelpTests` writes the help texts again, for review as a diff.
@Suite struct KioskctlFleetHelpTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Golden/kioskctl-help")

    private static let commands: [(name: String, command: any ParsableCommand.Type)] = [
        ("fleet", FleetProgram.self), ("fleet-setup", SetupCommand.self), ("fleet-print", PrintCommand.self),
        ("fleet-cancel", CancelCommand.self), ("fleet-report", ReportCommand.self),
        ("fleet-health", HealthCommand.self), ("fleet-authority", AuthorityCommand.self),
        ("fleet-authority-create", CreateAuthorityCommand.self), ("fleet-join", JoinCommand.self),
        ("fleet-admit", AdmitCommand.self), ("fleet-renew", RenewCommand.self),
        ("fleet-revoke", RevokeCommand.self), ("fleet-kiosks", KiosksCommand.self),
        ("fleet-simulate", SimulateFleetCommand.self),
        ("fleet-apply", ApplyCommand.self), ("fleet-configuration", ConfigurationCommand.self),
        ("fleet-audit", AuditCommand.self), ("fleet-exporter", ExporterCommand.self),
    ]

    @Test(arguments: commands.map(\.name)) func `help is as it was reviewed, and fits a terminal`(
        _ name: String
    ) throws {
        let command = try #require(Self.commands.first { $0.name == name }).command
        let help = FleetProgram.helpMessage(for: command, columns: 80)
        let file = Self.folder.appendingPathComponent("\(name).txt")
        if ProcessInfo.processInfo.environment["RECORD_HELP"] != nil { try Data(help.utf8).write(to: file) }
        #expect(help == String(decoding: try Data(contentsOf: file), as: UTF8.self))
        #expect(help.contains("EXAMPLES\n"))
        #expect(command == FleetProgram.self || help.contains("--json"))
        // The parser wraps every line except the usage.
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE: ") })
    }

    @Test(arguments: [["fleet", "print", "--help"], ["help", "fleet", "print"], ["fleet", "print", "-h"]])
    func `its help is reached as every command's`(arguments: [String]) async throws {
        let result = try await ChildProcess.run(try BuiltProducts.path("kioskctl"), arguments)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput.contains("USAGE: kioskctl fleet print "))
    }

    @Test func `says what to install where its own program is missing`() async throws {
        let folder = try TemporaryFolder("fleet")
        let alone = folder.appending("kioskctl")
        try FileManager.default.copyItem(atPath: BuiltProducts.path("kioskctl"), toPath: alone)
        let missing = try await ChildProcess.run(alone, ["fleet", "setup"])
        #expect(missing.end == .exited(1) && missing.standardError.contains("install kioskctl-fleet"))
        // Monitoring cannot ask.
        #expect(try await ChildProcess.run(alone, ["fleet", "health"]).end == .exited(3))
    }
}

/// How a fleet is judged, and the exit codes of jobs that were waited for.
@Suite struct FleetHealthTests {
    private static let second: Int64 = 1_000_000_000

    private func statement(_ node: String, age: Int64, _ status: HealthReport.Status?) throws -> FleetHealth.Statement {
        let checks = [HealthReport.Check(code: "any", status: status ?? .ok, message: "it is \(status ?? .ok)")]
        let health = HealthReport(
            checks: checks, printersAvailable: 1, printersSaved: 1, jobsWaiting: 0, jobsUnconfirmed: 0,
            oldestWaitingSeconds: nil)
        return FleetHealth.Statement(
            site: try SiteName("0147"), node: try NodeName(node),
            status: status.map { _ in KioskStatus(version: "0.1.0", health: health, takenUpTo: nil) },
            storedAt: (1000 - age) * Self.second)
    }

    @Test func `a kiosk that has said nothing for three minutes is silent, and worse than any other`() throws {
        let health = FleetHealth(
            [
                try statement("ok", age: 180, .ok), try statement("new", age: 1, nil),
                try statement("warning", age: 1, .warning), try statement("critical", age: 1, .critical),
                try statement("silent", age: 181, .ok),
            ], at: 1000 * Self.second)
        #expect(health.status == .critical)
        #expect(health.kiosks.map(\.node) == ["silent", "critical", "warning", "new", "ok"])
        let lines = FleetHealthText.lines(health).split(separator: "\n").map(String.init)
        #expect(
            lines[0].hasPrefix("KIOSK FLEET CRITICAL - 5 kiosks: 1 silent, 1 critical, 1 warning, 1 unknown, 1 ok |"))
        #expect(
            lines[1]
                == "CRITICAL 0147/silent: silent for 3 min 1 s; it said last: 1 of 1 printer available; 0 jobs waiting")
        #expect(lines[4] == "UNKNOWN 0147/new: its status is none that this version knows; update kioskctl")
    }

    @Test func `without the hub's time nobody is silent, and a clock that is behind makes no age`() throws {
        #expect(FleetHealth([try statement("ok", age: 999, .ok)], at: nil).status == .ok)
        #expect(FleetHealth([try statement("ok", age: -5, .ok)], at: 1000 * Self.second).kiosks[0].age == 0)
        #expect(FleetHealth([], at: 1000 * Self.second).status == .unknown)
    }

    private static let ends: [(FleetReport.Stage, String?, Int32, Int32?)] = [
        (.accepted, nil, 0, nil), (.unconfirmed, nil, 0, 5), (.refused, "job-expired", 1, 1),
        (.refused, "job-canceled", 4, 4), (.ended, nil, 0, 1),
    ]

    @Test(arguments: ends)
    func `exit codes are those of kioskctl print`(
        stage: FleetReport.Stage, error: String?, accepted: Int32, final: Int32?
    ) throws {
        let report = FleetReport(
            node: try NodeName("kiosk-1"), stage, error: .init(code: error ?? "any", message: "any"))
        #expect(WaitGoal.accepted.isMet(by: report) && WaitGoal.accepted.exitCode(report).rawValue == accepted)
        #expect(WaitGoal.final.isMet(by: report) == (final != nil))
        if let final { #expect(WaitGoal.final.exitCode(report).rawValue == final) }
    }
}
