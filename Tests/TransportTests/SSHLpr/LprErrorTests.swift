import Foundation
import KioskPrintModel
import KioskSSH
import KioskSSHLpr
import KioskTestSupport
import Testing

/// What goes wrong on a host, by its real cause.
@Suite struct LprErrorTests {
    /// A host whose `lpr` is a test's own program before CUPS's.
    private func withProgram(
        _ name: String, _ text: String, deadlines: SSHLprTransport.Deadlines = .init(),
        settings: LprSettings = LprSettings(),
        _ body: (CupsServer, LprHost) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try folder.write("#!/bin/sh\n\(text)\n", to: name)
        guard chmod(folder.appending(name), 0o755) == 0 else { throw TestSupportError.errno("chmod", errno) }
        let path = "\(folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        try await withCups(settings: settings, deadlines: deadlines, environment: ["PATH": path], body)
    }

    @Test func `lpr that hangs with the whole document ends by the deadline, and may have printed`() async throws {
        var deadlines = SSHLprTransport.Deadlines()
        // Long enough for lpr to start.
        deadlines.stall = .seconds(10)
        try await withProgram(
            "lpr", "[ \"$1\" = -V ] && exec /usr/bin/lpr -V; cat >/dev/null; exec sleep 100000", deadlines: deadlines
        ) { _, host in
            let error = try await transportError { _ = try await host.deliver(.receipt("bcdfghjk-1-1", [1, 2, 3])) }
            #expect(error.code == .timedOut)
            #expect(error.bytesAccepted == 3)
        }
    }

    @Test func `cancelling a delivery to lpr that hangs takes effect at once`() async throws {
        try await withProgram("lpr", "[ \"$1\" = -V ] && exec /usr/bin/lpr -V; exec sleep 100000") { _, host in
            _ = try await host.transport.contact(host.target)
            let delivery = Task {
                try await host.deliver(.receipt("bcdfghjk-1-1", [UInt8](repeating: 1, count: 4_000_000)))
            }
            try await eventually("the running lpr") { host.server.log.contains("Starting session: command") }
            delivery.cancel()
            let error = try await transportError { _ = try await delivery.value }
            #expect(error.code == .cancelled)
            #expect(error.bytesAccepted == 0)
        }
    }

    @Test func `endless words of lpq end in an error`() async throws {
        try await withProgram("lpq", "while :; do echo receipt is ready; done") { _, host in
            let error = try await transportError { _ = try await host.transport.contact(host.target) }
            #expect(error.code == .protocolViolation)
        }
    }

    @Test(.enabled(if: FullDisk.isPossible, "mounting needs root"))
    func `a full disk on the host stops the upload, and nothing printed`() async throws {
        var settings = LprSettings()
        settings.upload = .sftp
        try await withCups(settings: settings) { cups, host in
            let small = try await FullDisk(at: host.server.home)
            let document = [UInt8](repeating: 7, count: 600_000)
            let error = try await transportError { _ = try await host.deliver(.receipt("bcdfghjk-1-1", document)) }
            #expect(error.code == .printerFailed)
            #expect(error.bytesAccepted == 0)
            #expect(try cups.keptFiles().isEmpty)
            withExtendedLifetime(small) {}
        }
    }

    @Test func `an uploaded document prints, shows its steps, and is gone from the host`() async throws {
        var settings = LprSettings()
        settings.upload = .sftp
        try await withCups(settings: settings) { cups, host in
            let document = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
            let steps = Recorder<DeliveryProgress>()
            _ = try await host.transport.deliver(.receipt("bcdfghjk-1-1", document), to: host.target) { steps.add($0) }
            try await eventually("the receipt") { try cups.keptFiles().count == 1 }
            #expect(try cups.keptFiles().map { try readFile($0) } == [document])
            #expect(steps.all.contains(.uploading(bytes: 200_000, of: 200_000)))
            #expect(steps.all.last == .sending(bytes: 200_000, of: 200_000))
            #expect(try FileManager.default.contentsOfDirectory(atPath: host.server.home).isEmpty)
        }
    }

    @Test func `pages left come from the profile's own command`() async throws {
        var settings = LprSettings()
        settings.quota = .init(command: ["pquota", "%user's", "-q", "%queue"], pattern: "([0-9]+) pages left")
        try await withProgram("pquota", "echo \"$1 $3: 42 pages left\"", settings: settings) { _, host in
            let description = try await host.transport.contact(host.target).description
            #expect(description.pagesLeft == 42)
        }
    }

    @Test func `files that broken connections left are removed when they are a day old`() async throws {
        try await withCups { _, host in
            let (old, new) = (
                "\(host.server.home)/.kiosk-bcdfghjk-1-1-abcd", "\(host.server.home)/.kiosk-bcdfghjk-2-1-abcd"
            )
            for path in [old, new] { try Data().write(to: URL(fileURLWithPath: path)) }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3 * 86400)], ofItemAtPath: old)
            _ = try await host.transport.contact(host.target)
            #expect(!FileManager.default.fileExists(atPath: old))
            #expect(FileManager.default.fileExists(atPath: new))
        }
    }
}
