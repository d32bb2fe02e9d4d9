import FoundationEssentials
import GRDB
import PrintModel

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
        _ acceptance: Acceptance, isolation: isolated (any Actor)? = #isolation
    ) async throws -> AcceptanceOutcome {
        try await commits.commit { db in
            if let key = acceptance.key, let known = try Self.job(under: key, in: db) { return .repeated(jobID: known) }
            var records = acceptance.records
            records[0].key = acceptance.key
            for index in records.indices { try Self.store(&records[index], acceptance.document, in: db) }
            if records.count > 1 { try Self.join(&records, in: db) }
            return .accepted(records)
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
        if let step = record.life.facts.firstSending { try append(step, to: record.job.id, isFirst: true, in: db) }
    }

    static func insert(_ record: JobRecord, into db: Database) throws {
        let facts = record.life.facts
        let job = facts.job
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
            facts.stage.stored.rawValue, facts.isPinned, facts.sentAt?.millisecondsSince1970, facts.sentTo?.description,
            record.key?.caller ?? "", record.key?.key, record.key?.contentDigest, record.documentDigest, job.origin,
            record.isCopy, job.remarks?.joined(separator: "\n"), job.owner.map { Int64($0) },
        ])
    }

    /// Writes all that can change in a job's life, and the steps that it took since it was last written. For use inside
    /// a commit.
    static func update(_ record: JobRecord, at now: Timestamp, in db: Database) throws {
        let facts = record.life.facts
        let job = facts.job
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
            job.expiresAt.millisecondsSince1970, facts.stage.stored.rawValue, facts.reprints,
            facts.sentAt?.millisecondsSince1970, facts.sentTo?.description,
            facts.isCancelRequested, job.remarks?.joined(separator: "\n"),
            job.id,
        ])
        for step in before?.steps(to: facts, at: now) ?? [] { try append(step, to: job.id, in: db) }
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
