import GRDB
import PrintModel

/// A caller's word that a request is one it may have sent before.
struct IdempotencyKey: Hashable, Sendable {
    /// Keys of different callers never meet.
    var caller: String
    var key: String
    /// Over the request and the document; nil of a stored key that has none.
    var contentDigest: String?
    /// When the request came.
    var now: Timestamp

    /// In seconds: for so long after a job's acceptance its key leads to it, and longer while it is not final.
    static let lifetime = 86_400

    /// Keys of final jobs that were accepted at this moment or before may be used anew.
    static func limit(at now: Timestamp) -> Timestamp { now.advanced(bySeconds: -lifetime) }
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
            guard let known = try Self.row(under: key, in: db), try Self.leads(known, at: key.now) else { return nil }
            return try Self.checked(known, key)
        }
    }

    /// Whether the key still leads to a job, whatever its content.
    func knows(_ key: IdempotencyKey) async throws -> Bool {
        try await read { db in try Self.row(under: key, in: db).map { try Self.leads($0, at: key.now) } ?? false }
    }

    /// Takes the key from a job to which it no longer leads. False where it leads to one. For use inside a commit.
    static func free(_ key: IdempotencyKey, at now: Timestamp, in db: Database) throws -> Bool {
        guard let known = try row(under: key, in: db) else { return true }
        guard try !leads(known, at: now) else { return false }
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

    private static func leads(_ row: Row, at now: Timestamp) throws(EngineError) -> Bool {
        let (stage, created): (Int, Int64) = (try row.value("stage"), try row.value("created_at"))
        return stage < JobStage.Stored.done.rawValue || created > IdempotencyKey.limit(at: now).millisecondsSince1970
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
