import Foundation
import KioskFleetAgent
import KioskTestSupport
import Testing

@testable import KioskFleet
@testable import kioskctl_fleet

/// Which configuration is newer, and what differs between two.
@Suite struct ConfigurationTests {
    private func desired(_ text: String, _ revision: UInt64, at time: Int64) throws -> DesiredConfiguration {
        try DesiredConfiguration(Array(text.utf8), revision: revision, storedAt: time)
    }

    @Test func `an older revision is none to apply, and one of a new bucket is`() throws {
        let now = try desired("a", 17, at: 1000)
        let applied = AppliedConfiguration(revision: 17, storedAt: 1000, digest: now.digest)
        #expect(applied.isSame(as: now))
        #expect(applied.isOlder(than: try desired("b", 18, at: 1001)))
        #expect(!applied.isOlder(than: try desired("b", 16, at: 999)))
        let anew = try desired("b", 1, at: 2000)
        #expect(!applied.isSame(as: anew) && applied.isOlder(than: anew))
        let sameNumber = try desired("b", 17, at: 2000)
        #expect(!applied.isSame(as: sameNumber) && applied.isOlder(than: sameNumber))
    }

    @Test func `what was applied is known after a new start`() async throws {
        let folder = try TemporaryFolder("configuration")
        let path = folder.appending("fleet.sqlite")
        #expect(try await FleetRecords(path: path).appliedConfiguration() == nil)
        let configuration = try desired("a", 17, at: 1000)
        try await FleetRecords(path: path).note(applied: configuration)
        #expect(try await FleetRecords(path: path).appliedConfiguration()?.isSame(as: configuration) == true)
    }

    @Test func `a text over 256 KiB is none`() {
        let text = [UInt8](repeating: 35, count: DesiredConfiguration.maximumLength + 1)
        #expect(throws: FleetError.self) { try DesiredConfiguration(text, revision: 1, storedAt: 0) }
        #expect(throws: Never.self) {
            try DesiredConfiguration(Array(text.dropLast()), revision: 1, storedAt: 0)
        }
    }

    @Test func `a message without its number or time is none`() {
        let headers = [JetStream.sequenceHeader: "1", JetStream.timeHeader: "2026-11-27T20:00:00.5Z"]
        for missing in headers.keys {
            let message = HubMessage(subject: "any", headers: headers.filter { $0.key != missing })
            #expect(throws: FleetError.self) { try DesiredConfiguration(message) }
        }
        #expect(throws: Never.self) { try DesiredConfiguration(HubMessage(subject: "any", headers: headers)) }
    }

    private static let texts = [
        ("", "a\n"), ("a\n", ""), ("a\nb\nc\n", "a\nx\nc\n"),
        ((1...30).map { "\($0)\n" }.joined(), (1...30).map { $0 == 3 || $0 == 25 ? "x\n" : "\($0)\n" }.joined()),
        ("a\nb\n", "a\nb\nc\n"), ("a\n", "b\na\n"),
    ]

    /// By GNU diff.
    @Test(arguments: texts) func `differences are those of diff -u`(old: String, new: String) async throws {
        let folder = try TemporaryFolder("diff")
        let files = (try folder.write(old, to: "old"), try folder.write(new, to: "new"))
        let result = try await ChildProcess.run("/usr/bin/diff", ["-u", files.0, files.1])
        // `diff` leaves out a length of 1.
        let wanted = result.standardOutput.split(separator: "\n").dropFirst(2).map { line in
            guard line.hasPrefix("@@") else { return String(line) }
            let sides = line.split(separator: " ")[1...2].map { $0.contains(",") ? "\($0)" : "\($0),1" }
            return "@@ \(sides.joined(separator: " ")) @@"
        }
        #expect(UnifiedDiff.lines(from: old, to: new) == wanted)
    }

    @Test(arguments: [("1", 10, 1), ("20", 10, 10), ("1%", 10, 1), ("50%", 3, 2), ("100%", 3, 3)])
    func `a share of sites is at least one and at most all`(text: String, sites: Int, count: Int) throws {
        #expect(try CanaryShare(text).count(of: sites) == count)
    }

    @Test(arguments: ["", "0", "-1", "101%", "0%", "x", "1.5%", "9999999999999999999999"])
    func `other texts are no shares`(text: String) {
        #expect(throws: (any Error).self) { try CanaryShare(text) }
    }
}
