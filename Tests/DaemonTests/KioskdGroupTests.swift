import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// A role that prints on all of its printers, with the real daemon, command line and printers.
@Suite struct KioskdGroupTests {
    @Test func `waits for every copy and ends with the worst of their codes`() async throws {
        let printers = [try await SimulatedPrinter.start(), try await SimulatedPrinter.start()]
        let daemon = try await KioskdFixture(
            printers: printers.map(\.uri) + ["ipp://localhost:\(try freePort())/ipp/print"], role: "kitchen",
            more: "    policy: all\n")
        let printed = try await daemon.kioskctl(
            "print", "-", "--role", "kitchen", "--wait", "--timeout", "3", input: "Soup\n")
        // 6: one was not settled in time.
        #expect(printed.end == .exited(6), "\(printed.standardError)")
        for job in ["job 1 completed on till-1: ", "job 2 completed on till-2: "] {
            #expect(printed.standardOutput.contains(job), "\(printed.standardOutput)")
        }
        #expect(
            printed.standardError.contains("job 3 is pending on till-3: till-3 is unreachable: "),
            "\(printed.standardError)")
        for printer in printers {
            let documents = try await printer.documents
            #expect(try documents.map { try readFile($0.path) } == [Array("Soup\n".utf8)])
        }
        try await daemon.kill()
        try await daemon.start()
        let jobs = try await daemon.client().jobs().jobs
        #expect(jobs.allSatisfy { $0.group == [1, 2, 3] })
        #expect(jobs.map(\.state) == [.pending, .completed, .completed])
        let roles = try await daemon.kioskctl("roles", "assign", "kitchen", "till-1", "till-2")
        #expect(roles.standardOutput.contains("all"), "\(roles.standardOutput)")
        let both = try await daemon.kioskctl("print", "-", "--role", "kitchen", input: "Tea\n")
        #expect(both.standardOutput == "jobs 4, 5 accepted for kitchen (4 B)\n")
        let failover = try await daemon.kioskctl(
            "roles", "assign", "kitchen", "till-1", "--policy", "failover", "--json")
        #expect(try APIJSON.decode(Role.self, from: Array(failover.standardOutput.utf8)).policy == .failover)
    }

    @Test func `a reprint to a role that prints on all since then waits for each copy`() async throws {
        let printers = [try await SimulatedPrinter.start(), try await SimulatedPrinter.start()]
        let daemon = try await KioskdFixture(printers: printers.map(\.uri), role: "kitchen")
        #expect(
            try await daemon.kioskctl("print", "-", "--role", "kitchen", "--wait", input: "Soup\n").end == .exited(0))
        #expect(
            try await daemon.kioskctl("roles", "assign", "kitchen", "till-1", "till-2", "--policy", "all").end
                == .exited(0))
        let again = try await daemon.kioskctl("reprint", "1", "--wait")
        #expect(again.end == .exited(0), "\(again.standardError)")
        #expect(
            again.standardOutput.contains("job 2 completed on till-1: ")
                && again.standardOutput.contains("job 3 completed on till-2: "))
        #expect(try await printers[0].documents.count == 2)
        #expect(try await printers[1].documents.count == 1)
    }
}
