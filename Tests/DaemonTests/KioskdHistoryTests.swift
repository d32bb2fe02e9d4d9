import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// What the real daemon and `kioskctl` tell of jobs that are over, and do with them.
@Suite struct KioskdHistoryTests {
    private func job(_ result: ChildProcess.Result) throws -> Job {
        try APIJSON.decode(Job.self, from: Array(result.standardOutput.utf8))
    }

    @Test func `a job is printed again with one command, here or elsewhere`() async throws {
        let first = try await SimulatedPrinter.start()
        let second = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [first.uri, second.uri])
        let client = daemon.client()
        let large = String(repeating: "a long line of an invoice\n", count: 8000)
        for text in ["TEA\n", large] {
            let origin = try await client.job(client.submit(text: text).id, wait: .seconds(300))
            #expect(origin.state == .completed)
            let shown = try await daemon.kioskctl("reprint", "\(origin.id)", "--wait")
            #expect(shown.end == .exited(0), "\(shown.standardError)")
            #expect(shown.standardOutput.contains("completed on till-1"))
            let elsewhere = try job(
                await daemon.kioskctl("reprint", "\(origin.id)", "--to", "till-2", "--wait", "--json"))
            #expect(elsewhere.origin == origin.id)
            #expect(elsewhere.printer?.rawValue == "till-2")
            let timeline = try await daemon.kioskctl("job", "\(origin.id)", "--timeline")
            #expect(timeline.standardOutput.contains("by job \(elsewhere.id)"), "\(timeline.standardOutput)")
            let details = try await daemon.kioskctl("job", "\(elsewhere.id)")
            #expect(details.standardOutput.contains("reprint of      job \(origin.id)"), "\(details.standardOutput)")
        }
        let here = try await first.documents.map { try Data(contentsOf: URL(fileURLWithPath: $0.path)).count }
        #expect(here == [4, 4, large.utf8.count, large.utf8.count])
        let there = try await second.documents.map { try Data(contentsOf: URL(fileURLWithPath: $0.path)).count }
        #expect(there == [4, large.utf8.count])
    }

    @Test func `what cannot be printed again says why, and for how long documents are kept`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            printers: [printer.uri, "ipp://localhost:\(try freePort())/ipp/print"], more: "    keep: { documents: 0 }\n"
        )
        let client = daemon.client()
        let origin = try await client.job(client.submit(text: "TEA").id, wait: .seconds(300))
        try await eventually("the document to go") {
            let response = try await daemon.curl("/v1/jobs/\(origin.id)/reprint", ["-X", "POST"])
            guard response.status == 410 else { return false }
            return try response.json(Problem.self).code == .documentNotKept
        }
        let refused = try await daemon.kioskctl("reprint", "\(origin.id)")
        #expect(refused.end == .exited(1))
        #expect(refused.standardError.contains("are not kept after their end"), "\(refused.standardError)")
        _ = try await daemon.submit("TEA", "printer=till-2")
        let waiting = try await daemon.kioskctl("reprint", "2")
        #expect(waiting.end == .exited(1))
        #expect(waiting.standardError.contains("kioskctl cancel 2"), "\(waiting.standardError)")
        #expect(try await daemon.kioskctl("roles", "list").standardOutput.contains("30 d  none"))
    }

    @Test func `a role is given its bounds on the command line, and keeps the others`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        for keep in ["jobs=7d,size=5MB", "documents=2h"] {
            let done = try await daemon.kioskctl("roles", "assign", "receipt", "till-1", "--keep", keep)
            #expect(done.end == .exited(0), "\(done.standardError)")
        }
        #expect(
            try String(contentsOfFile: daemon.registryPath, encoding: .utf8).contains(
                "keep: { jobs: 7d, documents: 2h, size: 5MB }"))
        let wrong = try await daemon.kioskctl("roles", "assign", "receipt", "till-1", "--keep", "jobs=2")
        #expect(wrong.end == .exited(1))
        #expect(wrong.standardError.contains("cannot keep jobs for 2 seconds"), "\(wrong.standardError)")
    }

    @Test func `jobs are found by time and name`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        for name in ["Invoice 17", "invoice 18", "50%25 off", "tea"] {
            _ = try await daemon.submit(
                "TEA", "role=receipt&wait=300&name=\(name.replacingOccurrences(of: " ", with: "+"))")
        }
        func ids(_ arguments: String...) async throws -> [Int64] {
            let result = try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"), ["jobs", "--json"] + arguments,
                environment: ["KIOSKD_SOCKET": daemon.socket])
            return try APIJSON.decode(JobList.self, from: Array(result.standardOutput.utf8)).jobs.map(\.id)
        }
        #expect(try await ids("--name", "INVOICE") == [2, 1])
        #expect(try await ids("--name", "%") == [3])
        #expect(try await ids("--name", "_").isEmpty)
        #expect(try await ids("--since", "1h", "--role", "receipt", "--state", "completed") == [4, 3, 2, 1])
        #expect(try await ids("--until", "1h").isEmpty)
        let third = try await daemon.client().job(3).createdAt.description
        #expect(try await ids("--since", third) == [4, 3])
        #expect(try await ids("--until", third) == [2, 1])
        let wrong = try await daemon.kioskctl("jobs", "--since", "soon")
        #expect(wrong.end == .exited(64))
        #expect(wrong.standardError.contains("10m, 2h or 7d, today"), "\(wrong.standardError)")
    }

    /// A key is one job for concurrent clients, through a crash, and where the role has changed since.
    @Test func `a key leads to one job, whoever asks, however often, through kill -9`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri], more: "    keep: { jobs: 1m, documents: 0 }\n")
        func ask() async throws -> Set<Int64> {
            try await withThrowingTaskGroup(of: Int64.self) { group in
                for _ in 0..<16 { group.addTask { try await daemon.client().submit(text: "TEA", key: "sale-1").id } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        let ids = try await ask()
        #expect(ids.count == 1)
        let id = try #require(ids.first)
        #expect(try await daemon.client().job(id, wait: .seconds(300)).state == .completed)
        try await daemon.kill()
        try await daemon.start()
        #expect(try await ask() == ids)
        try daemon.folder.write(KioskdFixture.registry([printer.uri], role: "label"), to: "printers.yaml")
        #expect(try await daemon.kioskctl("reload").end == .exited(0))
        #expect(try await ask() == ids)
        #expect(try await daemon.client().submit(text: "TEA", key: "sale-1").state == .completed)
        let other = try await daemon.curl(
            "/v1/jobs?role=receipt",
            ["--data-binary", "COFFEE", "-H", "Content-Type: text/plain", "-H", "Idempotency-Key: sale-1"])
        #expect(other.status == 409)
        #expect(try other.json(Problem.self).detail?.contains("job \(id)") == true)
        #expect(try await printer.documents.count == 1)
    }
}
