import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// The command line with a real daemon and simulated or real printers.
@Suite struct KioskctlDaemonTests {
    @Test func `saves a printer, shows what contact learnt, prints by role and tells how it went`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture()
        let added = try await daemon.kioskctl(
            "printers", "add", "till", printer.uri, "--role", "receipt", "--location", "Hall")
        #expect(added.end == .exited(0), "\(added.standardError)")
        for fact in [
            "state           ready", "location        Hall", "job types       receipt, roll", "roles           receipt",
        ] {
            #expect(added.standardOutput.contains(fact), "\(added.standardOutput)")
        }
        let printed = try await daemon.kioskctl("print", "-", "--role", "receipt", "--wait", input: "Tea 2.50\n")
        #expect(printed.end == .exited(0), "\(printed.standardError)")
        #expect(printed.standardOutput.hasPrefix("job 1 completed on till: printed (printer's own confirmation), "))
        let document = try #require(try await printer.documents.first)
        #expect(try readFile(document.path) == Array("Tea 2.50\n".utf8))

        let list = try await daemon.kioskctl("printers", "list", "--job-type", "receipt", "--available", "--json")
        #expect(
            try APIJSON.decode(PrinterList.self, from: Array(list.standardOutput.utf8)).printers.map(
                \.printer.id.rawValue) == ["till"])
        let none = try await daemon.kioskctl("printers", "list", "--job-type", "label")
        #expect(none.end == .exited(0))
        #expect(none.standardOutput == "")
        let job = try await daemon.kioskctl("job", "1")
        #expect(job.standardOutput.contains("document        text/plain, 9 B"))
        let outcome = try await daemon.kioskctl("job", "1", "--wait", "--timeout", "5")
        #expect(outcome.end == .exited(0))
        #expect(outcome.standardOutput == printed.standardOutput)
        let jobs = try await daemon.kioskctl("jobs", "--state", "completed", "--json")
        #expect(try APIJSON.decode(JobList.self, from: Array(jobs.standardOutput.utf8)).jobs.map(\.id) == [1])
        let health = try await daemon.kioskctl("health")
        #expect(health.end == .exited(0))
        #expect(health.standardOutput.hasPrefix("KIOSKD OK - 1 of 1 printer available"))
    }

    @Test func `assigning a role keeps its other settings, and removing follows the roles`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture()
        for id in ["till-1", "till-2"] {
            _ = try await daemon.kioskctl("printers", "add", id, printer.uri, "--role", "receipt")
        }
        let first = try await daemon.kioskctl(
            "roles", "assign", "receipt", "till-1", "till-2", "--unconfirmed", "hold", "--expires-after", "90", "--cut",
            "full")
        #expect(first.end == .exited(0), "\(first.standardError)")
        let second = try await daemon.kioskctl("roles", "assign", "receipt", "till-2", "--json")
        let role = try APIJSON.decode(Role.self, from: Array(second.standardOutput.utf8))
        #expect(role.printers.map(\.rawValue) == ["till-2"])
        #expect(role.unconfirmed == .hold)
        #expect(role.expiresAfter == 90)
        #expect(role.defaults.cut == .full)
        #expect(try await daemon.kioskctl("printers", "remove", "till-1").end == .exited(0))
        let used = try await daemon.kioskctl("printers", "remove", "till-2")
        #expect(used.end == .exited(1))
        #expect(used.standardError.contains("receipt"))
        #expect(try await daemon.kioskctl("roles", "remove", "receipt").end == .exited(0))
        let removed = try await daemon.kioskctl("printers", "remove", "till-2", "--json")
        #expect(
            try APIJSON.decode([String: String].self, from: Array(removed.standardOutput.utf8)) == ["removed": "till-2"]
        )
        #expect(try await daemon.kioskctl("reload").standardOutput == "the registry is reloaded\n")
    }

    @Test func `a printer that is down is saved all the same, and contact says that it does not answer`() async throws {
        let daemon = try await KioskdFixture()
        let url = "ipp://localhost:\(try freePort())/ipp/print"
        let added = try await daemon.kioskctl("printers", "add", "till", url)
        #expect(added.end == .exited(0))
        #expect(added.standardOutput.contains("unreachable"))
        #expect(added.standardError.contains("till is saved, but did not answer"))
        #expect(try await daemon.kioskctl("printers", "contact", "till").end == .exited(1))
        let health = try await daemon.kioskctl("health")
        #expect(health.end != .exited(0))
        #expect(health.standardOutput.contains("till"))
    }

    @Test func `canceling a job ends the waiting for it with its own code`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let file = try daemon.folder.write("Tea", to: "tea.txt")
        let waiting = try ChildProcess(
            BuiltProducts.path("kioskctl"), ["print", file, "--role", "receipt", "--wait", "--socket", daemon.socket])
        try await eventually("the job") { try await !daemon.client().jobs().jobs.isEmpty }
        let canceled = try await daemon.kioskctl("cancel", "1", "99")
        #expect(canceled.end == .exited(1))
        #expect(canceled.standardOutput.hasPrefix("job 1 was canceled"))
        #expect(canceled.standardError.hasPrefix("kioskctl: there is no job 99"))
        #expect(try await waiting.wait() == .exited(4))
        #expect(try await daemon.kioskctl("job", "1", "--wait").end == .exited(4))
        #expect(waiting.standardError.hasPrefix("kioskctl: job 1 was canceled"))
    }

    @Test func `waiting and watching outlive a killed daemon, and no event is shown twice`() async throws {
        let printer = try await SimulatedPrinter.start()
        try await printer.perform(.hold)
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let program = try BuiltProducts.path("kioskctl")
        let watching = try ChildProcess(program, ["watch", "--json", "--role", "receipt", "--socket", daemon.socket])
        let file = try daemon.folder.write("Tea", to: "tea.txt")
        // The watcher is connected once it has shown an event of a job.
        _ = try await daemon.client().submit(text: "first")
        try await watching.waitForOutput("\"id\":")
        let waiting = try ChildProcess(
            program, ["print", file, "--role", "receipt", "--wait", "--socket", daemon.socket])
        try await eventually("the second job") { try await daemon.client().jobs().jobs.count == 2 }
        try await daemon.kill()
        try await daemon.start()
        try await printer.perform(.release)
        #expect(try await waiting.wait() == .exited(0), "\(waiting.standardError)")
        #expect(waiting.standardOutput.hasPrefix("job 2 completed"))
        try await eventually("the last event") {
            watching.standardOutput.split(separator: "\n").contains {
                $0.contains("\"job-state\":\"completed\"") && $0.contains("\"id\":2,")
            }
        }
        watching.signal(SIGINT)
        #expect(try await watching.wait() == .exited(130))
        let events = try watching.standardOutput.split(separator: "\n").map {
            try APIJSON.decode(EngineEvent.self, from: Array($0.utf8))
        }
        let ids = events.filter { $0.kind != .jobProgress && $0.kind != .resync }.map(\.id)
        #expect(ids == Array(Set(ids)).sorted())
        #expect(watching.standardError.hasPrefix("kioskctl: "))
        #expect(watching.standardError.split(separator: "\n").count == 1)
    }

    @Test func `200 MB reach ippeveprinter byte for byte, and the daemon does not hold them`() async throws {
        let printer = try await EvePrinter()
        let daemon = try await KioskdFixture(printers: [printer.uri], role: "document", more: "    job-type: general\n")
        let file = try Self.bigDocument(in: daemon.folder)
        let process = try daemon.process.processID
        _ = try await daemon.kioskctl(
            "print", try daemon.folder.write("Tea", to: "tea.txt"), "--role", "document", "--wait")
        let before = try Self.memory("VmRSS", of: process)
        // Writing 5 resets the peak (proc(5), clear_refs).
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(process)/clear_refs"))
        let result = try await daemon.kioskctl("print", file, "--role", "document", "--wait", deadline: .seconds(300))
        #expect(result.end == .exited(0), "\(result.standardError)")
        let risen = try Self.memory("VmHWM", of: process) - before
        #expect(risen <= 8 << 10, "the daemon's memory rose by \(risen) kB")
        let kept = try #require(try printer.keptFiles().last)
        let compared = try await ChildProcess.run(InstalledProgram.path("cmp", package: "diffutils"), [file, kept])
        #expect(compared.end == .exited(0), "\(compared.standardOutput)")
    }

    private static let bigLength: Int64 = 200_000_000

    /// A document whose every megabyte begins with its own number.
    private static func bigDocument(in folder: TemporaryFolder) throws -> String {
        let path = try folder.write("%PDF-", to: "big.pdf")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        for megabyte in 1..<UInt64(bigLength >> 20) {
            try file.seek(toOffset: megabyte << 20)
            try file.write(contentsOf: Data("megabyte \(megabyte)".utf8))
        }
        try file.truncate(atOffset: UInt64(bigLength))
        return path
    }

    /// A figure of /proc/PID/status, in kB.
    private static func memory(_ name: String, of process: Int32) throws -> Int {
        let status = String(decoding: try readFile("/proc/\(process)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
    }
}
