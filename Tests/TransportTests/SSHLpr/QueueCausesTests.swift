import Foundation
import KioskPrintModel
import KioskSSHLpr
import KioskTestSupport
import Testing

/// A queue that takes no job, by each real cause in CUPS and on its host.
@Suite struct QueueCausesTests {
    enum Cause: Sendable { case missing, rejecting, denied, overQuota, spoolerDown }

    @Test(arguments: [
        (Cause.missing, TransportError.Code.printerNotFound, "correct the printer's URL, or set up the queue there"),
        (.rejecting, .printerNotAccepting, "let it accept jobs on the host"),
        (.denied, .accessDenied, "allow it on the host"),
        (.overQuota, .jobRefused, "Quota limit reached.); ask whoever looks after the host"),
        (.spoolerDown, .printerFailed, "correct that on the host"),
    ])
    func `a queue that takes no job prints nothing, and people read why`(
        _ cause: Cause, _ code: TransportError.Code, _ advice: String
    ) async throws {
        try await withCups { cups, host in
            var kept = 0
            switch cause {
            case .missing: try await cups.administer("lpadmin", ["-x", "receipt"])
            case .rejecting: try await cups.administer("cupsreject", ["receipt"])
            case .denied: try await cups.administer("lpadmin", ["-p", "receipt", "-u", "deny:till"])
            case .overQuota:
                try await cups.administer(
                    "lpadmin", ["-p", "receipt", "-o", "job-quota-period=3600", "-o", "job-k-limit=1"])
                _ = try await host.deliver(.receipt("bcdfghjk-1-1", [UInt8](repeating: 65, count: 5000)))
                try await eventually("the first receipt") { try cups.keptFiles().count == 1 }
                kept = 1
            case .spoolerDown: try await cups.stop()
            }
            let error = try await transportError { _ = try await host.deliver(.receipt("bcdfghjk-2-1", [1, 2, 3])) }
            #expect(error.code == code, "\(error.message)")
            #expect(error.bytesAccepted == 0)
            #expect(error.message.hasPrefix("\(host.target.url): "), "\(error.message)")
            #expect(error.message.contains(advice), "\(error.message)")
            #expect(try cups.keptFiles().count == kept)
        }
    }

    @Test func `a paused queue says so, keeps the job, and prints it once it goes on`() async throws {
        try await withCups { cups, host in
            try await cups.administer("cupsdisable", ["-r", "out of order", "receipt"])
            let availability = try await host.transport.contact(host.target).availability
            #expect(availability.state == .stopped)
            #expect(availability.reasons.map(\.keyword).contains("paused"))
            #expect(availability.message?.contains("out of order") == true, "\(availability.message ?? "nothing")")
            let report = try await host.deliver(.receipt("bcdfghjk-1-1", [1, 2, 3]))
            #expect(report.state == .processingStopped)
            #expect(report.reasons == ["printer-stopped"])
            #expect(report.message?.contains("the queue is stopped") == true)
            #expect(try cups.keptFiles().isEmpty)
            try await cups.administer("cupsenable", ["receipt"])
            let last = try await host.transport.follow(try #require(report.remoteJob), on: host.target) { _ in }
            #expect(last.state == .completed)
            #expect(try cups.keptFiles().map { try readFile($0) } == [[1, 2, 3]])
        }
    }

    @Test(.enabled(if: FullDisk.isPossible, "mounting needs root"))
    func `a spooler whose disk is full takes nothing of what is streamed to it`() async throws {
        try await withCups { cups, host in
            let small = try await FullDisk(at: cups.spoolFolder)
            let error = try await transportError {
                _ = try await host.deliver(.receipt("bcdfghjk-1-1", [UInt8](repeating: 7, count: 8_000_000)))
            }
            #expect(error.code == .printerFailed, "\(error.message)")
            #expect(error.bytesAccepted == 0, "\(error.message)")
            #expect(error.message.hasPrefix("\(host.target.url): "), "\(error.message)")
            #expect(error.message.contains("correct that on the host"), "\(error.message)")
            try await eventually("an empty queue") { try await cups.isIdle() }
            #expect(try cups.keptFiles().isEmpty)
            withExtendedLifetime(small) {}
        }
    }

    @Test(.enabled(if: LineSpooler.obstacle == nil, "line printer daemons need root, and `Scripts/bootstrap test`"))
    func `a host without room for the document gives BSD's lpr nothing`() async throws {
        let spooler = try await LineSpooler(.bsd)
        let folder = try TemporaryFolder()
        let small = try await FullDisk(at: folder.path)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let host = try await LprHost(environment: ["PATH": "\(spooler.programs):\(path)", "TMPDIR": folder.path])
        let error = try await transportError {
            _ = try await host.deliver(.receipt("bcdfghjk-1-1", [UInt8](repeating: 7, count: 8_000_000)))
        }
        await host.transport.shutDown()
        #expect(error.code == .printerFailed, "\(error.message)")
        #expect(error.bytesAccepted == 0)
        #expect(error.message.contains("No space left on device"), "\(error.message)")
        #expect(error.message.contains("correct that on the host"))
        try await eventually("the end of the spool file") { try folder.names().isEmpty }
        #expect(try spooler.spooledFiles().isEmpty)
        #expect(try spooler.keptFiles().isEmpty)
        withExtendedLifetime(small) {}
    }

    @Test func `cancelling while lpr has everything and hangs ends soon, and owns up that it may print`() async throws {
        let folder = try TemporaryFolder()
        let mark = folder.appending("read")
        try writeProgram(
            "#!/bin/sh\n[ \"$1\" = -V ] && exec /usr/bin/lpr -V\ncat >/dev/null; : >'\(mark)'; exec sleep 100000\n",
            to: folder.appending("lpr"))
        let path = "\(folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        try await withCups(environment: ["PATH": path]) { _, host in
            let delivery = Task { try await host.deliver(.receipt("bcdfghjk-1-1", [1, 2, 3])) }
            try await eventually("lpr with the whole document") { FileManager.default.fileExists(atPath: mark) }
            delivery.cancel()
            let error = try await transportError { _ = try await delivery.value }
            #expect(error.code == .cancelled)
            #expect(error.bytesAccepted == 3)
            #expect(error.message.contains("look whether it printed"), "\(error.message)")
        }
    }
}
