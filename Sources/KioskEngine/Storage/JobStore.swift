internal import DurableFiles
internal import GRDB
internal import PrintModel

/// The durable queue and history: SQLite in WAL mode with `synchronous=FULL`, so that a commit is on disk when it returns.
///
/// Owned by the engine. Reads run beside the writer; writes go through the `CommitQueue`, which shares commits.
struct JobStore: Sendable {
    let pool: DatabasePool
    let commits: CommitQueue

    init(path: String) throws(EngineError) {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.maximumReaderCount = 2
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA foreign_keys = ON")
            }
            pool = try DatabasePool(path: path, configuration: configuration)
            try Schema.migrator.migrate(pool)
            // GRDB opens WAL databases with NORMAL, under which a power cut takes acknowledged jobs with it.
            let level = try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                return try Int.fetchOne(db, sql: "PRAGMA synchronous")
            }
            guard level == 2 else {
                throw EngineError(.storageFailed, "SQLite refused synchronous=FULL for \(path); the queue would not be durable")
            }
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError.storage(error, doing: "open the queue \(path)")
        }
        commits = CommitQueue(writer: pool)
    }

    /// Runs a read beside the writer.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await pool.read(body)
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError.storage(error, doing: "read the queue")
        }
    }
}

extension EngineError {
    /// A failure of the database, in words.
    static func storage(_ error: any Error, doing what: String) -> EngineError {
        if let error = error as? DatabaseError, error.resultCode == .SQLITE_FULL {
            return EngineError(.storageFull, "could not \(what): the disk is full; free space on the state folder's file system")
        }
        if let error = error as? FileError {
            let isFull = error.errno == diskFullErrno || error.errno == quotaExceededErrno
            return EngineError(isFull ? .storageFull : .storageFailed, "could not \(what): \(error.message)")
        }
        return EngineError(
            .storageFailed, "could not \(what): \(error); see that the state folder is writable and its disk is sound"
        )
    }

    /// ENOSPC and EDQUOT on Linux (asm-generic/errno.h).
    private static var diskFullErrno: Int32 { 28 }
    private static var quotaExceededErrno: Int32 { 122 }
}
