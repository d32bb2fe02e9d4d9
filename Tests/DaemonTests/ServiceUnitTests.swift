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

    /// A line of a file in Packaging, by what it begins with.
    private func value(_ key: String, in file: String) throws -> String {
        let folder = URL(fileURLWithPath: Self.unit).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(key)=") })
        return String(line.dropFirst(key.utf8.count + 1))
    }

    @Test func `systemd hears from it, and listens where it would listen itself`() throws {
        #expect(try value("Type", in: "kioskd.service") == "notify")
        // A small Debian has no kill(1): its package procps is not essential.
        #expect(try value("ExecReload", in: "kioskd.service").hasPrefix("/bin/sh -c 'kill -HUP "))
        #expect(try value("WatchdogSec", in: "kioskd.service") == "180")
        let socket = try value("ListenStream", in: "kioskd.socket")
        #expect(try value("ExecStart", in: "kioskd.service").contains("--socket \(socket) "))
        // Else the end of the daemon would take the socket's folder along.
        #expect(try value("RuntimeDirectoryPreserve", in: "kioskd.service") == "yes")
        #expect(try value("SocketMode", in: "kioskd.socket") == "0660")
        #expect(try value("SocketGroup", in: "kioskd.socket") == value("Group", in: "kioskd.service"))
    }
}
