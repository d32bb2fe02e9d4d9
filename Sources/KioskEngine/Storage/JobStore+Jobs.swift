internal import FoundationEssentials
internal import GRDB
internal import PrintModel

extension JobStore {
    /// A job to be accepted, with what its idempotency rests on.
    struct Acceptance: Sendable {
        var record: JobRecord
        var document: StoredDocument
        var caller: String?
        var idempotencyKey: String?
        /// Over the request and the document.
        var contentDigest: String?
    }

    enum AcceptanceOutcome: Sendable {
        case accepted(JobRecord)
        /// The same key and content came before.
        case repeated(jobID: Int64)
    }

    /// Stores a job; on disk when it returns.
    func accept(_ acceptance: Acceptance) async throws -> AcceptanceOutcome {
        try await commits.commit { db in
            if let key = acceptance.idempotencyKey {
                let known = try Row.fetchOne(
                    db.cachedStatement(sql: "SELECT id, content_digest FROM job WHERE caller = ? AND idempotency_key = ?"),
                    arguments: [acceptance.caller ?? "", key]
                )
                if let known {
                    guard known["content_digest"] == acceptance.contentDigest else {
                        let id: Int64 = known["id"]
                        throw EngineError(
                            .idempotencyConflict,
                            "the idempotency key was used for another document or destination (job \(id)); use a new key for a new job"
                        )
                    }
                    return .repeated(jobID: known["id"])
                }
            }
            var record = acceptance.record
            try Self.insert(acceptance, into: db)
            record.life.number(db.lastInsertedRowID)
            if case .bytes(let bytes) = acceptance.document.body {
                let statement = try db.cachedStatement(sql: "INSERT INTO document (job_id, bytes) VALUES (?, ?)")
                try statement.execute(arguments: [record.job.id, bytes.withUnsafeBytes { Data($0) }])
            }
            return .accepted(record)
        }
    }

    private static func insert(_ acceptance: Acceptance, into db: Database) throws {
        let facts = acceptance.record.life.facts
        let job = facts.job
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO job (name, role, printer, user, format, document_length, document_file, ticket, state,
                    state_reasons, attempts, created_at, processing_at, expires_at, stage, is_pinned, sent_at, sent_to,
                    caller, idempotency_key, content_digest, document_digest)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        try statement.execute(arguments: [
            job.name, job.role?.rawValue, job.printer?.rawValue, job.user, job.format.mimeType, job.documentLength,
            acceptance.record.documentFile, TicketColumn.text(of: job.ticket), job.state.rawValue,
            job.stateReasons.joined(separator: " "), job.attempts, job.createdAt.millisecondsSince1970,
            job.processingAt?.millisecondsSince1970, job.expiresAt.millisecondsSince1970,
            facts.stage.stored.rawValue, facts.isPinned, facts.sentAt?.millisecondsSince1970, facts.sentTo?.description,
            acceptance.caller ?? "", acceptance.idempotencyKey, acceptance.contentDigest,
            acceptance.document.digest,
        ])
    }

    /// Writes all that can change in a job's life, and gives up the document of a final one. For use inside a commit.
    static func update(_ record: JobRecord, in db: Database) throws {
        let facts = record.life.facts
        let job = facts.job
        let statement = try db.cachedStatement(
            sql: """
                UPDATE job SET printer = ?, state = ?, state_reasons = ?, message = ?, evidence = ?, is_unconfirmed = ?,
                    bytes_sent = ?, attempts = ?, remote_job = ?, processing_at = ?, completed_at = ?,
                    stage = ?, reprints = ?, sent_at = ?, sent_to = ?, is_cancel_requested = ?
                WHERE id = ?
                """
        )
        try statement.execute(arguments: [
            job.printer?.rawValue, job.state.rawValue, job.stateReasons.joined(separator: " "), job.message,
            job.evidence?.rawValue, job.isUnconfirmed, job.bytesSent, job.attempts, job.remoteJob?.identifier,
            job.processingAt?.millisecondsSince1970, job.completedAt?.millisecondsSince1970,
            facts.stage.stored.rawValue, facts.reprints, facts.sentAt?.millisecondsSince1970, facts.sentTo?.description,
            facts.isCancelRequested,
            job.id,
        ])
        if record.stage == .done {
            try db.cachedStatement(sql: "DELETE FROM document WHERE job_id = ?").execute(arguments: [job.id])
        }
    }

    /// The clock was set: what is not final keeps the time that it had left. For use inside a commit.
    static func moveTimes(by duration: Duration, in db: Database) throws {
        // What never ends is as large as can be.
        let sql = """
            UPDATE job SET created_at = created_at + :by, processing_at = processing_at + :by, expires_at = expires_at + :by,
                sent_at = sent_at + :by
            WHERE stage < 4 AND expires_at < :never
            """
        try db.execute(sql: sql, arguments: ["by": duration.milliseconds, "never": Int64.max / 2])
    }

    /// The small document of a job that is not final; nil when there is none in the database.
    func document(of jobID: Int64) async throws -> [UInt8]? {
        try await read { db in
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT bytes FROM document WHERE job_id = ?"), arguments: [jobID]
            )
            return row.map { row in [UInt8](row["bytes"] as Data) }
        }
    }

    func job(_ id: Int64) async throws -> JobRecord? {
        try await read { db in
            try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM job WHERE id = ?"), arguments: [id])
                .map(JobRecord.init(row:))
        }
    }

    func jobs(_ filter: JobFilter) async throws -> [Job] {
        var conditions = ["TRUE"]
        var arguments = StatementArguments()
        if let role = filter.role {
            conditions.append("role = ?")
            arguments += [role.rawValue]
        }
        if let printer = filter.printer {
            conditions.append("printer = ?")
            arguments += [printer.rawValue]
        }
        if let states = filter.states {
            conditions.append("state IN (\(databaseQuestionMarks(count: states.count)))")
            arguments += StatementArguments(states.map(\.rawValue))
        }
        if let before = filter.before {
            conditions.append("id < ?")
            arguments += [before]
        }
        arguments += [min(max(filter.limit, 1), 1000)]
        let sql = "SELECT * FROM job WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?"
        return try await read { [arguments] db in
            try Row.fetchAll(db, sql: sql, arguments: arguments).map { try JobRecord(row: $0).job }
        }
    }

    /// Removes the oldest final jobs beyond `count`.
    func trimHistory(to count: Int) async throws {
        try await commits.commit { db in
            try db.execute(
                sql: """
                    DELETE FROM job WHERE stage = 4 AND id <= (
                        SELECT id FROM job WHERE stage = 4 ORDER BY id DESC LIMIT 1 OFFSET ?
                    )
                    """,
                arguments: [count]
            )
        }
    }
}
