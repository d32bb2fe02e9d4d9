import DurableFiles
import GRDB
import PrintModel

/// The durable queue and history: SQLite in WAL mode with `synchronous=FULL`, so that a commit is on disk when it
/// returns.
///
/// Owned by the engine. Reads run beside the writer; writes go through the `CommitQueue`, which shares commits.
struct JobStore: Sendable {
    let pool: DatabasePool
    let commits: CommitQueue
    /// The queue's file, open for as long as SQLite uses it; see `ReadableFile`. Nil where nobody reads it beside
    /// SQLite.
    private(set) var file: ReadableFile?

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
                throw EngineError(
                    .storageFailed, "SQLite refused synchronous=FULL for \(path); the queue would not be durable")
            }
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError.storage(error, doing: "open the queue \(path)")
        }
        commits = CommitQueue(writer: pool)
    }

    /// Opens a queue whose pages are also read without SQLite. `file` is the queue's, where it is open already.
    init(path: String, file: ReadableFile?) throws(EngineError) {
        try self.init(path: path)
        do throws(FileError) {
            self.file = if let file { file } else { try ReadableFile.open(path) }
        } catch {
            throw EngineError.storage(error, doing: "open the queue \(path)")
        }
    }

    /// Puts everything into the main file, which is then believed at the next start. Blocks.
    func close() throws {
        // Closing does it only where the writer is the last connection to go.
        _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try pool.close()
    }

    /// Runs a read beside the writer.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await pool.read(body)
        } catch let error as EngineError {
            throw error
        } catch let error as CancellationError {
            // Nothing is wrong with the disk: whoever asked is to stop.
            throw error
        } catch {
            throw EngineError.storage(error, doing: "read the queue")
        }
    }
}

extension EngineError {
    /// A failure of the database, in words.
    static func storage(_ error: any Error, doing what: String) -> EngineError {
        if let error = error as? DatabaseError, let (code, words) = Self.words(for: error.extendedResultCode) {
            return EngineError(code, "could not \(what): \(words)")
        }
        if error is RowDecodingError { return .damagedRow("a value of another class") }
        if let error = error as? FileError {
            return EngineError(code(for: error.errno), "could not \(what): \(error.message)")
        }
        return EngineError(
            .storageFailed, "could not \(what): \(error); see that the state folder is writable and its disk is sound"
        )
    }

    /// https://www.sqlite.org/rescode.html
    private static func words(for extended: ResultCode) -> (Code, String)? {
        // SQLITE_IOERR_READ, _SHORT_READ, _DATA and _CORRUPTFS: the disk does not give a page back, or not all of it.
        let isUnreadable = [1, 2, 32, 33].contains { extended.rawValue == 10 | $0 << 8 }
        let code: ResultCode = isUnreadable ? .SQLITE_CORRUPT : extended.primaryResultCode
        return switch code {
        case .SQLITE_FULL: (.storageFull, "the disk is full; free space on the state folder's file system")
        case .SQLITE_READONLY:
            (.storageReadOnly, "the state folder cannot be written; make its file system and files writable")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            (
                .storageDamaged,
                "the queue's file is damaged; the next start of kioskd, which comes by itself, sets it aside and recovers what can be read"
            )
        default: nil
        }
    }

    /// ENOSPC, EDQUOT and EROFS on Linux (asm-generic/errno.h).
    private static func code(for errno: Int32) -> Code {
        switch errno {
        case 28, 122: .storageFull
        case 30: .storageReadOnly
        default: .storageFailed
        }
    }
}
