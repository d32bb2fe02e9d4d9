import GRDB
import KioskAsyncPrimitives
import KioskPrintModel
import Logging

/// The check of a queue that a crash, a power cut or damage may have changed.
struct QueueCheck: Sendable {
    let store: JobStore

    /// Throws `storage-damaged` where SQLite finds damage, or a value of another class than its column holds; after
    /// damage was met, also where a row makes no sense as the job that it should be. Indexes that are sound in
    /// themselves and wrong about the rows are rebuilt. Blocks.
    func run(afterDamage: Bool, logger: Logger) throws {
        let pool = store.pool
        do {
            let findings = try pool.read(Self.findings)
            if !findings.isEmpty {
                // Where pages are damaged, nothing is written that could take others along.
                guard findings.allSatisfy(Self.isAboutIndex) else { throw Self.damaged(findings) }
                // Where a row and its index differ, either may be the damaged one: a row is believed that makes sense.
                try pool.read(Self.checkJobs)
                do {
                    try pool.writeWithoutTransaction { try $0.execute(sql: "REINDEX") }
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                    // Two rows have become the same.
                    throw Self.damaged(findings)
                }
                let rest = try pool.read(Self.findings)
                guard rest.isEmpty else { throw Self.damaged(rest) }
                logger.error(
                    "an index of the queue was damaged and is made anew, nothing is lost: \(findings.prefix(3).joined(separator: "; "))"
                )
            }
            try pool.read { db in
                for table in try QueueSalvage.tables(of: db) { try Self.checkClasses(in: table, db) }
                try JobFiling.check(db)
                if afterDamage { try Self.checkJobs(db) }
            }
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError.storage(error, doing: "check the queue")
        }
    }

    /// Checks a queue that is in use; throws `storage-damaged` where the check at a start would.
    func runInUse(of files: QueueFiles) async throws {
        for attempt in 0..<2 {
            // A write under way may be seen in part; the second read does not see it again.
            if attempt > 0 { try await Task.sleep(for: .milliseconds(200)) }
            guard let copy = SchemaCopy.read(files.outline) else { break }
            let present = try SchemaCopy(
                of: DatabasePages(files.queue, pageSize: copy.pageSize, file: store.file))
            if present == copy { break }
            if attempt > 0 { throw Self.differsFromSchemaCopy(files) }
        }
        try await Self.checkPages(of: files.queue)
    }

    /// The error of a queue whose first page differs from the copy that is kept of it.
    static func differsFromSchemaCopy(_ files: QueueFiles) -> EngineError {
        EngineError(.storageDamaged, "the queue's file \(files.queue) is damaged: it tells of other tables than it has")
    }

    /// Uses its own connection, so that its memory is freed.
    private static func checkPages(of path: String) async throws {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: path, configuration: configuration)
        do {
            try await database.read { db in
                let findings = try findings(db)
                guard findings.isEmpty else { throw damaged(findings) }
                for table in try QueueSalvage.tables(of: db) { try checkClasses(in: table, db) }
                try JobFiling.check(db)
            }
        } catch let error as DatabaseError {
            throw EngineError.storage(error, doing: "check the queue")
        }
    }

    private static func damaged(_ findings: [String]) -> EngineError {
        EngineError(.storageDamaged, "the queue's file is damaged: \(findings.prefix(3).joined(separator: "; "))")
    }

    /// The findings of SQLite's integrity check, which reads every page and every entry of the indexes.
    private static func findings(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
    }

    /// The messages of SQLite's integrity check for an index that does not match the rows of its table.
    private static func isAboutIndex(_ finding: String) -> Bool {
        ["row ", "wrong # of entries in index", "non-unique entry in index", "rowid not at end-of-record"].contains {
            finding.hasPrefix($0)
        }
    }

    /// SQLite keeps any value in any column, and so its own check finds none in the wrong one.
    private static func checkClasses(in table: String, _ db: Database) throws {
        let strangers = try db.columns(in: table).map { column in
            "typeof(\"\(column.name)\") NOT IN ('\(column.type.lowercased())'\(column.isNotNull || column.primaryKeyIndex > 0 ? "" : ", 'null'"))"
        }
        let sql = "SELECT 1 FROM \"\(table)\" WHERE \(strangers.joined(separator: " OR ")) LIMIT 1"
        guard try Int.fetchOne(db, sql: sql) == nil else {
            throw EngineError.damagedRow("a value of another class in table \(table)")
        }
    }

    private static func checkJobs(_ db: Database) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM job")
        while let row = try rows.next() {
            let record = try JobRecord(row: row)
            guard (record.stage == .done) == record.job.state.isFinal else {
                throw EngineError.damagedRow("a stage that does not go with its state", of: record.job.id)
            }
        }
    }
}

/// Checks the queue while jobs are accepted and printed: one that was trusted at the start, because the last process
/// closed it, at once; then each hour, and after a failure that damage may have caused.
struct QueueSupervision: Sendable {
    let store: JobStore
    let files: QueueFiles
    /// Is told of damage, and says when a check is wanted.
    let storage: StorageHealth
    let clock: EngineClock
    /// Whether the whole queue was checked at the start.
    let isChecked: Bool
    let logger: Logger

    private static let minimumInterval = Duration.seconds(5)
    private static let interval = Duration.seconds(3600)

    /// Returns once damage was found, or the task is cancelled.
    func run() async {
        if isChecked { await waitForNextCheck() }
        while !Task.isCancelled {
            do {
                try await QueueCheck(store: store).runInUse(of: files)
            } catch let error as EngineError where error.code == .storageDamaged {
                return storage.note(error)
            } catch is CancellationError {
                return
            } catch {
                logger.debug("the queue cannot be checked: \(error)")
            }
            do { try await clock.sleep(Self.minimumInterval) } catch { return }
            await waitForNextCheck()
        }
    }

    private func waitForNextCheck() async {
        let reminder = Task { [clock, storage] in
            do { try await clock.sleep(Self.interval) } catch { return }
            storage.checkWanted.raise()
        }
        await storage.checkWanted.wait()
        reminder.cancel()
    }
}
