import GRDB
import KioskDurableFiles

/// What the disk and SQLite fail with, in the words and codes of the engine.
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
            .storageFailed,
            "could not \(what): \(error); see that the state directory is writable and its disk is sound"
        )
    }

    /// https://www.sqlite.org/rescode.html
    private static func words(for extended: ResultCode) -> (Code, String)? {
        // SQLITE_IOERR_READ, _SHORT_READ, _DATA and _CORRUPTFS: the disk does not give a page back, or not all of it.
        let isUnreadable = [1, 2, 32, 33].contains { extended.rawValue == 10 | $0 << 8 }
        let code: ResultCode = isUnreadable ? .SQLITE_CORRUPT : extended.primaryResultCode
        return switch code {
        case .SQLITE_FULL: (.storageFull, "the disk is full; free space on the state directory's file system")
        case .SQLITE_READONLY:
            (.storageReadOnly, "the state directory cannot be written; make its file system and files writable")
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

    /// A row in the queue that cannot be what was written.
    static func damagedRow(_ what: String, of job: Int64? = nil) -> EngineError {
        let whose = job.map { "job \($0) in the queue" } ?? "the queue"
        return EngineError(
            .storageDamaged,
            "\(whose) has \(what); the next start of kioskd, which comes by itself, sets its file aside and recovers what can be read"
        )
    }
}
