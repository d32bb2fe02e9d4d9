import Foundation
import GRDB
import KioskPrintModel
import KioskTestSupport
import Logging
import Testing

@testable import KioskEngine

/// Queues of earlier versions, and of later ones.
@Suite struct MigrationTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)

    private static func document(_ id: Int) -> [UInt8] {
        Array("paper \(id) \(String(repeating: "x", count: 100))".utf8)
    }

    /// A queue as migration 6 left it: jobs that wait, are on their way, are watched, are held and are final, some with
    /// keys, documents and steps. The highest numbers were given and deleted.
    private func makeOldQueue(in folder: TemporaryFolder) throws {
        let pool = try DatabasePool(path: folder.appending("queue.sqlite"))
        try Schema.migrator.migrate(pool, upTo: "6: owners of jobs")
        try pool.write { db in
            try db.execute(sql: "INSERT INTO engine (id, marker) VALUES (1, 'bcdfghjk')")
            for id in 1...300 {
                let stage = id.isMultiple(of: 50) ? id / 50 % 4 : 4
                let created = 1_000_000 + id
                let completed: Int? = stage == 4 ? created + 2 : nil
                let sent: Int? = stage == 0 ? nil : created + 1
                let evidence: String? = stage == 4 ? "printed" : nil
                let key: String? = id.isMultiple(of: 3) ? "key-\(id)" : nil
                let hasDocument = id > 100 ? 1 : 0
                let group: String? = id == 7 ? "7 8" : nil
                let state = ["pending", "processing", "processing", "pending-held", "completed"][stage]
                try db.execute(
                    sql: """
                        INSERT INTO job (id, name, role, printer, user, format, document_length, ticket, state, state_reasons,
                            message, evidence, is_unconfirmed, bytes_sent, attempts, remote_job, created_at, processing_at,
                            completed_at, expires_at, stage, is_pinned, reprints, sent_at, sent_to, is_cancel_requested,
                            caller, idempotency_key, content_digest, document_digest, origin, has_document, job_group, is_copy,
                            remarks, owner)
                        VALUES (?, ?, 'receipt', 'till-1', 'anna', 'text/plain', 9, NULL, ?, 'a-reason', 'a message', ?, 0, 9, 1,
                            ?, ?, ?, ?, ?, ?, 0, 0, ?, 'ipp://192.0.2.1/', 0, 'uid:1', ?, 'digest', NULL, NULL, ?, ?, 0, NULL, 1000)
                        """,
                    arguments: [
                        id, "receipt \(id)", state, evidence, "ipp:\(id)", created, created + 1, completed,
                        2_000_000_000_000, stage, sent, key, hasDocument, group,
                    ])
                if hasDocument == 1 {
                    try db.execute(
                        sql: "INSERT INTO document (job_id, bytes) VALUES (?, ?)",
                        arguments: [id, Data(Self.document(id))])
                }
                try db.execute(
                    sql: """
                        INSERT INTO job_step (job_id, number, time, kind, printer, attempt) VALUES (:id, 1, :id, 'sending', 'till-1', 1);
                        INSERT INTO job_step (job_id, number, time, kind, message) VALUES (:id, 2, :id, 'taken', 'as its job');
                        """, arguments: ["id": id])
            }
            // Given, and trimmed since.
            try db.execute(sql: "UPDATE sqlite_sequence SET seq = 1234 WHERE name = 'job'")
        }
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try pool.close()
    }

    /// Every row of a table, without the columns that only the new version has.
    private func rows(_ table: String, _ columns: [String]? = nil, in folder: TemporaryFolder) throws -> [Row] {
        let queue = try DatabaseQueue(path: folder.appending("queue.sqlite"))
        defer { try? queue.close() }
        return try queue.read { db in
            let names = try columns ?? db.columns(in: table).map(\.name)
            return try Row.fetchAll(db, sql: "SELECT \(names.joined(separator: ", ")) FROM \(table) ORDER BY 1, 2")
        }
    }

    /// `Scripts/package` reads the version that a package knows from these names, and its scripts compare the numbers.
    @Test func `migrations are numbered one after the other`() {
        let migrations = Schema.migrator.migrations
        let numbers = migrations.compactMap { Int($0.prefix { $0 != ":" }) }
        #expect(numbers == Array(1...migrations.count))
    }

    @Test func `a queue of migration 6 keeps every job, document, step, key and number`() async throws {
        let folder = try TemporaryFolder()
        try makeOldQueue(in: folder)
        let (jobs, documents, steps) = try (
            rows("job", in: folder), rows("document", in: folder), rows("job_step", in: folder)
        )
        let opening = try QueueOpening.open(in: folder.path, at: Self.now, logger: Self.logger)
        #expect(opening.marker == "bcdfghjk")
        #expect(opening.records.map(\.job.id) == [50, 100, 150, 200, 250, 300])
        #expect(opening.records.map(\.stage.stored.rawValue) == [1, 2, 3, 0, 1, 2])
        let store = opening.store
        // Found by what they were found by.
        #expect(try await store.rolesOfHistory() == ["receipt"])
        #expect(try await store.jobs(JobFilter(states: [.pendingHeld])).jobs.map(\.id) == [150])
        #expect(try await store.documents(of: "receipt", finalBefore: Self.now).count == 196)
        #expect(try await store.jobs(of: "receipt", finalBefore: Self.now, at: Self.now).count == 98)
        #expect(try await store.document(of: 150) == Self.document(150))
        #expect(try await store.steps(of: 299).steps.map(\.kind) == [.sending, .acceptedByPrinter])
        let key = IdempotencyKey(caller: "uid:1", key: "key-150", contentDigest: "digest", now: Self.now)
        #expect(try await store.job(under: key) == 150)
        // The last number goes on behind those that were deleted.
        let job = Job(
            id: 0, name: "new", role: .test("receipt"), printer: nil, user: nil, format: .plainText, documentLength: 1,
            ticket: Ticket(), createdAt: Self.now, expiresAt: Self.now)
        let new = JobRecord(job: job, destination: .role(.test("receipt")))
        try await store.commits.commit { try JobStore.insert(new, into: $0) }
        #expect(try await store.jobs(JobFilter(limit: 1)).jobs.map(\.id) == [1235])
        try await store.commits.commit { try $0.execute(sql: "DELETE FROM job WHERE id = 1235") }
        try store.close()
        #expect(try rows("job", Array(jobs[0].columnNames), in: folder) == jobs)
        #expect(try rows("document", in: folder) == documents)
        #expect(try rows("job_step", in: folder) == steps)
        // The next start finds it as it should be.
        try QueueFiles(folder: folder.path).suspect()
        let again = try QueueOpening.open(in: folder.path, at: Self.now, logger: Self.logger)
        #expect(again.records.count == 6)
        #expect(try QueueFiles(folder: folder.path).damaged().isEmpty)
        try again.store.close()
    }

    @Test func `a damaged queue of migration 6 is recovered, with its last number`() async throws {
        let folder = try TemporaryFolder()
        try makeOldQueue(in: folder)
        // The page on which the table of documents begins; the last number stands elsewhere.
        let path = folder.appending("queue.sqlite")
        let root = try #require(
            SchemaCopy(of: DatabasePages(path, pageSize: nil))?.entries.first { $0.name == "document" }?.root)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64((root - 1) * 4096))
        try file.write(contentsOf: Data(count: 4096))
        try file.close()
        try QueueFiles(folder: folder.path).suspect()
        let opening = try QueueOpening.open(in: folder.path, at: Self.now, logger: Self.logger)
        #expect(try QueueFiles(folder: folder.path).damaged().count == 1)
        #expect(opening.marker == "bcdfghjk")
        #expect(opening.records.map(\.job.id) == [50, 100, 150, 200, 250, 300])
        let (floor, count) = try await opening.store.read { db in
            (
                try Int64.fetchOne(db, sql: "SELECT floor FROM queue"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM job, document WHERE job_id = job.id")
            )
        }
        #expect(floor == 1235 && count == 200)
        #expect(try await opening.store.documents(of: "receipt", finalBefore: Self.now).count == 196)
        try opening.store.close()
    }

    @Test func `a queue with a row that no version wrote is recovered, and not refused`() throws {
        let folder = try TemporaryFolder()
        try makeOldQueue(in: folder)
        let queue = try DatabaseQueue(path: folder.appending("queue.sqlite"))
        // What SQLite would never have taken, as a disk may return it.
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA foreign_keys = OFF;
                    INSERT INTO document (job_id, bytes) VALUES (5000, x'00');
                    """)
        }
        try queue.close()
        let opening = try QueueOpening.open(in: folder.path, at: Self.now, logger: Self.logger)
        #expect(opening.records.count == 6)
        try opening.store.close()
    }

    @Test func `the version of the tables is noted beside them`() throws {
        let folder = try TemporaryFolder()
        try makeOldQueue(in: folder)
        try folder.write("6\n", to: "queue.sqlite.version")
        try QueueOpening.open(in: folder.path, at: Self.now, logger: Self.logger).store.close()
        #expect(
            try readFile(folder.appending("queue.sqlite.version"))
                == Array("\(Schema.migrator.migrations.count)\n".utf8))
    }

    @Test func `a queue of a newer version is refused, and left as it is`() throws {
        let folder = try TemporaryFolder()
        try folder.write("99\n", to: "queue.sqlite.version")
        let path = folder.appending("queue.sqlite")
        let store = try JobStore(path: path)
        try store.pool.write { try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99: tomorrow')") }
        try store.close()
        let error = #expect(throws: EngineError.self) {
            try QueueOpening.open(in: folder.path, at: Self.now, logger: Self.logger)
        }
        #expect(error?.message.contains("newer version") == true)
        #expect(try QueueFiles(folder: folder.path).damaged().isEmpty)
        #expect(try readFile(folder.appending("queue.sqlite.version")) == Array("99\n".utf8))
        // The version before migration 7 asks for its marker before anything else.
        #expect(throws: DatabaseError.self) {
            let queue = try DatabaseQueue(path: path)
            _ = try queue.read { try String.fetchOne($0, sql: "SELECT marker FROM engine") }
        }
    }
}
