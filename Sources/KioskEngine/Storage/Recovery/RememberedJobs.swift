import FoundationEssentials
import GRDB
import KioskPrintModel
import Logging

/// The jobs as an engine that met damage knows them, in their own file beside the queue, since the damaged one may be
/// neither written nor read. The next start restores them. Every call blocks.
struct RememberedJobs: Sendable {
    struct Entry: Sendable {
        var record: JobRecord
        /// The document, where it is in memory.
        var document: [UInt8]?
    }

    let files: QueueFiles

    /// Writes jobs to a file beside the queue, as they are now.
    func write(_ jobs: [Entry], at now: Timestamp) throws {
        try files.remove(files.remembering)
        let store = try JobStore(path: files.remembering)
        try store.pool.write { db in
            for job in jobs { try Self.restore(job, at: now, in: db) }
        }
        try store.close()
        try files.keepRemembered()
    }

    /// Takes over the jobs of the last process's file. If it is damaged, the queue's own rows count. Throws where it
    /// cannot be read or taken over for any other reason, such as a full disk: the file stays for the next start then.
    func restore(to store: JobStore, at now: Timestamp, logger: Logger) throws {
        guard exists else { return }
        do {
            let jobs = try DatabaseQueue(path: files.remembered).read(Self.entries)
            try store.pool.write { db in
                for job in jobs { try Self.restore(job, at: now, in: db) }
            }
            logger.notice("\(jobs.count) jobs are as the last run remembered them")
        } catch {
            let error =
                error as? EngineError ?? .storage(error, doing: "take over what the last run remembered of its jobs")
            guard error.code == .storageDamaged else { throw error }
            logger.error("what the last run remembered of its jobs cannot be read: \(error)")
        }
        try files.remove(files.remembered)
    }

    /// The numbers of the jobs in the file; none where it cannot be read.
    var numbers: Set<Job.ID> {
        guard exists, let jobs = try? DatabaseQueue(path: files.remembered).read(Self.entries) else { return [] }
        return Set(jobs.map(\.record.job.id))
    }

    private var exists: Bool { FileManager.default.fileExists(atPath: files.remembered) }

    private static func entries(in db: Database) throws -> [Entry] {
        try Row.fetchAll(db, sql: "SELECT job.*, bytes FROM job LEFT JOIN document ON job_id = id ORDER BY id").map {
            row in
            Entry(
                record: try JobRecord(row: row), document: try row.value("bytes", as: Data?.self).map { [UInt8]($0) })
        }
    }

    private static func restore(_ job: Entry, at now: Timestamp, in db: Database) throws {
        let id = job.record.job.id
        if try Int.fetchOne(db, sql: "SELECT 1 FROM job WHERE id = ?", arguments: [id]) == nil {
            var record = job.record
            if let key = record.key, try !JobStore.free(key, at: now, in: db) { record.key = nil }
            try JobStore.insert(record, into: db)
            try db.execute(
                sql: "UPDATE job SET id = ?, job_group = ? WHERE id = ?",
                arguments: [
                    id, job.record.job.group.map { $0.map(String.init).joined(separator: " ") }, db.lastInsertedRowID,
                ])
        }
        try JobStore.update(job.record, at: now, in: db)
        try JobFiling.file(id, in: db)
        guard let document = job.document else { return }
        try db.execute(
            sql: "INSERT OR IGNORE INTO document (job_id, bytes) VALUES (?, ?)",
            arguments: [id, document.withUnsafeBytes { Data($0) }])
    }
}
