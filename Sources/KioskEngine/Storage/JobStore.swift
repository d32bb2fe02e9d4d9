import DurableFiles
import FoundationEssentials
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

extension JobStore {
    /// What a request asks for, to be accepted whole or not at all, with what its idempotency rests on.
    struct Acceptance: Sendable {
        /// One job; or the copies for the printers of a role, which share the document. The key is the first one's.
        var records: [JobRecord]
        var document: Source
        var key: IdempotencyKey?

        enum Source: Sendable {
            case new(StoredDocument)
            /// That of a final job; the error says why not, where it is no longer kept.
            case kept(of: Job.ID, otherwise: EngineError)
        }
    }

    enum AcceptanceOutcome: Sendable {
        case accepted([JobRecord])
        /// The same key and content came before.
        case repeated(jobID: Int64)
    }

    /// Stores a request; it is on disk when this returns. The write has its place in the queue before this leaves its
    /// caller's actor, so that a clock that is set meanwhile moves its times too.
    func accept(
        _ acceptance: Acceptance, isolation: isolated (any Actor)? = #isolation,
        whenStored: @escaping @Sendable () -> Void = {}
    ) async throws -> AcceptanceOutcome {
        try await commits.commit { db in
            if let key = acceptance.key, let known = try Self.job(under: key, in: db) { return .repeated(jobID: known) }
            var records = acceptance.records
            records[0].key = acceptance.key
            for index in records.indices { try Self.store(&records[index], acceptance.document, in: db) }
            if records.count > 1 { try Self.join(&records, in: db) }
            return .accepted(records)
        } whenStored: {
            whenStored()
        }
    }

    private static func join(_ records: inout [JobRecord], in db: Database) throws {
        let group = records.map(\.job.id)
        let statement = try db.cachedStatement(sql: "UPDATE job SET job_group = ? WHERE id = ?")
        for index in records.indices {
            records[index].life.join(group)
            try statement.execute(arguments: [group.map(String.init).joined(separator: " "), group[index]])
        }
    }

    private static func store(
        _ record: inout JobRecord, _ document: Acceptance.Source, in db: Database
    ) throws {
        if case .kept(let origin, let refusal) = document {
            guard let kept = try keptDocument(of: origin, in: db) else { throw refusal }
            (record.documentFile, record.documentDigest) = (kept.file, kept.digest)
        }
        if case .new(let document) = document { record.documentDigest = document.digest }
        try insert(record, into: db)
        record.life.number(db.lastInsertedRowID)
        switch document {
        case .new(let document):
            record.documentDigest = nil
            guard case .bytes(let bytes) = document.body else { break }
            let statement = try db.cachedStatement(sql: "INSERT INTO document (job_id, bytes) VALUES (?, ?)")
            try statement.execute(arguments: [record.job.id, bytes.withUnsafeBytes { Data($0) }])
        case .kept(let origin, let refusal):
            try db.execute(
                sql: "INSERT INTO document (job_id, bytes) SELECT ?, bytes FROM document WHERE job_id = ?",
                arguments: [record.job.id, origin]
            )
            guard record.documentFile != nil || db.changesCount == 1 else { throw refusal }
            try append(JobStep(.reprinted, at: record.job.createdAt, job: record.job.id), to: origin, in: db)
        }
        if let step = record.life.status.firstSending { try append(step, to: record.job.id, isFirst: true, in: db) }
    }

    static func insert(_ record: JobRecord, into db: Database) throws {
        let status = record.life.status
        let job = status.job
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO job (name, role, printer, user, format, document_length, document_file, ticket, state,
                    state_reasons, attempts, created_at, processing_at, expires_at, stage, is_pinned, sent_at, sent_to,
                    caller, idempotency_key, content_digest, document_digest, origin, is_copy, remarks,
                    owner, has_document)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
                """
        )
        try statement.execute(arguments: [
            job.name, job.role?.rawValue, job.printer?.rawValue, job.user, job.format.mimeType, job.documentLength,
            record.documentFile, TicketColumn.text(of: job.ticket), job.state.rawValue,
            job.stateReasons.joined(separator: " "), job.attempts, job.createdAt.millisecondsSince1970,
            job.processingAt?.millisecondsSince1970, job.expiresAt.millisecondsSince1970,
            status.stage.stored.rawValue, status.isPinned, status.sentAt?.millisecondsSince1970,
            status.sentTo?.description,
            record.key?.caller ?? "", record.key?.key, record.key?.contentDigest, record.documentDigest, job.origin,
            record.isCopy, job.remarks?.joined(separator: "\n"), job.owner.map { Int64($0) },
        ])
    }

    /// Writes all that can change in a job's life, and the steps that it took since it was last written. For use inside
    /// a commit.
    static func update(_ record: JobRecord, at now: Timestamp, in db: Database) throws {
        let status = record.life.status
        let job = status.job
        let before = try standing(of: job.id, in: db)
        let statement = try db.cachedStatement(
            sql: """
                UPDATE job SET printer = ?, state = ?, state_reasons = ?, message = ?, evidence = ?, is_unconfirmed = ?,
                    bytes_sent = ?, attempts = ?, remote_job = ?, processing_at = ?, completed_at = ?, expires_at = ?,
                    stage = ?, reprints = ?, sent_at = ?, sent_to = ?, is_cancel_requested = ?, remarks = ?
                WHERE id = ?
                """
        )
        try statement.execute(arguments: [
            job.printer?.rawValue, job.state.rawValue, job.stateReasons.joined(separator: " "), job.message,
            job.evidence?.rawValue, job.isUnconfirmed, job.bytesSent, job.attempts, job.remoteJob?.identifier,
            job.processingAt?.millisecondsSince1970, job.completedAt?.millisecondsSince1970,
            job.expiresAt.millisecondsSince1970, status.stage.stored.rawValue, status.reprints,
            status.sentAt?.millisecondsSince1970, status.sentTo?.description,
            status.isCancelRequested, job.remarks?.joined(separator: "\n"),
            job.id,
        ])
        for step in before?.steps(to: status, at: now) ?? [] { try append(step, to: job.id, in: db) }
    }

    /// The clock was set, and it is `now`: what is not final keeps the time that it had left, and so does an
    /// idempotency key of a job that is. For use inside a commit.
    static func moveTimes(by duration: Duration, at now: Timestamp, in db: Database) throws {
        // What never ends is as large as can be.
        let sql = """
            UPDATE job SET created_at = created_at + :by, processing_at = processing_at + :by, expires_at = expires_at + :by,
                sent_at = sent_at + :by, completed_at = completed_at + :by
            WHERE expires_at < :never AND (stage < 4 OR (idempotency_key IS NOT NULL AND created_at > :limit))
            """
        let limit = IdempotencyKey.limit(at: now).advanced(by: .zero - duration)
        try db.execute(
            sql: sql,
            arguments: ["by": duration.milliseconds, "never": Int64.max / 2, "limit": limit.millisecondsSince1970]
        )
    }

    /// A job's small document; nil when there is none in the database.
    func document(of jobID: Int64) async throws -> [UInt8]? {
        try await read { db in
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT bytes FROM document WHERE job_id = ?"), arguments: [jobID]
            )
            return try row.map { row in [UInt8](try row.value("bytes", as: Data.self)) }
        }
    }

    func job(_ id: Int64) async throws -> JobRecord? {
        try await read { db in
            try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM job WHERE id = ?"), arguments: [id])
                .map(JobRecord.init(row:))
        }
    }
}
