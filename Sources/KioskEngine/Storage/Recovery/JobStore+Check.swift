internal import GRDB

/// What is looked at before a queue is believed that a crash, a power cut or damage may have changed. Blocks.
extension JobStore {
    /// Throws `storage-damaged` where SQLite finds damage, or a value of another class than its column holds; after
    /// damage was met, also where a row makes no sense as the job that it should be.
    func check(afterDamage: Bool) throws {
        do {
            try pool.read { db in
                let findings = try String.fetchAll(db, sql: "PRAGMA quick_check(1)")
                guard findings == ["ok"] else {
                    throw EngineError(.storageDamaged, "the queue's file is damaged: \(findings.joined(separator: "; "))")
                }
                for table in try QueueSalvage.tables(of: db) { try Self.checkClasses(in: table, db) }
                if afterDamage { try Self.checkJobs(db) }
            }
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError.storage(error, doing: "check the queue")
        }
    }

    /// SQLite keeps any value in any column, and so its own check finds none in the wrong one.
    private static func checkClasses(in table: String, _ db: Database) throws {
        let strangers = try db.columns(in: table).map { column in
            "typeof(\"\(column.name)\") NOT IN ('\(column.type.lowercased())'\(column.isNotNull || column.primaryKeyIndex > 0 ? "" : ", 'null'"))"
        }
        let sql = "SELECT 1 FROM \"\(table)\" WHERE \(strangers.joined(separator: " OR ")) LIMIT 1"
        guard try Int.fetchOne(db, sql: sql) == nil else { throw EngineError.damagedRow("a value of another class in table \(table)") }
    }

    private static func checkJobs(_ db: Database) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM job")
        while let row = try rows.next() { _ = try JobRecord(row: row) }
    }
}
