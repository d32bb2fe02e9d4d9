import GRDB
import GRDBSQLite

/// One run of a prepared statement by SQLite's own interface: no value is boxed, no row copied, no column looked up by
/// its name. For the few statements that every receipt runs; whatever else is stored or read uses GRDB's interface.
///
/// The statement is GRDB's, which keeps it prepared with its connection. Values are bound, and columns read, from left
/// to right. Belongs to the thread that has the connection.
struct DirectStatement: ~Copyable {
    private let prepared: Statement
    private let statement: OpaquePointer
    private var parameter: CInt = 0
    private var column: CInt = 0

    init(_ sql: String, in db: Database) throws {
        prepared = try db.cachedStatement(sql: sql)
        statement = prepared.sqliteStatement
    }

    deinit {
        // Both give back only what the run has left behind; its error was thrown by the run.
        _ = sqlite3_reset(statement)
        _ = sqlite3_clear_bindings(statement)
    }

    // MARK: Parameters

    mutating func bind(_ value: Int64) throws {
        parameter += 1
        try check(sqlite3_bind_int64(statement, parameter, value))
    }

    mutating func bind(_ value: Int64?) throws {
        if let value { try bind(value) } else { try bindNull() }
    }

    mutating func bind(_ value: Bool) throws { try bind(value ? 1 : 0) }

    mutating func bind(_ text: String) throws {
        parameter += 1
        var text = text
        let result = text.withUTF8 { utf8 in
            // SQLite takes a null pointer for NULL.
            guard let start = utf8.baseAddress else {
                return sqlite3_bind_text(statement, parameter, "", 0, Self.copied)
            }
            return start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                sqlite3_bind_text(statement, parameter, $0, CInt(clamping: utf8.count), Self.copied)
            }
        }
        try check(result)
    }

    mutating func bind(_ text: String?) throws {
        if let text { try bind(text) } else { try bindNull() }
    }

    mutating func bind(blob bytes: [UInt8]) throws {
        parameter += 1
        // A blob of no bytes is not NULL.
        guard !bytes.isEmpty else { return try check(sqlite3_bind_zeroblob(statement, parameter, 0)) }
        let result = bytes.withUnsafeBytes {
            sqlite3_bind_blob(statement, parameter, $0.baseAddress, CInt(clamping: $0.count), Self.copied)
        }
        try check(result)
    }

    private mutating func bindNull() throws {
        parameter += 1
        try check(sqlite3_bind_null(statement, parameter))
    }

    /// SQLITE_TRANSIENT: SQLite copies what is bound.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    // MARK: Running

    /// Runs a statement that has no rows.
    consuming func run() throws {
        while try step() {}
    }

    /// Goes to the next row; false where there is none.
    mutating func next() throws -> Bool {
        column = -1
        return try step()
    }

    private func step() throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let failure: throw self.failure(failure)
        }
    }

    private func check(_ result: CInt) throws {
        guard result == SQLITE_OK else { throw failure(result) }
    }

    private func failure(_ result: CInt) -> DatabaseError {
        let message = sqlite3_errmsg(sqlite3_db_handle(statement)).map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: result), message: message, sql: prepared.sql)
    }

    // MARK: Columns

    /// The next column; nil for NULL. Throws `storage-damaged` for a value of another storage class, which only a
    /// damaged file returns.
    mutating func integer() throws(EngineError) -> Int64? {
        column += 1
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return sqlite3_column_int64(statement, column)
        case SQLITE_NULL: return nil
        default: throw wrongClass()
        }
    }

    /// The same for text.
    mutating func text() throws(EngineError) -> String? {
        column += 1
        switch sqlite3_column_type(statement, column) {
        case SQLITE_TEXT:
            guard let text = sqlite3_column_text(statement, column) else { throw wrongClass() }
            let length = Int(sqlite3_column_bytes(statement, column))
            return String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
        case SQLITE_NULL: return nil
        default: throw wrongClass()
        }
    }

    private func wrongClass() -> EngineError {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "\(column)"
        return .damagedRow("a value of the wrong type in column \(name)")
    }
}

extension Database {
    /// Runs writes as one transaction, by statements that stay prepared. What `operations` throws is thrown again, and
    /// nothing is left of the transaction then. `committed` is told how long the commit took, which syncs the log; one that
    /// changed nothing does not sync it.
    func directTransaction(
        committed: (Duration) -> Void = { _ in }, _ operations: () throws -> TransactionCompletion
    ) throws {
        let changes = totalChangesCount
        try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            switch try operations() {
            case .commit:
                let begin = ContinuousClock.now
                try cachedStatement(sql: "COMMIT TRANSACTION").execute()
                if totalChangesCount != changes { committed(begin.duration(to: .now)) }
            // Some failures end the transaction themselves (https://www.sqlite.org/lang_transaction.html).
            case .rollback: if isInsideTransaction { try directRollback() }
            }
        } catch {
            if isInsideTransaction { try directRollback() }
            throw error
        }
    }

    /// Runs a part of a transaction of which nothing is left where it throws. Some failures end the whole transaction:
    /// then `isInsideTransaction` is false.
    func directSavepoint(_ operations: () throws -> Void) throws {
        try cachedStatement(sql: "SAVEPOINT part").execute()
        do {
            try operations()
            try cachedStatement(sql: "RELEASE SAVEPOINT part").execute()
        } catch {
            guard isInsideTransaction else { throw error }
            do {
                try cachedStatement(sql: "ROLLBACK TRANSACTION TO SAVEPOINT part").execute()
                try cachedStatement(sql: "RELEASE SAVEPOINT part").execute()
            } catch {
                // Half of the part must not get into the commit of the others.
                if isInsideTransaction { try directRollback() }
            }
            throw error
        }
    }

    private func directRollback() throws { try cachedStatement(sql: "ROLLBACK TRANSACTION").execute() }
}
