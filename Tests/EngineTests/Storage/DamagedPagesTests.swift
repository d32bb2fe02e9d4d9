import Foundation
import GRDB
import KioskDurableFiles
import KioskPrintModel
import KioskTestSupport
import Logging
import Testing

@testable import KioskEngine

/// Damage at the places of a queue on which much depends.
@Suite struct DamagedPagesTests {
    private static let pageSize = DatabasePages.newPageSize

    /// An engine with so many jobs waiting, whose printers are down.
    private func kiosk(jobs count: Int, restartDelayAfterDamage: Duration? = nil) async throws -> (TestKiosk, [Job]) {
        let kiosk = try await TestKiosk(
            prepare: {
                $0.set("till-1", .isDown)
                $0.set("till-2", .isDown)
            }, configure: { $0.restartDelayAfterDamage = restartDelayAfterDamage })
        var jobs: [Job] = []
        for number in 1...count { jobs.append(try await submit(number, to: kiosk)) }
        return (kiosk, jobs)
    }

    private func submit(_ number: Int, to kiosk: TestKiosk) async throws -> Job {
        try await kiosk.submit("receipt \(number) " + String(repeating: "x", count: 700)) {
            $0.idempotencyKey = "order-\(number)"
        }
    }

    private func path(_ kiosk: TestKiosk) -> String { kiosk.folder.path + "/state/queue.sqlite" }

    private func damaged(_ kiosk: TestKiosk) throws -> [String] {
        try QueueFiles(folder: kiosk.folder.path + "/state").damaged()
    }

    private func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    private func zero(page: Int, of kiosk: TestKiosk) throws {
        try overwrite(path(kiosk), at: (page - 1) * Self.pageSize, with: [UInt8](repeating: 0, count: Self.pageSize))
    }

    /// The page on which a table or an index begins.
    private func root(of name: String, _ kiosk: TestKiosk) throws -> Int {
        let entries = try #require(SchemaCopy(of: try DatabasePages(path(kiosk), pageSize: nil))).entries
        return try #require(entries.first { $0.name == name }).root
    }

    /// Starts, and has all jobs printed, in order and once.
    private func expectAll(_ jobs: [Job], on kiosk: TestKiosk) async throws {
        kiosk.transport.set("till-1", .prints)
        try await kiosk.start()
        for job in jobs { #expect(try await kiosk.settled(job).state == .completed, "\(job.id)") }
        #expect(kiosk.transport.texts == jobs.map(\.name))
        #expect(try await kiosk.settled(kiosk.submit("the next")).id > jobs.count)
    }

    @Test(arguments: [
        "the first", "job", "document", "job_open", "job_final", "queue", "sqlite_sequence", "printer_contact",
    ])
    func `no job is lost with a page that only leads to others`(name: String) async throws {
        let (kiosk, jobs) = try await kiosk(jobs: 60)
        try await kiosk.stop()
        try zero(page: name == "the first" ? 1 : root(of: name, kiosk), of: kiosk)
        // Damage that nobody has met yet: the next start is to look.
        try QueueFiles(folder: kiosk.folder.path + "/state").suspect()
        try await expectAll(jobs, on: kiosk)
        // With the floor goes the last number that was given.
        let next = try await kiosk.submit("one more")
        #expect(name == "queue" ? next.id > 1_700_000_000 : next.id < 100)
        #expect(try damaged(kiosk).count == 1)
        let health = await kiosk.engine.health()
        #expect(health.jobsLost == nil)
        #expect(
            health.checks.contains {
                $0.code == "queue-recovered" && $0.message.contains("60 jobs were recovered, none was lost")
            })
        try await kiosk.stop()
    }

    @Test func `the jobs that are lost are counted and named`() async throws {
        let (kiosk, jobs) = try await kiosk(jobs: 60)
        try await kiosk.stop()
        let rows = DatabaseRows(try DatabasePages(path(kiosk), pageSize: nil), outline: nil)
        func ids(_ leaf: Int) -> [Job.ID] { rows.rows(on: leaf).rows.filter { $0.values.count > 20 }.map(\.number) }
        let leaf = try #require(rows.leaves.first { ids($0).contains(30) })
        let lost = ids(leaf).sorted()
        try zero(page: leaf, of: kiosk)
        try QueueFiles(folder: kiosk.folder.path + "/state").suspect()
        try await kiosk.start()
        let health = await kiosk.engine.health()
        #expect(health.jobsLost == lost.count)
        let named = lost.prefix(10).map(String.init).joined(separator: ", ")
        #expect(
            health.checks.contains {
                $0.message.contains("\(jobs.count - lost.count) jobs were recovered, \(lost.count) were lost (\(named)")
            }, "\(health.checks)")
        #expect(
            Set(try await kiosk.engine.jobs(JobFilter(limit: 1000)).map(\.id)) == Set(jobs.map(\.id)).subtracting(lost))
        try await kiosk.stop()
        // Whoever has looked removes the file.
        for name in try damaged(kiosk) {
            try FileManager.default.removeItem(atPath: kiosk.folder.path + "/state/" + name)
        }
        try await kiosk.start()
        #expect(await kiosk.engine.health().jobsLost == nil)
        try await kiosk.stop()
    }

    @Test func `a file that is there and cannot be opened is not taken for a missing one`() async throws {
        let (kiosk, _) = try await kiosk(jobs: 3)
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: path(kiosk), toPath: folder.appending("queue.sqlite"))
        try await kiosk.stop()
        #expect(try DatabasePages(folder.appending("queue.sqlite"), pageSize: nil).log == nil)
        // A link to itself: neither there nor missing, as for a process without descriptors (ELOOP for EMFILE).
        let log = folder.appending("queue.sqlite-wal")
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: log)
        #expect(throws: FileError.self) { try DatabasePages(folder.appending("queue.sqlite"), pageSize: nil) }
    }

    @Test func `with the last page of jobs go their numbers, and none of them is given again`() async throws {
        let (kiosk, jobs) = try await kiosk(jobs: 60)
        try await kiosk.stop()
        let rows = DatabaseRows(try DatabasePages(path(kiosk), pageSize: nil), outline: nil)
        #expect(rows.lastNumber(in: "job") == 60)
        let leaf = try #require(
            rows.leaves.first { rows.rows(on: $0).rows.contains { $0.values.count > 20 && $0.number == 60 } })
        try zero(page: leaf, of: kiosk)
        try QueueFiles(folder: kiosk.folder.path + "/state").suspect()
        try await kiosk.start()
        let health = await kiosk.engine.health()
        #expect(health.jobsLost ?? 0 > 0)
        // Documents tell of them; whether they tell of all nobody knows.
        #expect(health.checks.contains { $0.message.contains("at least \(health.jobsLost ?? 0) ") })
        #expect(try await kiosk.submit("the next").id > Int64(jobs.count) + 1_000_000)
        try await kiosk.stop()
    }

    @Test func `a floor that would hide jobs is damage, and all of them are found`() async throws {
        let (kiosk, jobs) = try await kiosk(jobs: 3)
        try await kiosk.stop()
        let queue = try DatabaseQueue(path: path(kiosk))
        try await queue.write { try $0.execute(sql: "UPDATE job SET filed = 0; UPDATE queue SET floor = 1000") }
        try queue.close()
        try QueueFiles(folder: kiosk.folder.path + "/state").suspect()
        try await expectAll(jobs, on: kiosk)
        #expect(try damaged(kiosk).count == 1)
        try await kiosk.stop()
    }

    /// Changes rows, of which the index of final jobs learns nothing.
    private func changeBehindItsIndex(_ kiosk: TestKiosk, _ sql: String) throws {
        let entry = try #require(
            SchemaCopy(of: try DatabasePages(path(kiosk), pageSize: nil))?.entries.first {
                $0.name == "job_final"
            })
        func change(_ sql: String, _ arguments: StatementArguments = []) throws {
            // A connection of its own reads the table of tables anew.
            let queue = try DatabaseQueue(path: path(kiosk))
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(sql: sql, arguments: arguments)
            }
            try queue.close()
        }
        try change("DELETE FROM sqlite_master WHERE name = 'job_final'")
        try change(sql)
        try change(
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('index', 'job_final', 'job', ?, ?)",
            [entry.root, entry.sql])
    }

    @Test func `a printed job whose damaged row says that it waits is not printed again`() async throws {
        let (kiosk, jobs) = try await kiosk(jobs: 2)
        kiosk.transport.set("till-1", .prints)
        for job in jobs { #expect(try await kiosk.settled(job).state == .completed) }
        try await kiosk.stop()
        try changeBehindItsIndex(kiosk, "UPDATE job SET stage = 0 WHERE id = \(jobs[0].id)")
        try QueueFiles(folder: kiosk.folder.path + "/state").suspect()
        try await kiosk.start()
        #expect(try damaged(kiosk).count == 1)
        #expect(try await kiosk.engine.job(jobs[0].id).state == .pendingHeld)
        #expect(kiosk.transport.texts.count == 2)
        try await kiosk.stop()
    }

    @Test func `an index that is wrong about its rows is made anew`() async throws {
        let (kiosk, jobs) = try await kiosk(jobs: 3)
        try await kiosk.stop()
        try changeBehindItsIndex(kiosk, "UPDATE job SET stage = 4, state = 'completed', filed = 1 WHERE id = 2")
        try QueueFiles(folder: kiosk.folder.path + "/state").suspect()
        kiosk.transport.set("till-1", .prints)
        try await kiosk.start()
        #expect(try damaged(kiosk).isEmpty)
        for job in jobs { #expect(try await kiosk.settled(job).state == .completed) }
        #expect(kiosk.transport.texts == [jobs[0].name, jobs[2].name])
        try await kiosk.stop()
        let findings = try await DatabaseQueue(path: path(kiosk)).read {
            try String.fetchAll($0, sql: "PRAGMA integrity_check")
        }
        #expect(findings == ["ok"])
    }

    @Test(arguments: 0..<24) func `commits behind a damaged place of the log are kept`(place: Int) async throws {
        let (kiosk, jobs) = try await kiosk(jobs: 20)
        // As a crash leaves it: the log is not taken into the file yet.
        let folder = try TemporaryFolder()
        for name in ["queue.sqlite", "queue.sqlite-wal", "queue.sqlite.outline"] {
            try FileManager.default.copyItem(
                atPath: kiosk.folder.path + "/state/" + name, toPath: folder.appending(name))
        }
        try await kiosk.stop()
        let log = try folder.read("queue.sqlite-wal")
        let whole = DatabaseRows(try DatabasePages(folder.appending("queue.sqlite"), pageSize: nil), outline: nil)
        func isJob(_ row: DatabasePage.Row) -> Bool { row.values.count > 20 }
        #expect(
            Set(whole.leaves.flatMap { whole.rows(on: $0).rows.filter(isJob).map(\.number) }) == Set(jobs.map(\.id)))
        // Its header once, and places all over it, but for the end, which a crash damages by itself.
        let offset = place == 0 ? 16 : log.count * place / 26
        try overwrite(folder.appending("queue.sqlite-wal"), at: offset, with: log[offset..<offset + 8].map { ~$0 })
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let opening = try QueueOpening.open(
            in: folder.path, at: Timestamp(millisecondsSince1970: 1_800_000_000_000), logger: logger)
        let kept = opening.records.map(\.job.id)
        #expect(kept.count >= jobs.count - 10, "of \(jobs.count) jobs \(kept) are kept")
        #expect(Set(kept).count == kept.count)
        let report = try QueueFiles(folder: folder.path).damaged().first.flatMap {
            RecoveryReport.read(QueueFiles.report(beside: folder.appending($0)))
        }
        #expect(report != nil || kept.count == jobs.count)
        #expect((report?.lost ?? 0) <= jobs.count - kept.count)
        try opening.store.close()
    }

    @Test func `what is known of jobs outlives damage that is met while they are taken`() async throws {
        let (kiosk, jobs) = try await kiosk(jobs: 60, restartDelayAfterDamage: .zero)
        // Checkpointed, so that the file is read and not the log.
        let store = await kiosk.engine.store
        try await store.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        let rows = DatabaseRows(try DatabasePages(path(kiosk), pageSize: nil), outline: nil)
        let leaf = try #require(
            rows.leaves.first { rows.rows(on: $0).rows.contains { $0.values.count > 20 && $0.number == 30 } })
        try zero(page: leaf, of: kiosk)
        try await eventually("the damage to be met") {
            store.pool.releaseMemory()
            _ = try? await kiosk.engine.jobs(JobFilter(limit: 1000))
            return await kiosk.engine.health().checks.contains { $0.code == "storage-damaged" }
        }
        #expect(await kiosk.ended()?.code == .storageDamaged)
        // Without an operator, all are there: those of the damaged page, too, with their documents.
        try await expectAll(jobs, on: kiosk)
        #expect(await kiosk.engine.health().jobsLost == nil)
        #expect(try damaged(kiosk).count == 1)
        // A till that repeats its request is told of the same job.
        #expect(try await submit(30, to: kiosk).id == jobs[29].id)
        try await kiosk.stop()
    }
}
