import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Logging
import Testing

@testable import kioskd

/// The forms in which the log is written.
@Suite struct KioskdLogFormatTests {
    private static let fields = [(key: "job", value: "12"), (key: "request-id", value: "till \"7\"\n")]

    @Test func `a line for people tells fields behind its words`() {
        let line = LineLogHandler.Form.terminal.entry(.warning, "job 12 is held", Self.fields)
        #expect(line.contains(#" warning job 12 is held job=12 request-id=till "7""#) && line.hasSuffix("\n"))
        #expect(line.split(separator: "\n").count == 1)
        #expect(
            LineLogHandler.Form.prefixed.entry(.error, "two\nlines", []).hasPrefix("<3>two"))
    }

    @Test func `a JSON line is an object whose own keys no field replaces`() throws {
        let text = "a \"b\" \\ \u{1}\u{7F}\u{2028} ü 🧾\n\t"
        let line = LineLogHandler.Form.json.entry(
            .notice, text, Self.fields + [(key: "message", value: "other"), (key: "time", value: "never")])
        #expect(line.hasSuffix("}\n") && line.split(separator: "\n").count == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(object["message"] == text)
        #expect(object["level"] == "notice")
        #expect(object["request-id"] == "till \"7\"\n")
        #expect(object["job"] == "12")
        #expect(
            try Date(#require(object["time"]), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
                < .now)
        #expect(object.count == 5)
    }

    @Test func `an entry for the journal has a field for each, with a name that the journal takes`() {
        let entry = LineLogHandler.Form.journal.entry(.warning, "job 12 is held", [(key: "request-id", value: "a\nb")])
        let lines = entry.split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("MESSAGE=job 12 is held request-id=a"))
        #expect(lines[1] == "PRIORITY=4")
        #expect(lines[2] == "SYSLOG_IDENTIFIER=kioskd")
        #expect(lines[3].hasPrefix("KIOSKD_REQUEST_ID=a"))
        #expect(JournalEntry.line(of: entry) == "<4>\(lines[0].dropFirst("MESSAGE=".count))\n")
        let long = JournalEntry.text(String(repeating: "x", count: 1_000_000), priority: 4, [])
        #expect(long.utf8.count < 20_000)
    }

    @Test func `a daemon with --log-format json writes nothing else`() async throws {
        let folder = try TemporaryFolder("kioskd")
        let daemon = try ChildProcess(
            try BuiltProducts.path("kioskd"), ["--state-dir", folder.path, "--log-format", "json"])
        try await eventually("the daemon to listen") { daemon.standardError.contains("ready: listening") }
        #expect(try await daemon.terminate() == .exited(0))
        let lines = daemon.standardError.split(separator: "\n")
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
            #expect(object?["message"]?.isEmpty == false && object?["level"] != nil, "\(line)")
        }
        #expect(lines.contains { $0.contains(#""message":"stopped""#) })
    }

    @Test func `an entry that the journal does not take is written to standard error`() throws {
        let folder = try TemporaryFolder("journal")
        #expect(JournalSocket(path: folder.appending("none")) == nil)
        let receiver = try Self.receiver(at: folder.appending("socket"))
        let journal = try #require(JournalSocket(path: folder.appending("socket")))
        let output = open(folder.appending("log"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(output) }
        let queue = LogQueue(output, journal: journal) { "MESSAGE=\($0)\n" }
        queue.append("MESSAGE=first\nPRIORITY=6\n")
        queue.flush(atMost: 60)
        #expect(Self.received(by: receiver) == "MESSAGE=first\nPRIORITY=6\n")
        close(receiver)
        queue.append("MESSAGE=second\nPRIORITY=6\n")
        queue.flush(atMost: 60)
        #expect(try String(contentsOfFile: folder.appending("log"), encoding: .utf8) == "<6>second\n")
        // The journal is back.
        #expect(unlink(folder.appending("socket")) == 0)
        let next = try Self.receiver(at: folder.appending("socket"))
        defer { close(next) }
        queue.append("MESSAGE=third\nPRIORITY=6\n")
        queue.flush(atMost: 60)
        #expect(Self.received(by: next) == "MESSAGE=third\nPRIORITY=6\n")
        #expect(try String(contentsOfFile: folder.appending("log"), encoding: .utf8) == "<6>second\n")
    }

    @Test func `a journal that was restarted gets the first entry after that`() throws {
        let folder = try TemporaryFolder("journal")
        let receiver = try Self.receiver(at: folder.appending("socket"))
        let journal = try #require(JournalSocket(path: folder.appending("socket")))
        close(receiver)
        #expect(unlink(folder.appending("socket")) == 0)
        let next = try Self.receiver(at: folder.appending("socket"))
        defer { close(next) }
        #expect(journal.send("MESSAGE=first\nPRIORITY=6\n"))
        #expect(Self.received(by: next) == "MESSAGE=first\nPRIORITY=6\n")
    }

    /// A socket as the journal's.
    private static func receiver(at path: String) throws -> Int32 {
        let receiver = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        return receiver
    }

    /// What has come, without waiting for more.
    private static func received(by receiver: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = recv(receiver, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give a program a journal of its own"))
    func `in the journal, a line has its job and its request as fields`() async throws {
        let folder = try TemporaryFolder("kioskd")
        var options = SimulatedPrinter.Options()
        options.condition.isHoldingJobs = true
        let printer = try await SimulatedPrinter.start(options)
        try folder.write(
            KioskdFixture.registry([printer.uri], more: "    unconfirmed: hold\n"), to: "printers.yaml")
        let journal = try SystemJournal(
            running: try BuiltProducts.path("kioskd"), ["--state-dir", folder.path, "--log-level", "trace"])
        let client = KioskClient(socket: SocketLocation(path: folder.appending("kioskd.sock")))
        defer { client.close() }
        try await eventually("kioskd to answer") {
            guard journal.isRunning else { throw TestSupportError("it ended: \(journal.errors)") }
            return (try? await client.health()) != nil
        }
        let id = try await client.submit(text: "TEA").id
        try await eventually("the printer's lines in the journal") {
            try await journal.entries("KIOSKD_SOURCE", "ipp").contains {
                $0["KIOSKD_PRINTER"]?.hasPrefix("ipp://") == true
            }
        }
        let ready = try await journal.entries("SYSLOG_IDENTIFIER", "kioskd").first {
            $0["MESSAGE"]?.hasPrefix("ready: listening") == true
        }
        #expect(ready?["PRIORITY"] == "5")
        #expect(ready?["_TRANSPORT"] == "journal")
        // A printer whose power goes forgets the job, and nobody knows what became of it.
        try await eventually("the printer to have the job") { try await client.job(id).remoteJob != nil }
        try await printer.perform(.powerOff)
        try await printer.perform(.goOnline)
        try await eventually("the job to be held") { try await client.job(id).state == .pendingHeld }
        let request = try #require(try await client.job(id).requestID)
        try await eventually("the job's line in the journal") {
            try await journal.entries("KIOSKD_JOB", "\(id)").contains {
                $0["MESSAGE"]?.hasPrefix("job \(id) is held: ") == true && $0["KIOSKD_REQUEST_ID"] == request
                    && $0["KIOSKD_PRINTER"] == "till-1" && $0["KIOSKD_ROLE"] == "receipt" && $0["PRIORITY"] == "4"
            }
        }
    }
}
