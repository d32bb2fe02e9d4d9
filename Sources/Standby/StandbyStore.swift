import FoundationEssentials
import GRDB
import KioskRecordFile
import Synchronization

/// What a kiosk keeps for its partner, and what its partner does not have yet of its own: a file beside the queue.
/// Every change is on disk when it returns.
///
/// The jobs in it are the partner's. They become jobs of this kiosk's queue only where the partner falls silent.
package final class StandbyStore: Sendable {
    private let database: DatabaseQueue
    private let bounds: Bounds
    /// When jobs of this run came, by the clock that is never set.
    private let received = Mutex<[StandbyKey: ContinuousClock.Instant]>([:])

    /// How much is kept for a partner.
    package struct Bounds: Hashable, Sendable {
        /// Bytes of one document.
        package var document = StandbyStore.maximumDocument
        package var jobs = 10_000
        /// Bytes of all documents.
        package var documents = 256 << 20

        package init() {}
    }

    /// Bytes of a document that is kept.
    package static let maximumDocument = 4 << 20

    /// How long it is known that a job was taken over, in seconds: as long as a queue's history.
    private static let takenLifetime: Int64 = 30 * 86_400

    /// Opens the file, or begins one. A damaged one is set aside under the name `….damaged`. Throws what SQLite or
    /// the disk says. Blocks.
    package init(path: String, bounds: Bounds = Bounds()) throws {
        self.bounds = bounds
        database = try RecordFile.open(path, migrator: Self.migrator)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: a partner's jobs, and own ones that it lacks") { db in
            try db.execute(
                sql: """
                    CREATE TABLE standby (
                        id INTEGER PRIMARY KEY,
                        node TEXT NOT NULL,
                        queue TEXT NOT NULL,
                        job INTEGER NOT NULL,
                        caller TEXT,
                        idempotency_key TEXT,
                        request BLOB NOT NULL,
                        document BLOB,
                        length INTEGER NOT NULL,
                        age INTEGER NOT NULL,
                        received_at INTEGER NOT NULL,
                        taken_as INTEGER,
                        taken_at INTEGER,
                        UNIQUE (node, queue, job)
                    );
                    CREATE INDEX standby_held ON standby (length) WHERE taken_as IS NULL;
                    CREATE INDEX standby_key ON standby (caller, idempotency_key) WHERE idempotency_key IS NOT NULL;
                    CREATE TABLE outbox (
                        queue TEXT NOT NULL,
                        job INTEGER NOT NULL,
                        request BLOB NOT NULL,
                        PRIMARY KEY (queue, job)
                    );
                    """)
        }
        return migrator
    }

    // MARK: A partner's jobs

    /// Keeps a job, or finds how it is kept: a job that came before stays as it is. Throws `StandbyError` where there
    /// is no room. `now` is in seconds since 1970.
    package func hold(_ key: StandbyKey, _ job: HeldJob, at now: Int64) async throws -> StandbyState {
        guard job.document.count <= bounds.document else {
            throw StandbyError(
                .tooLarge, "the document has \(job.document.count) bytes, and \(bounds.document) are kept for a partner"
            )
        }
        let bounds = bounds
        let state = try await database.write { db in
            if let known = try Self.row(key, in: db) { return Self.state(of: known) }
            try Self.makeRoom(for: job.document.count, within: bounds, at: now, in: db)
            try db.execute(
                sql: """
                    INSERT INTO standby (node, queue, job, caller, idempotency_key, request, document, length, age,
                        received_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    key.node, key.queue, key.job, job.caller, job.idempotencyKey, Data(job.request),
                    Data(job.document), job.document.count, job.age, now,
                ])
            return .held
        }
        if state == .held { received.withLock { if $0[key] == nil { $0[key] = .now } } }
        return state
    }

    private static func makeRoom(for length: Int, within bounds: Bounds, at now: Int64, in db: Database) throws {
        func total() throws -> (jobs: Int, bytes: Int) {
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT (SELECT count(*) FROM standby) AS jobs,
                        (SELECT ifnull(sum(length), 0) FROM standby WHERE taken_as IS NULL) AS bytes
                    """)
            return (row?["jobs"] ?? 0, row?["bytes"] ?? 0)
        }
        var (jobs, bytes) = try total()
        if jobs >= bounds.jobs {
            try db.execute(
                sql: "DELETE FROM standby WHERE taken_at IS NOT NULL AND taken_at < ?", arguments: [now - takenLifetime]
            )
            (jobs, bytes) = try total()
        }
        guard jobs < bounds.jobs, bytes + length <= bounds.documents else {
            throw StandbyError(
                .full,
                "\(jobs) jobs of \(bytes) bytes are kept for the partner; \(bounds.jobs) of \(bounds.documents) are the most"
            )
        }
    }

    /// A job has come to its end at the kiosk that accepted it: it is forgotten.
    package func end(_ key: StandbyKey) async throws {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM standby WHERE node = ? AND queue = ? AND job = ?",
                arguments: [key.node, key.queue, key.job])
        }
        received.withLock { $0[key] = nil }
    }

    /// A job is one of this kiosk's own from now on; its document lies in the queue.
    package func take(_ key: StandbyKey, as job: Int64, at now: Int64) async throws {
        try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE standby SET taken_as = ?, taken_at = ?, document = NULL, length = 0
                    WHERE node = ? AND queue = ? AND job = ?
                    """,
                arguments: [job, now, key.node, key.queue, key.job])
        }
        received.withLock { $0[key] = nil }
    }

    /// Notes that a job was this kiosk's own before its partner asked to keep it: its sender had sent it to both.
    /// Throws `StandbyError` where there is no room.
    package func note(_ key: StandbyKey, takenAs job: Int64, at now: Int64) async throws {
        let bounds = bounds
        try await database.write { db in
            if try Self.row(key, in: db) == nil { try Self.makeRoom(for: 0, within: bounds, at: now, in: db) }
            try db.execute(
                sql: """
                    INSERT INTO standby (node, queue, job, request, length, age, received_at, taken_as, taken_at)
                    VALUES (?, ?, ?, x'', 0, 0, ?, ?, ?)
                    ON CONFLICT (node, queue, job) DO UPDATE SET taken_as = excluded.taken_as,
                        taken_at = excluded.taken_at, document = NULL, length = 0
                    """,
                arguments: [key.node, key.queue, key.job, now, job, now])
        }
    }

    /// How a job is kept; nil where it is not known.
    package func state(of key: StandbyKey) async throws -> StandbyState? {
        try await database.read { db in try Self.row(key, in: db).map(Self.state) }
    }

    /// A job as it came, with the seconds since its acceptance; nil where it is not held any more. `now` is in seconds
    /// since 1970, and counts only for what came before this run.
    package func held(_ key: StandbyKey, at now: Int64) async throws -> HeldJob? {
        let found = try await database.read { db -> (job: HeldJob, came: Int64)? in
            guard let row = try Self.row(key, withDocument: true, in: db), Self.state(of: row) == .held,
                let document = row["document"] as Data?
            else { return nil }
            let job = HeldJob(
                caller: row["caller"], idempotencyKey: row["idempotency_key"],
                request: [UInt8](row["request"] as Data), document: [UInt8](document), age: row["age"])
            return (job, row["received_at"])
        }
        guard let (stored, came) = found else { return nil }
        var job = stored
        let instant = received.withLock { $0[key] }
        // A number of the file's may be any.
        job.age = Int(
            clamping: Int64(job.age) &+ (instant?.duration(to: .now).components.seconds ?? max(0, now &- came)))
        return job
    }

    /// The jobs that are held, in the order of their acceptance. `otherQueueThan`: of a kiosk that has this queue now,
    /// so that what is held of an older one is lost there.
    package func heldKeys(of node: String? = nil, otherQueueThan queue: String? = nil) async throws -> [StandbyKey] {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT node, queue, job FROM standby
                    WHERE taken_as IS NULL AND (:node IS NULL OR node = :node) AND (:queue IS NULL OR queue <> :queue)
                    ORDER BY node, queue, job
                    """,
                arguments: ["node": node, "queue": queue])
            return rows.map { StandbyKey(node: $0["node"], queue: $0["queue"], job: $0["job"]) }
        }
    }

    /// The held job that came with a key; nil where none did.
    package func holder(of idempotencyKey: String, caller: String) async throws -> StandbyKey? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT node, queue, job FROM standby
                    WHERE caller = ? AND idempotency_key = ? AND taken_as IS NULL
                    """,
                arguments: [caller, idempotencyKey])
            return row.map { StandbyKey(node: $0["node"], queue: $0["queue"], job: $0["job"]) }
        }
    }

    /// A page of what is known of jobs, by node and number; and how many are held in all.
    package func list(
        of node: String?, in queue: String?, isTaken: Bool?, after job: Int64, limit: Int
    ) async throws -> (held: Int, entries: [(key: StandbyKey, state: StandbyState)]) {
        try await database.read { db in
            let condition = "(:node IS NULL OR node = :node) AND (:queue IS NULL OR queue = :queue)"
            let held = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM standby WHERE taken_as IS NULL AND \(condition)",
                arguments: ["node": node, "queue": queue])
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT node, queue, job, taken_as FROM standby
                    WHERE \(condition) AND job > :after
                        AND (:taken IS NULL OR (taken_as IS NOT NULL) = :taken)
                    ORDER BY job, node, queue LIMIT :limit
                    """,
                arguments: ["node": node, "queue": queue, "after": job, "taken": isTaken, "limit": limit])
            return (
                held ?? 0,
                rows.map { row in
                    (StandbyKey(node: row["node"], queue: row["queue"], job: row["job"]), Self.state(of: row))
                }
            )
        }
    }

    private static func row(_ key: StandbyKey, withDocument: Bool = false, in db: Database) throws -> Row? {
        try Row.fetchOne(
            db,
            sql: """
                SELECT caller, idempotency_key, age, received_at, taken_as\(withDocument ? ", request, document" : "")
                FROM standby WHERE node = ? AND queue = ? AND job = ?
                """,
            arguments: [key.node, key.queue, key.job])
    }

    private static func state(of row: Row) -> StandbyState {
        (row["taken_as"] as Int64?).map { .taken(as: $0) } ?? .held
    }

    // MARK: Own jobs that the partner lacks

    /// Keeps the request of a job that the partner does not have, for when it is back.
    package func remember(_ job: Int64, in queue: String, request: [UInt8]) async throws {
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO outbox (queue, job, request) VALUES (?, ?, ?)",
                arguments: [queue, job, Data(request)])
        }
    }

    /// The jobs that the partner lacks, by number. What an older queue had is forgotten.
    package func remembered(in queue: String) async throws -> [Int64] {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM outbox WHERE queue <> ?", arguments: [queue])
            return try Int64.fetchAll(db, sql: "SELECT job FROM outbox ORDER BY job")
        }
    }

    /// The request of a job that the partner lacks.
    package func request(of job: Int64, in queue: String) async throws -> [UInt8]? {
        try await database.read { db in
            try Data.fetchOne(
                db, sql: "SELECT request FROM outbox WHERE queue = ? AND job = ?", arguments: [queue, job]
            ).map { [UInt8]($0) }
        }
    }

    /// The partner has a job now, or it has ended.
    package func forget(_ job: Int64, in queue: String) async throws {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM outbox WHERE queue = ? AND job = ?", arguments: [queue, job])
        }
    }
}
