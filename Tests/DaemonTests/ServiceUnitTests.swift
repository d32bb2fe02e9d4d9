import Foundation
import KioskTestSupport
import Testing

/// The unit that the package installs.
@Suite struct ServiceUnitTests {
    private static let unit = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Packaging/kioskd.service").path
    private static let analyzer = "/usr/bin/systemd-analyze"
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: analyzer)

    @Test(.enabled(if: isInstalled, "systemd-analyze is not installed (package systemd)"))
    func `systemd finds little that the daemon could do beyond its work`() async throws {
        // In tenths; it ends with a failure where the unit is more exposed.
        let verdict = try await ChildProcess.run(
            Self.analyzer, ["security", "--offline=true", "--no-pager", "--threshold=15", Self.unit])
        #expect(verdict.end == .exited(0), "\(verdict.standardOutput)\(verdict.standardError)")
        #expect(
            verdict.standardOutput.contains("Overall exposure level for kioskd.service: 1.5"),
            "\(verdict.standardOutput)")
    }

    @Test func `it is started again however often it ends, and never takes the machine's memory`() throws {
        let lines = try String(contentsOfFile: Self.unit, encoding: .utf8).split(separator: "\n")
        let section = try #require(lines.firstIndex(of: "[Service]"))
        #expect(lines[..<section].contains("StartLimitIntervalSec=0"))
        #expect(lines.contains("Restart=always"))
        #expect(lines.contains { $0.hasPrefix("MemoryMax=") })
    }
}
