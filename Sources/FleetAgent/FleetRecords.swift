import FoundationEssentials
import GRDB
import KioskDurableFiles
package import KioskFleet
package import KioskPrintModel
import KioskRecordFile

/// What a kiosk keeps of its fleet in a file beside its queue: how far it has come with the hub's messages, which keys
/// it knows, and what it has still to report. Every change is on disk when it returns.
///
/// It may be behind the queue, and never ahead of it: a job that only the queue has comes again, and its key leads to
/// it.
package struct FleetRecords: Sendable {
    private let database: DatabaseQueue
    private let folder: String

    /// Keys are known for this long after the hub has stored them, by its clock, in ns: the hub keeps jobs for 7 days,
    /// and its clock may have been set.
    private static let keyLifetime: Int64 = 30 * 86_400_000_000_000

    /// A job of the kiosk. The key tells it from another one where a queue that was lost gives its number again; its times
    /// do not: they change with the machine's clock.
    package struct OwnJob: Hashable, Sendable {
        package var id: Job.ID
        package var key: JobKey

        package init(id: Job.ID, key: JobKey) { (self.id, self.key) = (id, key) }

        /// From columns `job_id` and `key`; nil where there is no job.
        fileprivate init?(_ row: Row) {
            guard let id: Job.ID = row["job_id"], let key = JobKey(subjectToken: row["key"] as String) else {
                return nil
            }
            self.init(id: id, key: key)
        }
    }

    /// Whether an error says that the file is damaged: then it is to be opened anew.
    package static func isDamage(_ error: any Error) -> Bool { RecordFile.isDamage(error) }

    /// Opens the file, or begins one. A damaged one is set aside under the name `….damaged`; the kiosk is then like a new
    /// machine at its site. Throws what SQLite or the disk says.
    package init(path: String) throws {
        folder = Folder.parent(of: path)
        database = try RecordFile.open(path, migrator: Self.migrator)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: taken jobs and their reports") { db in
            try db.execute(
                sql: """
                    CREATE TABLE progress (id INTEGER PRIMARY KEY CHECK (id = 1), taken_up_to INTEGER NOT NULL);
                    CREATE TABLE taken (
                        key TEXT PRIMARY KEY,
                        stored_at INTEGER NOT NULL,
                        content TEXT,
                        job_id INTEGER,
                        stage TEXT NOT NULL,
                        report BLOB,
                        report_number INTEGER,
                        sequence INTEGER NOT NULL DEFAULT 0
                    ) WITHOUT ROWID;
                    CREATE INDEX taken_job ON taken (job_id) WHERE job_id IS NOT NULL;
                    CREATE INDEX taken_report ON taken (report_number) WHERE report_number IS NOT NULL;
                    CREATE INDEX taken_stored_at ON taken (stored_at);
                    """)
        }
        migrator.registerMigration("2: the office's configuration") { db in
            try db.execute(
                sql: """
                    CREATE TABLE configuration (
                        id INTEGER PRIMARY KEY CHECK (id = 1),
                        revision INTEGER NOT NULL,
                        stored_at INTEGER NOT NULL,
                        digest TEXT NOT NULL
                    )
                    """)
        }
        migrator.registerMigration("3: claims of jobs that are not taken yet") { db in
            try db.execute(sql: "CREATE TABLE claim (key TEXT PRIMARY KEY, sender_key TEXT) WITHOUT ROWID")
        }
        return migrator
    }

    // MARK: Disk

    /// Whether the file system that these records are on, as the kiosk's queue is, has room for a document of this
    /// length and what is noted of it.
    package func hasRoom(for length: Int) async throws -> Bool {
        // In the file's own queue: a disk may hang.
        try await database.read { [folder] _ in
            let state = try FileSystemState(of: folder)
            let (needed, overflow) = Int64(clamping: length).addingReportingOverflow(Self.reserve)
            return !state.isReadOnly && !overflow && state.freeBytes >= needed
        }
    }

    /// More than the queue leaves free beside documents.
    private static let reserve: Int64 = 512 * 1024

    // MARK: Configuration

    /// The configuration of the office that was put in force last; nil before the first.
    package func appliedConfiguration() async throws -> AppliedConfiguration? {
        try await database.read { db in
            try Row.fetchOne(db, sql: "SELECT revision, stored_at, digest FROM configuration").map {
                AppliedConfiguration(
                    revision: UInt64(clamping: $0["revision"] as Int64), storedAt: $0["stored_at"],
                    digest: $0["digest"])
            }
        }
    }

    /// Notes that a configuration is in force.
    package func note(applied desired: DesiredConfiguration) async throws {
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO configuration (id, revision, stored_at, digest) VALUES (1, ?, ?, ?)",
                arguments: [Int64(clamping: desired.revision), desired.storedAt, desired.digest])
        }
    }

    // MARK: Progress

    /// When the hub stored the last message that was taken, in ns since 1970 by its clock; nil before this kiosk has
    /// begun.
    package func takenUpTo() async throws -> Int64? {
        try await database.read { try Int64.fetchOne($0, sql: "SELECT taken_up_to FROM progress") }
    }

    /// A job of which the hub has a report, though this kiosk knows nothing of it.
    package struct ReportedJob: Hashable, Sendable {
        package var key: JobKey
        /// When the report was stored, in ns since 1970 by the hub's clock, and its number in its stream.
        package var storedAt: Int64
        package var sequence: UInt64
        package var stage: FleetReport.Stage
        /// The kiosk's own job, where the report is its own and the queue has the job.
        package var job: OwnJob?
        /// What is to be said of it now; nil where the report still holds.
        package var report: FleetReport?

        package init(
            key: JobKey, storedAt: Int64, sequence: UInt64, stage: FleetReport.Stage, job: OwnJob?, report: FleetReport?
        ) {
            (self.key, self.storedAt, self.sequence) = (key, storedAt, sequence)
            (self.stage, self.job, self.report) = (stage, job, report)
        }
    }

    /// Begins at a site where others may have been before: with what they have claimed, from `start` on.
    package func begin(with jobs: [ReportedJob], from start: Int64) async throws {
        try await database.write { db in
            for job in jobs { try Self.learn(job, in: db) }
            try Self.advance(to: start, in: db)
        }
    }

    /// Notes what others say of jobs that are not this kiosk's.
    package func learn(_ jobs: [ReportedJob]) async throws {
        try await database.write { db in
            for job in jobs { try Self.learn(job, in: db) }
        }
    }

    /// Notes what another kiosk says now, unless it comes again from before what is known.
    package func follow(_ job: ReportedJob) async throws {
        try await database.write { db in
            let known = try Int64.fetchOne(
                db, sql: "SELECT sequence FROM taken WHERE key = ?", arguments: [job.key.text])
            if let known, known >= Int64(clamping: job.sequence) { return }
            try Self.learn(job, in: db)
        }
    }

    private static func learn(_ job: ReportedJob, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO taken (key, stored_at, job_id, stage, sequence) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (key) DO UPDATE SET stage = excluded.stage, sequence = excluded.sequence
                WHERE job_id IS NULL AND report_number IS NULL
                """,
            arguments: [
                job.key.text, job.storedAt, job.job?.id, job.stage.rawValue, Int64(clamping: job.sequence),
            ])
        if db.changesCount > 0, let report = job.report { try put(report, under: job.key, in: db) }
    }

    /// Notes that a message was taken that has nothing to keep.
    package func advance(to storedAt: Int64) async throws {
        try await database.write { try Self.advance(to: storedAt, in: $0) }
    }

    private static func advance(to storedAt: Int64, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO progress (id, taken_up_to) VALUES (1, ?)", arguments: [storedAt])
    }

    // MARK: Claims

    /// A job that this kiosk of a pair has claimed, or was about to, and that it has not noted as taken.
    package struct Claim: Hashable, Sendable {
        package var key: JobKey
        /// The sender's own key; nil where the message had none.
        package var senderKey: String?
    }

    /// Notes that a job is about to be claimed at the hub.
    package func note(_ claim: Claim) async throws {
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO claim (key, sender_key) VALUES (?, ?)",
                arguments: [claim.key.text, claim.senderKey])
        }
    }

    /// The claims of which nothing came.
    package func openClaims() async throws -> [Claim] {
        try await database.read { db in
            try Row.fetchAll(db, sql: "SELECT key, sender_key FROM claim").compactMap { row in
                JobKey(subjectToken: row["key"] as String).map { Claim(key: $0, senderKey: row["sender_key"]) }
            }
        }
    }

    /// The job is another kiosk's, or was never claimed.
    package func forgetClaim(of key: JobKey) async throws {
        try await database.write { try Self.forgetClaim(of: key, in: $0) }
    }

    private static func forgetClaim(of key: JobKey, in db: Database) throws {
        try db.execute(sql: "DELETE FROM claim WHERE key = ?", arguments: [key.text])
    }

    // MARK: Jobs

    /// What is known of a key.
    package struct Known: Hashable, Sendable {
        /// The kiosk's own job; nil where it made none.
        package var job: OwnJob?
        package var stage: FleetReport.Stage
        /// When the hub stored the message that was taken, in ns since 1970 by its clock.
        package var storedAt: Int64
        /// What the job asked for; nil where nobody knows.
        package var content: String?
        /// The last report; nil where a job says as much.
        package var report: FleetReport?
    }

    package func known(_ key: JobKey) async throws -> Known? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT key, job_id, stage, stored_at, content, report FROM taken WHERE key = ?",
                arguments: [key.text])
            return row.map {
                Known(
                    job: OwnJob($0), stage: FleetReport.Stage(rawValue: $0["stage"]) ?? .accepted,
                    storedAt: $0["stored_at"], content: $0["content"],
                    report: ($0["report"] as Data?).flatMap { try? FleetReport(body: [UInt8]($0), of: key) })
            }
        }
    }

    /// Notes that the hub has stored a job anew that was taken before, and what is to be reported of it once more.
    /// `progress` is as for `note`.
    package func noteAgain(
        _ key: JobKey, storedAt: Int64, _ report: FleetReport, upTo progress: Int64? = nil
    ) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE taken SET stored_at = ? WHERE key = ?", arguments: [storedAt, key.text])
            try Self.put(report, under: key, in: db)
            try Self.advance(to: progress ?? storedAt, in: db)
        }
    }

    /// Notes what became of a message, and what is to be reported. `content`: what tells the job from another one under
    /// the same key; nil where there was none. `sequence`: the number of the key's last report at the hub, 0 for none.
    /// `progress`: up to when all is taken, in ns since 1970; nil where that is this message.
    package func note(
        _ key: JobKey, storedAt: Int64, content: String? = nil, _ report: FleetReport, after sequence: UInt64 = 0,
        upTo progress: Int64? = nil
    ) async throws {
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO taken (key, stored_at, content, job_id, stage, sequence) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (key) DO UPDATE SET stored_at = excluded.stored_at, content = excluded.content,
                        job_id = excluded.job_id, sequence = excluded.sequence
                    WHERE job_id IS NULL
                    """,
                arguments: [
                    key.text, storedAt, content, report.job?.id, report.stage.rawValue, Int64(clamping: sequence),
                ])
            try Self.put(report, under: key, in: db)
            try Self.forgetClaim(of: key, in: db)
            try Self.advance(to: progress ?? storedAt, in: db)
            try db.execute(
                sql: "DELETE FROM taken WHERE stored_at < ? AND report_number IS NULL",
                arguments: [storedAt - Self.keyLifetime])
        }
    }

    /// Queues the report of the job of a key where its stage has changed. False for any other job.
    package func update(_ job: Job, of key: JobKey, by node: NodeName) async throws -> Bool {
        let report = FleetReport(node: node, job: job)
        return try await database.write { db in
            let stage = try String.fetchOne(
                db, sql: "SELECT stage FROM taken WHERE key = ? AND job_id = ? AND \(Self.isOpen)",
                arguments: [key.text, job.id])
            guard let stage, stage != report.stage.rawValue else { return false }
            try Self.put(report, under: key, in: db)
            return true
        }
    }

    /// Queues a report of a job that the queue has lost.
    package func update(lost job: OwnJob, _ report: FleetReport) async throws {
        try await database.write { db in
            let isKnown = try Bool.fetchOne(
                db, sql: "SELECT 1 FROM taken WHERE key = ? AND job_id = ? AND \(Self.isOpen)",
                arguments: [job.key.text, job.id])
            guard isKnown != nil else { return }
            try Self.put(report, under: job.key, in: db)
            try db.execute(sql: "UPDATE taken SET job_id = NULL WHERE key = ?", arguments: [job.key.text])
        }
    }

    /// The kiosk's jobs whose end is not reported.
    package func openJobs() async throws -> [OwnJob] {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT key, job_id FROM taken WHERE job_id IS NOT NULL AND \(Self.isOpen)")
            return rows.compactMap { OwnJob($0) }
        }
    }

    /// The condition that a job's end was not noted.
    private static let isOpen =
        "stage NOT IN (\(FleetReport.Stage.allCases.filter(\.isFinal).map { "'\($0.rawValue)'" }.joined(separator: ", ")))"

    // MARK: Overview

    /// What people are shown of the records, as they are at one moment.
    package struct Overview: Hashable, Sendable {
        /// When the hub stored the last message that was taken, in ns since 1970; nil before the first.
        package var takenUpTo: Int64?
        /// How many reports wait for the hub; counted up to the limit that was asked for.
        package var waitingReports: Int
        /// When the hub stored the job whose report waits longest, in ns since 1970; nil where none waits.
        package var oldestWaiting: Int64?
        /// The last jobs, newest first.
        package var jobs: [Entry]
        /// The revision of the office's configuration that was put in force last; nil before the first.
        package var appliedRevision: UInt64?

        package struct Entry: Hashable, Sendable {
            package var key: JobKey
            package var storedAt: Int64
            /// The kiosk's own job; nil where it made none.
            package var job: OwnJob?
            package var stage: FleetReport.Stage
        }
    }

    /// Reads it with the newest `jobs` jobs; waiting reports are counted up to `reports`.
    package func overview(jobs: Int, reports: Int) async throws -> Overview {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT key, stored_at, job_id, stage FROM taken
                    ORDER BY stored_at DESC, key DESC LIMIT ?
                    """,
                arguments: [jobs])
            let applied = try Int64.fetchOne(db, sql: "SELECT revision FROM configuration")
            return Overview(
                takenUpTo: try Int64.fetchOne(db, sql: "SELECT taken_up_to FROM progress"),
                waitingReports: try Int.fetchOne(
                    db,
                    sql: "SELECT count(*) FROM (SELECT 1 FROM taken WHERE report_number IS NOT NULL LIMIT ?)",
                    arguments: [reports]) ?? 0,
                oldestWaiting: try Int64.fetchOne(
                    db,
                    sql: "SELECT stored_at FROM taken WHERE report_number IS NOT NULL ORDER BY report_number LIMIT 1"),
                jobs: rows.compactMap { row in
                    guard let key = JobKey(subjectToken: row["key"] as String) else { return nil }
                    return Overview.Entry(
                        key: key, storedAt: row["stored_at"], job: OwnJob(row),
                        stage: FleetReport.Stage(rawValue: row["stage"]) ?? .accepted)
                },
                appliedRevision: applied.map { UInt64(clamping: $0) })
        }
    }

    // MARK: Reports

    /// A report that the hub does not have.
    package struct WaitingReport: Hashable, Sendable {
        package var key: JobKey
        package var body: [UInt8]
        /// Which of all reports it is.
        fileprivate var number: Int64
        /// The number of the key's last report in its stream; 0 where there is none.
        package var lastSequence: UInt64
    }

    /// Those that wait longest, at most `maximum`; each of another key.
    package func waitingReports(_ maximum: Int) async throws -> [WaitingReport] {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT key, report, report_number, sequence FROM taken WHERE report_number IS NOT NULL
                    ORDER BY report_number LIMIT ?
                    """,
                arguments: [maximum])
            return rows.compactMap { row in
                guard let key = JobKey(subjectToken: row["key"] as String) else { return nil }
                return WaitingReport(
                    key: key, body: [UInt8](row["report"] as Data), number: row["report_number"],
                    lastSequence: UInt64(clamping: row["sequence"] as Int64))
            }
        }
    }

    /// The hub has the report under this number. A newer one of the same key waits on. Where the kiosk has made no job,
    /// the report is kept: nothing else says why.
    package func stored(_ report: WaitingReport, as sequence: UInt64) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE taken SET sequence = ? WHERE key = ?",
                arguments: [Int64(clamping: sequence), report.key.text])
            try db.execute(
                sql: """
                    UPDATE taken SET report_number = NULL, report = CASE WHEN job_id IS NULL THEN report END
                    WHERE key = ? AND report_number = ?
                    """,
                arguments: [report.key.text, report.number])
        }
    }

    /// The hub's last report of the key has this number, and is not the one that was thought.
    package func correct(_ report: WaitingReport, to sequence: UInt64) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE taken SET sequence = ? WHERE key = ?",
                arguments: [Int64(clamping: sequence), report.key.text])
        }
    }

    /// Gives up what another kiosk reports now: nothing more is said of the key.
    package func giveUp(_ report: WaitingReport) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE taken SET report_number = NULL, report = NULL, job_id = NULL WHERE key = ?",
                arguments: [report.key.text])
        }
    }

    private static func put(_ report: FleetReport, under key: JobKey, in db: Database) throws {
        try db.execute(
            sql: """
                UPDATE taken SET stage = ?, report = ?,
                    report_number = 1 + ifnull((SELECT max(report_number) FROM taken WHERE report_number IS NOT NULL), 0)
                WHERE key = ?
                """,
            arguments: [report.stage.rawValue, Data(try report.body()), key.text])
    }
}
