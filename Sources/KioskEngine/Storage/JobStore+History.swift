import GRDB
import KioskPrintModel

/// The queries and deletions by which `HistoryTrimmer` removes final jobs and their documents.
extension JobStore {
    /// How many jobs one commit takes away: a receipt that comes meanwhile waits for no more.
    static let trimBatch = 100
    /// How many are looked up at once.
    static let trimPage = 2000

    /// Takes what has become final since the last time into the history, which the queries below look through.
    func fileJobs() async throws {
        try await commits.commit { try JobFiling.file(in: $0) }
    }

    /// The roles of final jobs, as they are stored; nil for those that were sent to a printer.
    func rolesOfHistory() async throws -> [String?] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT DISTINCT has_document, role FROM job WHERE filed = 1").reduce(into: []) {
                roles, row in
                let role = try row.value("role", as: String?.self)
                if !roles.contains(role) { roles.append(role) }
            }
        }
    }

    /// Documents of a role's jobs that were final before this moment.
    func documents(of role: String?, finalBefore moment: Timestamp) async throws -> [Job.ID] {
        try await read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM job WHERE filed = 1 AND has_document = 1 AND role IS ? AND completed_at < ?
                    ORDER BY completed_at LIMIT ?
                    """,
                arguments: [role, moment.millisecondsSince1970, Self.trimPage]
            )
        }
    }

    /// Documents of a role's jobs, or of all, that newer ones leave no room for within so many bytes.
    func documents(of role: String?? = .none, beyond size: Int64) async throws -> [Job.ID] {
        let ofRole = role == nil ? "TRUE" : "role IS ?"
        let sql = "FROM job WHERE filed = 1 AND has_document = 1 AND \(ofRole)"
        let arguments = role.map { StatementArguments([$0]) } ?? StatementArguments()
        return try await read { db in
            let sum = try Int64.fetchOne(db, sql: "SELECT sum(document_length) \(sql)", arguments: arguments) ?? 0
            guard sum > size else { return [] }
            return try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM (
                        SELECT id, sum(document_length) OVER (
                            ORDER BY completed_at DESC, id DESC ROWS UNBOUNDED PRECEDING
                        ) AS total \(sql)
                    ) WHERE total > ? LIMIT ?
                    """,
                arguments: arguments + [size, Self.trimPage]
            )
        }
    }

    /// Some documents of the jobs that have been final for longest.
    func oldestDocuments() async throws -> [Job.ID] {
        try await read { db in
            try Int64.fetchAll(
                db, sql: "SELECT id FROM job WHERE filed = 1 AND has_document = 1 ORDER BY completed_at, id LIMIT ?",
                arguments: [Self.trimBatch / 10]
            )
        }
    }

    /// The free bytes in the queue's file: what can be stored before the file grows.
    func freeBytes() async throws -> Int64 {
        try await read { db in
            let (pages, size) = (
                try Int64.fetchOne(db, sql: "PRAGMA freelist_count"), try Int64.fetchOne(db, sql: "PRAGMA page_size")
            )
            return (pages ?? 0) * (size ?? 0)
        }
    }

    /// A role's jobs without documents that were final before this moment, but for those that a key still leads to.
    func jobs(of role: String?, finalBefore moment: Timestamp, at now: Timestamp) async throws -> [Job.ID] {
        try await read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM job WHERE filed = 1 AND has_document = 0 AND role IS ? AND completed_at < ?
                        AND (idempotency_key IS NULL OR created_at <= \(IdempotencyKey.sqlLimit(at: now)))
                    ORDER BY completed_at LIMIT ?
                    """,
                arguments: [role, moment.millisecondsSince1970, Self.trimPage]
            )
        }
    }

    /// The oldest final jobs beyond `count`, but for those that a key still leads to.
    func jobs(beyond count: Int, at now: Timestamp) async throws -> [Job.ID] {
        try await read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM job
                    WHERE filed = 1 AND (idempotency_key IS NULL OR created_at <= \(IdempotencyKey.sqlLimit(at: now)))
                        AND id <= (SELECT id FROM job WHERE filed = 1 ORDER BY id DESC LIMIT 1 OFFSET ?)
                    ORDER BY id LIMIT ?
                    """,
                arguments: [count, Self.trimPage]
            )
        }
    }

    /// Gives up the documents of final jobs, and with `jobs` the jobs too. On disk when it returns, with the names of
    /// the files that no job refers to any more: only now may they be removed.
    ///
    /// `generation`: that of the times by which they were chosen; nothing is given up where these hold no longer.
    func giveUp(_ ids: [Job.ID], jobs: Bool, in generation: Int? = nil) async throws -> [String] {
        try await commits.commit { [times] db in
            if let generation, times.generation != generation { return [] }
            let marks = databaseQuestionMarks(count: ids.count)
            let arguments = StatementArguments(ids)
            let files = try String.fetchAll(
                db, sql: "SELECT DISTINCT document_file FROM job WHERE id IN (\(marks)) AND document_file IS NOT NULL",
                arguments: arguments
            )
            if jobs {
                try db.execute(sql: "DELETE FROM job WHERE id IN (\(marks))", arguments: arguments)
            } else {
                try db.execute(sql: "DELETE FROM document WHERE job_id IN (\(marks))", arguments: arguments)
                try db.execute(
                    sql: "UPDATE job SET has_document = 0, document_file = NULL WHERE id IN (\(marks))",
                    arguments: arguments
                )
            }
            return try files.filter { file in
                try Row.fetchOne(db, sql: "SELECT 1 FROM job WHERE document_file = ?", arguments: [file]) == nil
            }
        }
    }

    /// Where a final job's document is; nil once it is given up. For use inside a commit.
    static func keptDocument(of id: Job.ID, in db: Database) throws -> KeptDocument? {
        let row = try Row.fetchOne(
            db, sql: "SELECT document_file, document_digest FROM job WHERE id = ? AND stage = 4 AND has_document = 1",
            arguments: [id]
        )
        return try row.map {
            KeptDocument(file: try $0.value("document_file"), digest: try $0.value("document_digest"))
        }
    }

    struct KeptDocument {
        /// Nil for a small one, which lies in the database.
        var file: String?
        /// SHA-256 in hexadecimal.
        var digest: String?
    }

    /// The files that jobs refer to.
    func documentFiles() async throws -> Set<String> {
        try await read(Self.documentFiles)
    }

    static func documentFiles(in db: Database) throws -> Set<String> {
        try Set(String.fetchAll(db, sql: "SELECT DISTINCT document_file FROM job WHERE document_file IS NOT NULL"))
    }
}
