import FoundationEssentials
import GRDB
import GRDBSQLite
import KioskDurableFiles
import KioskPrintModel
import Synchronization

/// The durable queue and history: SQLite in WAL mode with `synchronous=FULL`, so that a commit is on disk when it
/// returns.
///
/// Owned by the engine. Reads run beside the writer; writes go through the `CommitQueue`, which shares commits.
struct JobStore: Sendable {
    let pool: DatabasePool
    let commits: CommitQueue
    /// Whether the rows' times go by the engine's clock.
    let times = StoredTimes()
    /// The queue's file, open for as long as SQLite uses it; see `ReadableFile`. Nil where nobody reads it beside
    /// SQLite.
    private(set) var file: ReadableFile?

    /// The size of each connection's page cache in KiB.
    private static let cacheKilobytes = 512
    /// How long a connection waits for another one's lock, in seconds.
    private static let busyTimeout = 5.0

    /// Opens a queue, or begins one. `prepareMigration` is called before one of an earlier version is changed.
    init(path: String, prepareMigration: () throws -> Void = {}) throws(EngineError) {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(Self.busyTimeout)
            configuration.maximumReaderCount = 2
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA foreign_keys = ON")
                // A receipt touches a handful of pages, and the kernel has the others.
                try db.execute(sql: "PRAGMA cache_size = -\(Self.cacheKilobytes)")
                // Of a new database; any other keeps its own.
                try db.execute(sql: "PRAGMA page_size = \(DatabasePages.newPageSize)")
            }
            pool = try DatabasePool(path: path, configuration: configuration)
            if try !pool.read({ try Schema.isCurrent($0, of: path) }) {
                try prepareMigration()
                try Schema.migrator.migrate(pool)
            }
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
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // Found by a migration, which copies rows that no program has written so.
            throw EngineError.damagedRow("a row that cannot be taken over (\(error.message ?? "no reason is given"))")
        } catch {
            throw EngineError.storage(error, doing: "open the queue \(path)")
        }
        commits = try CommitQueue(writer: pool)
    }

    /// Opens a queue whose pages are also read without SQLite. `file` is the queue's, where it is open already.
    init(path: String, file: ReadableFile?, prepareMigration: () throws -> Void) throws(EngineError) {
        try self.init(path: path, prepareMigration: prepareMigration)
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

    /// Puts the log into the main file and gives its room back to the disk. What a read still needs of it stays: no
    /// receipt waits for a reader. Blocks.
    func shrinkLog() throws {
        try pool.writeWithoutTransaction { db in
            sqlite3_busy_timeout(db.sqliteConnection, 0)
            defer { sqlite3_busy_timeout(db.sqliteConnection, CInt(Self.busyTimeout * 1000)) }
            do {
                _ = try db.checkpoint(.truncate)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                return
            }
        }
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

extension JobStore {
    /// What a request asks for, to be accepted whole or not at all, with what its idempotency rests on.
    struct Acceptance: Sendable {
        /// One job; or the copies for the printers of a role, which share the document. The key is the first one's.
        var records: [JobRecord]
        var document: Source
        var key: IdempotencyKey?

        enum Source: Sendable {
            case new(ReceivedDocument)
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
        let (status, first) = (record.life.status, record.life.status.firstSending)
        var plain = PlainSteps()
        let isPlain =
            first.map { plain.take($0, printer: status.job.printer, remoteJob: status.job.remoteJob?.identifier) }
            ?? true
        try insert(record, plain, into: db)
        record.life.number(db.lastInsertedRowID)
        // Only a job that begins in doubt has one.
        if let message = status.job.message {
            try db.execute(sql: "UPDATE job SET message = ? WHERE id = ?", arguments: [message, record.job.id])
        }
        switch document {
        case .new(let document):
            record.documentDigest = nil
            guard case .bytes(let bytes) = document.body else { break }
            var statement = try DirectStatement("INSERT INTO document (job_id, bytes) VALUES (?, ?)", in: db)
            try statement.bind(record.job.id)
            try statement.bind(blob: bytes)
            try statement.run()
        case .kept(let origin, let refusal):
            try db.execute(
                sql: "INSERT INTO document (job_id, bytes) SELECT ?, bytes FROM document WHERE job_id = ?",
                arguments: [record.job.id, origin]
            )
            guard record.documentFile != nil || db.changesCount == 1 else { throw refusal }
            try append(JobStep(.reprinted, at: record.job.createdAt, job: record.job.id), to: origin, in: db)
        }
        if let first, !isPlain { try insert(first, of: record.job.id, in: db) }
    }

    private static let insertJob = """
        INSERT INTO job (id, name, role, printer, user, format, document_length, document_file, ticket, state,
            state_reasons, attempts, created_at, processing_at, expires_at, stage, is_pinned, sent_at, sent_to,
            caller, idempotency_key, content_digest, document_digest, origin, is_copy, remarks,
            owner, copies_made, pages, request_id, has_document, \(PlainSteps.ownColumns))
        VALUES (\(JobFiling.nextNumber), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
            ?, ?, ?, 1, ?, ?, ?)
        """

    static func insert(_ record: JobRecord, _ plain: PlainSteps = PlainSteps(), into db: Database) throws {
        let status = record.life.status
        let job = status.job
        var statement = try DirectStatement(insertJob, in: db)
        try statement.bind(job.name)
        try statement.bind(job.role?.rawValue)
        try statement.bind(job.printer?.rawValue)
        try statement.bind(job.user)
        try statement.bind(job.format.mimeType)
        try statement.bind(job.documentLength)
        try statement.bind(record.documentFile)
        try statement.bind(TicketColumn.text(of: job.ticket))
        try statement.bind(job.state.rawValue)
        try statement.bind(reasons(of: job))
        try statement.bind(Int64(job.attempts))
        try statement.bind(job.createdAt.millisecondsSince1970)
        try statement.bind(job.processingAt?.millisecondsSince1970)
        try statement.bind(job.expiresAt.millisecondsSince1970)
        try statement.bind(Int64(status.stage.stored.rawValue))
        try statement.bind(status.isPinned)
        try statement.bind(status.sentAt?.millisecondsSince1970)
        try statement.bind(status.sentTo?.description)
        try statement.bind(record.key?.caller ?? "")
        try statement.bind(record.key?.key)
        try statement.bind(record.key?.contentDigest)
        try statement.bind(record.documentDigest)
        try statement.bind(job.origin)
        try statement.bind(record.isCopy)
        try statement.bind(job.remarks?.joined(separator: "\n"))
        try statement.bind(job.owner.map(OwnerColumn.number))
        try statement.bind(status.copiesMade?.text)
        try statement.bind(job.pages.map { Int64($0) })
        try statement.bind(job.requestID)
        try plain.bind(to: &statement)
        try statement.run()
    }

    private static func reasons(of job: Job) -> String {
        job.stateReasons.count == 1 ? job.stateReasons[0] : job.stateReasons.joined(separator: " ")
    }

    private static let updateJob = """
        UPDATE job SET printer = ?, state = ?, state_reasons = ?, message = ?, evidence = ?, is_unconfirmed = ?,
            bytes_sent = ?, attempts = ?, remote_job = ?, processing_at = ?, completed_at = ?, expires_at = ?,
            stage = ?, reprints = ?, sent_at = ?, sent_to = ?, is_cancel_requested = ?, remarks = ?,
            copies_made = ?, pages = ?, (\(PlainSteps.ownColumns)) = (?, ?, ?)
        WHERE id = ?
        """

    /// Writes all that can change in a job's life, and the steps that it took since it was last written. For use inside
    /// a commit.
    static func update(_ record: JobRecord, at now: Timestamp, in db: Database) throws {
        let status = record.life.status
        let job = status.job
        let way = try standing(of: job.id, in: db)?.way(to: status, at: now) { try hasSteps(job.id, in: db) }
        var statement = try DirectStatement(updateJob, in: db)
        try statement.bind(job.printer?.rawValue)
        try statement.bind(job.state.rawValue)
        try statement.bind(reasons(of: job))
        try statement.bind(job.message)
        try statement.bind(job.evidence?.rawValue)
        try statement.bind(job.isUnconfirmed)
        try statement.bind(job.bytesSent)
        try statement.bind(Int64(job.attempts))
        try statement.bind(job.remoteJob?.identifier)
        try statement.bind(job.processingAt?.millisecondsSince1970)
        try statement.bind(job.completedAt?.millisecondsSince1970)
        try statement.bind(job.expiresAt.millisecondsSince1970)
        try statement.bind(Int64(status.stage.stored.rawValue))
        try statement.bind(Int64(status.reprints))
        try statement.bind(status.sentAt?.millisecondsSince1970)
        try statement.bind(status.sentTo?.description)
        try statement.bind(status.isCancelRequested)
        try statement.bind(job.remarks?.joined(separator: "\n"))
        try statement.bind(status.copiesMade?.text)
        try statement.bind(job.pages.map { Int64($0) })
        try (way?.plain ?? PlainSteps()).bind(to: &statement)
        try statement.bind(job.id)
        try statement.run()
        for step in way?.rows ?? [] { try insert(step, of: job.id, in: db) }
        if status.reprints > 0 {
            try db.execute(
                sql: "UPDATE job SET not_before = ? WHERE id = ?",
                arguments: [status.notBefore?.millisecondsSince1970, job.id])
        }
        if status.stage == .done, job.ticket.hasSecret { try forgetSecrets(of: job, in: db) }
    }

    /// Takes the PIN and the document's password out of the row of a job that ends now. For use inside a commit.
    private static func forgetSecrets(of job: Job, in db: Database) throws {
        // Else the page keeps what was deleted, until something else is written there.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        try db.execute(
            sql: "UPDATE job SET ticket = ? WHERE id = ?",
            arguments: [TicketColumn.text(of: job.ticket.withoutSecrets), job.id])
        try db.execute(sql: "PRAGMA secure_delete = OFF")
    }

    /// The clock was set, and it is `now`: what is not final keeps the time that it had left, and so does an
    /// idempotency key of a job that is. For use inside a commit.
    static func moveTimes(by duration: Duration, at now: Timestamp, in db: Database) throws {
        let limit = IdempotencyKey.sqlLimit(at: now.advanced(by: .zero - duration))
        // What never ends is as large as can be.
        let sql = """
            UPDATE job SET created_at = created_at + :by, processing_at = processing_at + :by, expires_at = expires_at + :by,
                sent_at = sent_at + :by, completed_at = completed_at + :by, not_before = not_before + :by
            WHERE expires_at < :never AND (stage < 4 OR (idempotency_key IS NOT NULL AND created_at > \(limit)))
            """
        try db.execute(sql: sql, arguments: ["by": duration.milliseconds, "never": Int64.max / 2])
    }

    /// Forgets the document of a job that ends now, where it lies in the database. For use inside a commit.
    static func forgetDocument(of id: Job.ID, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM document WHERE job_id = ?").execute(arguments: [id])
        try db.cachedStatement(sql: "UPDATE job SET has_document = 0 WHERE id = ?").execute(arguments: [id])
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

/// Whether the times in the queue go by the engine's clock: not while a change of the clock is being stored.
///
/// What is chosen by its age beside the writer is looked at again before it is given up: a row that was moved into the
/// new time is a year old by the time of before.
final class StoredTimes: Sendable {
    private let state = Mutex((changesUnderWay: 0, changes: 0))

    /// Takes the clock over. Where that is a change of it, which `adopt` returns, the rows are to be moved.
    func adopt<Change>(_ adopt: () -> Change?) -> Change? {
        state.withLock { state in
            let change = adopt()
            if change != nil { state.changesUnderWay += 1 }
            return change
        }
    }

    /// A change is stored, or cannot be.
    func changeEnded() {
        state.withLock {
            $0.changesUnderWay -= 1
            $0.changes += 1
        }
    }

    /// The number of changes that were stored, the same as long as the clock and the rows are; nil while they differ.
    var generation: Int? { state.withLock { $0.changesUnderWay == 0 ? $0.changes : nil } }
}

/// The idempotency key of a request, with its caller and the digest of what it asks for: the same request, sent twice,
/// makes one job.
struct IdempotencyKey: Hashable, Sendable {
    /// Keys of different callers never meet.
    var caller: String
    var key: String
    /// The digest of the request and the document; nil where a stored key has none.
    var contentDigest: String?
    /// The engine's time, as it is where the key is looked for.
    var now: Timestamp

    /// How long a key leads to its job after the job's acceptance, in seconds; longer while the job is not final.
    private static let lifetime = 86_400
    /// The same for a fleet's jobs: a hub keeps them for 7 days, and may deliver them again.
    private static let fleetLifetime = 8 * 86_400

    /// Keys of final jobs that were accepted at this moment or before may be used anew.
    static func limit(at now: Timestamp, caller: String) -> Timestamp {
        now.advanced(bySeconds: caller == JobRequest.fleetCaller ? -fleetLifetime : -lifetime)
    }

    /// The same as an SQL expression over a row's caller, of milliseconds since 1970.
    static func sqlLimit(at now: Timestamp) -> String {
        let (fleet, others) = (limit(at: now, caller: JobRequest.fleetCaller), limit(at: now, caller: ""))
        return """
            CASE caller WHEN '\(JobRequest.fleetCaller)' THEN \(fleet.millisecondsSince1970) \
            ELSE \(others.millisecondsSince1970) END
            """
    }
}

extension JobStore {
    /// The job that this key made, if it still leads to one. Throws `idempotency-conflict` where it came with other
    /// content. For use inside a commit: a key whose time is over is taken from its old job.
    static func job(under key: IdempotencyKey, in db: Database) throws -> Job.ID? {
        guard let known = try row(under: key, in: db) else { return nil }
        return try free(key, at: key.now, in: db) ? nil : checked(known, key)
    }

    /// The same, to look only.
    func job(under key: IdempotencyKey) async throws -> Job.ID? {
        try await read { db in
            guard let known = try Self.row(under: key, in: db), try Self.leads(known, key, at: key.now) else {
                return nil
            }
            return try Self.checked(known, key)
        }
    }

    /// Whether the key still leads to a job, whatever its content.
    func knows(_ key: IdempotencyKey) async throws -> Bool { try await job(underAnyContentOf: key) != nil }

    /// The job that the key still leads to, whatever its content.
    func job(underAnyContentOf key: IdempotencyKey) async throws -> Job.ID? {
        try await read { db in
            guard let known = try Self.row(under: key, in: db), try Self.leads(known, key, at: key.now) else {
                return nil
            }
            return try known.value("id", as: Int64.self)
        }
    }

    /// Takes the key from a job to which it no longer leads. False where it leads to one. For use inside a commit.
    static func free(_ key: IdempotencyKey, at now: Timestamp, in db: Database) throws -> Bool {
        guard let known = try row(under: key, in: db) else { return true }
        guard try !leads(known, key, at: now) else { return false }
        try db.execute(
            sql: "UPDATE job SET idempotency_key = NULL WHERE id = ?",
            arguments: [try known.value("id", as: Int64.self)])
        return true
    }

    private static func row(under key: IdempotencyKey, in db: Database) throws -> Row? {
        try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT id, stage, created_at, content_digest FROM job WHERE caller = ? AND idempotency_key = ?"
            ),
            arguments: [key.caller, key.key]
        )
    }

    private static func leads(_ row: Row, _ key: IdempotencyKey, at now: Timestamp) throws(EngineError) -> Bool {
        let (stage, created): (Int, Int64) = (try row.value("stage"), try row.value("created_at"))
        return stage < JobStage.Stored.done.rawValue
            || created > IdempotencyKey.limit(at: now, caller: key.caller).millisecondsSince1970
    }

    private static func checked(_ row: Row, _ key: IdempotencyKey) throws -> Job.ID {
        let id: Job.ID = try row.value("id")
        guard try row.value("content_digest") == key.contentDigest else {
            throw EngineError(
                .idempotencyConflict,
                "the idempotency key was used for another document or destination (job \(id)); use a new key for a new job"
            )
        }
        return id
    }
}
