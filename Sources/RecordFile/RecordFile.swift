import FoundationEssentials
package import GRDB

/// Opens the small SQLite databases beside the queue, and sets damaged ones aside. Every change is on disk once it is
/// committed.
package enum RecordFile {
    /// Opens the file, or begins one. A damaged one is set aside under the name `….damaged`, and one without records
    /// takes its place. Throws what SQLite or the disk says. Blocks.
    package static func open(_ path: String, migrator: DatabaseMigrator) throws -> DatabaseQueue {
        do {
            return try openChecked(path, migrator)
        } catch  where isDamage(error) {
            try setAside(path)
            return try openChecked(path, migrator)
        }
    }

    /// Whether an error says that the file is damaged: then it is to be opened anew.
    package static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    }

    private static func openChecked(_ path: String, _ migrator: DatabaseMigrator) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -256")
        }
        let database = try DatabaseQueue(path: path, configuration: configuration)
        let finding = try database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        guard finding == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: finding) }
        try migrator.migrate(database)
        return database
    }

    private static func setAside(_ path: String) throws {
        let files = FileManager.default
        for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
            try files.removeItem(atPath: path + suffix)
        }
        let aside = "\(path).damaged"
        if files.fileExists(atPath: aside) { try files.removeItem(atPath: aside) }
        try files.moveItem(atPath: path, toPath: aside)
    }
}
