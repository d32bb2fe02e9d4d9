internal import GRDB
internal import PrintModel

/// Takes over what can be read of a damaged queue into a new one, row by row.
struct QueueSalvage {
    /// Jobs that were taken over, final ones included.
    private(set) var jobs = 0
    /// Rows of any table, or places for one, that could not be read or make no sense.
    private(set) var lost = 0

    /// Fills the new queue, in one commit. `old` is nil where the damaged file cannot even be opened. Throws only for the
    /// new one.
    mutating func fill(_ new: DatabasePool, from old: DatabaseQueue?, at now: Timestamp) throws {
        try new.write { db in
            for table in try Self.tables(of: db) {
                if let old { try copy(table, from: old, into: db) } else { lost += 1 }
            }
            try continueNumbers(from: old, in: db, at: now)
            try holdUnaskable(db)
        }
    }

    /// Without the marker, no printer can be asked for a job under the name that it was sent by, and "it does not have it"
    /// would prove nothing: an operator decides.
    private func holdUnaskable(_ db: Database) throws {
        guard try String.fetchOne(db, sql: "SELECT marker FROM engine") == nil else { return }
        try db.execute(
            sql: """
                UPDATE job SET stage = ?, state = ?, state_reasons = 'unconfirmed', is_unconfirmed = 1,
                    message = 'The queue was damaged while the job was on its way, and its printer cannot be asked any more. Look at the paper, then release it (prints again) or cancel it.'
                WHERE stage = ?
                """,
            arguments: [JobStage.Stored.held.rawValue, JobState.pendingHeld.rawValue, JobStage.Stored.sending.rawValue])
    }

    /// Those that others refer to come first.
    static func tables(of db: Database) throws -> [String] {
        let names = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        return ["job"] + names.filter { $0 != "job" && !$0.hasPrefix("sqlite_") && $0 != "grdb_migrations" }.sorted()
    }

    /// A damaged page takes the rows that stand on it with it, and no others.
    private mutating func copy(_ table: String, from old: DatabaseQueue, into db: Database) throws {
        let wanted = try db.columns(in: table)
        guard let present = try? old.read({ try $0.columns(in: table).map(\.name) }), !present.isEmpty else { lost += 1; return }
        let columns = wanted.filter { present.contains($0.name) }
        let reader = RowReader(database: old, table: table, columns: columns.map(\.name))
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let insertion = "INSERT OR IGNORE INTO \"\(table)\" (\(names)) VALUES (\(databaseQuestionMarks(count: columns.count)))"
        while let piece = reader.next() {
            lost += piece.unreadable
            for values in piece.rows {
                guard zip(values, columns).allSatisfy({ Self.suits($0, $1) }), try Self.insert(values, with: insertion, into: table, db) else {
                    lost += 1
                    continue
                }
                if table == "job" { jobs += 1 }
            }
        }
    }

    /// False where the row refers to one that is lost, or is no job.
    private static func insert(_ values: [DatabaseValue], with insertion: String, into table: String, _ db: Database) throws -> Bool {
        var isTaken = false
        do {
            try db.inSavepoint {
                // From the cache, which forgets a statement that failed: such a one would fail the next row too.
                try db.cachedStatement(sql: insertion).execute(arguments: StatementArguments(values))
                isTaken = try db.changesCount > 0 && (table != "job" || isJob(db))
                return isTaken ? .commit : .rollback
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
        return isTaken
    }

    /// What stands in a column of another class would end the process that reads it.
    private static func suits(_ value: DatabaseValue, _ column: ColumnInfo) -> Bool {
        switch value.storage {
        case .null: !column.isNotNull && column.primaryKeyIndex == 0
        case .int64: column.type == "INTEGER"
        case .string: column.type == "TEXT"
        case .blob: column.type == "BLOB"
        case .double: false
        }
    }

    /// Whether the row just inserted can be read as a job.
    private static func isJob(_ db: Database) throws -> Bool {
        let row = try Row.fetchOne(db, sql: "SELECT * FROM job WHERE id = ?", arguments: [db.lastInsertedRowID])
        return row.map { (try? JobRecord(row: $0)) != nil } ?? false
    }

    /// No number is given twice: whoever asks for a lost job must not be told of another. Where the last one cannot be
    /// read, they go on with the seconds since 1970, which no queue has counted to.
    private func continueNumbers(from old: DatabaseQueue?, in db: Database, at now: Timestamp) throws {
        let sql = "SELECT max(seq) FROM sqlite_sequence WHERE name = 'job'"
        let known = old.flatMap { try? $0.read { try Int64.fetchOne($0, sql: sql) } }
        let reached = try Int64.fetchOne(db, sql: sql) ?? 0
        let last = max(reached, known ?? now.millisecondsSince1970 / 1000)
        try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'job'")
        try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('job', ?)", arguments: [last])
    }
}
