import Foundation
import KioskPrintModel
import KioskSSHLpr
import KioskTestSupport
import Testing

/// Printing through OpenSSH into the `lpr` of LPRng and of BSD.
@Suite(.enabled(if: LineSpooler.obstacle == nil, "line printer daemons need root, and `Scripts/bootstrap test`"))
struct LineSpoolerTests {
    private func withSpooler(
        _ make: LineSpooler.Make, settings: LprSettings = LprSettings(),
        _ body: (LineSpooler, LprHost) async throws -> Void
    ) async throws {
        let spooler = try await LineSpooler(make)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let host = try await LprHost(environment: ["PATH": "\(spooler.programs):\(path)"], settings: settings)
        do {
            try await body(spooler, host)
        } catch {
            await host.transport.shutDown()
            throw error
        }
        await host.transport.shutDown()
    }

    @Test(arguments: LineSpooler.Make.allCases)
    func `a receipt arrives octet for octet, and is followed until it has left the queue`(
        _ make: LineSpooler.Make
    ) async throws {
        try await withSpooler(make) { spooler, host in
            try spooler.hold()
            let first = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            var delivery = Delivery.receipt("bcdfghjk-1-1", first)
            delivery.name = "O'Brien's \"receipt\" $(touch x) \\ %b"
            let report = try await host.deliver(delivery)
            #expect(report.state == .processing)
            #expect(report.evidence == .accepted)
            let second = try await host.deliver(.receipt("bcdfghjk-2-1", Array("two".utf8)))
            #expect(second.message == "1 job ahead")
            #expect(try await host.transport.locate(delivery, on: host.target) == report.remoteJob)
            try spooler.release()
            let last = try await host.transport.follow(try #require(second.remoteJob), on: host.target) { _ in }
            #expect(last.state == .completed)
            try await eventually("both receipts") { try spooler.keptFiles().count == 2 }
            #expect(try spooler.keptFiles() == [first, Array("two".utf8)])
            #expect(try FileManager.default.contentsOfDirectory(atPath: host.server.home).isEmpty)
        }
    }

    @Test(arguments: LineSpooler.Make.allCases)
    func `cancelling takes a job out of the queue`(_ make: LineSpooler.Make) async throws {
        try await withSpooler(make) { spooler, host in
            try spooler.hold()
            _ = try await host.deliver(.receipt("bcdfghjk-1-1", Array("one".utf8)))
            let second = try #require(try await host.deliver(.receipt("bcdfghjk-2-1", Array("two".utf8))).remoteJob)
            try await host.transport.cancel(second, on: host.target)
            let again = try await transportError { try await host.transport.cancel(second, on: host.target) }
            #expect(again.code == .outcomeUnknown)
            try spooler.release()
            try await eventually("the first receipt") { try spooler.keptFiles().count == 1 }
            try await eventually("an empty queue") { try spooler.spooledFiles().isEmpty }
            #expect(try spooler.keptFiles() == [Array("one".utf8)])
        }
    }

    @Test(arguments: LineSpooler.Make.allCases)
    func `a job that is cut off does not print and leaves nothing behind`(_ make: LineSpooler.Make) async throws {
        try await withSpooler(make) { spooler, host in
            _ = try await host.transport.contact(host.target)
            let folder = try TemporaryFolder()
            var delivery = Delivery.receipt("bcdfghjk-1-1", [])
            delivery.document = try .sparse(megabytes: 300, in: folder)
            let cutting = delivery
            let error = try await transportError {
                _ = try await host.transport.deliver(cutting, to: host.target) { step in
                    if case .sending(20_000_000..., _) = step { host.server.killSessions() }
                }
            }
            #expect(error.code == .connectionLost)
            #expect(error.bytesAccepted == 0)
            try await eventually("the end of the command") { !isAnyProcess(containing: spooler.programs) }
            #expect(try spooler.spooledFiles().isEmpty)
            #expect(try spooler.keptFiles().isEmpty)
            #expect(try await host.transport.contact(host.target).availability.state == .ready)
        }
    }

    @Test(arguments: LineSpooler.Make.allCases)
    func `contact tells of a missing and a stopped queue`(_ make: LineSpooler.Make) async throws {
        try await withSpooler(make) { spooler, host in
            #expect(try await host.transport.contact(host.target).availability.state == .ready)
            let missing = try await transportError { _ = try await host.transport.contact(try host.queue("nowhere")) }
            #expect(missing.code == .printerNotFound)
            try await spooler.control(["stop", "receipt"])
            try await eventually("the stop") {
                try await host.transport.contact(host.target).availability.state == .stopped
            }
            let waiting = try await host.deliver(.receipt("bcdfghjk-1-1", Array("one".utf8)))
            #expect(waiting.state == .processingStopped)
            try await spooler.control(["start", "receipt"])
            try await eventually("the receipt") { try spooler.keptFiles().count == 1 }
            try await spooler.control(["disable", "receipt"])
            try await eventually("the closed door") {
                try await host.transport.contact(host.target).availability.reasons.map(\.keyword).contains(
                    "not-accepting-jobs")
            }
        }
    }

    @Test(arguments: LineSpooler.Make.allCases)
    func `a ticket that lpr cannot fulfil is refused and never printed otherwise`(_ make: LineSpooler.Make) async throws
    {
        try await withSpooler(make) { spooler, host in
            var delivery = Delivery.receipt("bcdfghjk-1-1", Array("one".utf8), format: .plainText)
            delivery.ticket.numberUp = 2
            let refused = delivery
            let error = try await transportError { _ = try await host.deliver(refused) }
            #expect(error.code == .jobRefused)
            #expect(error.message.contains("number-up"))
            #expect(error.bytesAccepted == 0)
            delivery.ticket = Ticket()
            delivery.ticket.copies = 2
            _ = try await host.deliver(delivery)
            try await eventually("the receipt") { try !spooler.keptFiles().isEmpty }
        }
    }

    @Test func `a document that is too long for BSD's queue is taken back whole`() async throws {
        try await withSpooler(.bsd) { spooler, host in
            try await run("sed -i s/mx#0/mx#100/ /etc/printcap", beside: spooler)
            try spooler.hold()
            _ = try await host.deliver(.receipt("bcdfghjk-9-1", Array("one".utf8)))
            let error = try await transportError {
                _ = try await host.deliver(.receipt("bcdfghjk-1-1", [UInt8](repeating: 65, count: 2_000_000)))
            }
            #expect(error.code == .printerFailed, "\(error.message)")
            #expect(error.bytesAccepted == 2_000_000)
            #expect(error.message.contains("too large"), "\(error.message)")
            try spooler.release()
            try await eventually("the first receipt") { try spooler.keptFiles().count == 1 }
            try await eventually("an empty queue") { try spooler.spooledFiles().isEmpty }
            #expect(try spooler.keptFiles() == [Array("one".utf8)])
        }
    }

    // A write that takes a part of what it is given sets no error.
    @Test(arguments: [(0, false), (4096, false), (4096, true)])
    func `a document that BSD's spool has no room for is taken back, whatever its lpr says of it`(
        _ filled: Int, _ isBusy: Bool
    ) async throws {
        try await withSpooler(.bsd) { spooler, host in
            let spool = "/var/spool/lpd/receipt"
            try await run(
                "mount -t tmpfs -o size=256k,mode=0775 tmpfs \(spool) && chown root:lp \(spool)", beside: spooler)
            if isBusy {
                try spooler.hold()
                _ = try await host.deliver(.receipt("bcdfghjk-9-1", Array("one".utf8)))
            } else {
                try await spooler.control(["stop", "receipt"])
            }
            try await run("head -c \(filled) /dev/zero >\(spool)/fill", beside: spooler)
            let error = try await transportError {
                _ = try await host.deliver(.receipt("bcdfghjk-1-1", [UInt8](repeating: 65, count: 2_000_000)))
            }
            #expect(error.code == .printerFailed, "\(error.message)")
            #expect(error.bytesAccepted == 2_000_000)
            try await run("rm \(spool)/fill; ! grep -l bcdfghjk-1-1 \(spool)/cf*", beside: spooler)
            if isBusy { try spooler.release() } else { try await spooler.control(["start", "receipt"]) }
            _ = try await host.deliver(.receipt("bcdfghjk-2-1", Array("two".utf8)))
            try await eventually("the next receipt") { try spooler.keptFiles().last == Array("two".utf8) }
            #expect(try spooler.keptFiles() == (isBusy ? [Array("one".utf8)] : []) + [Array("two".utf8)])
        }
    }

    /// The daemon's settings and its spool are in a place of its own, which its programs enter.
    private func run(_ command: String, beside spooler: LineSpooler) async throws {
        let program = try String(contentsOfFile: "\(spooler.programs)/lpr", encoding: .utf8)
        let entry = try #require(program.range(of: " -- ")).lowerBound
        let path = "\(spooler.programs)/inside"
        try writeProgram("\(program[..<entry]) -- sh -c \"$1\"\n", to: path)
        let done = try await ChildProcess.run(path, [command])
        #expect(done.end.isSuccess, "\(done.standardError)")
    }
}
