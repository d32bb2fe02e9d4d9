import GRDB
import KioskPrintModel

/// Where a stored job is found without a look at every row: column `filed`.
///
/// Indexes are pages of their own to write and to sync. A receipt is therefore in none of them while it is accepted and
/// printed: jobs from `queue.floor` on are found by their numbers alone. The history's trimmer files them now and then,
/// many in one commit, and moves the floor behind the last. Hence
/// - every job below the floor is filed, and no number below it is given to a job to come;
/// - only what is filed as final is deleted, so that numbers from the floor on have no gaps.
enum JobFiling: Int {
    /// Not looked at yet.
    case new = 0
    /// Final, and in the index `job_final`.
    case final = 1
    /// Was not final when it was looked at; in the index `job_open` until a later look finds it final.
    case open = 2

    /// The number of a job that is stored now, as an expression of SQL: the one behind the last, of which SQLite knows
    /// no more once the highest were deleted.
    static let nextNumber = "max(ifnull((SELECT max(id) FROM job), 0) + 1, (SELECT floor FROM queue))"

    /// How a job is filed, as an expression of SQL.
    private static let place = "CASE stage WHEN 4 THEN \(JobFiling.final.rawValue) ELSE \(JobFiling.open.rawValue) END"

    /// Files what was accepted or has become final since the last time. For use inside a commit; writes nothing where
    /// there is nothing to file.
    static func file(in db: Database) throws {
        try db.execute(
            sql: """
                UPDATE job SET filed = \(JobFiling.final.rawValue) WHERE filed = \(JobFiling.open.rawValue) AND stage = 4;
                UPDATE job SET filed = \(place)
                    WHERE id >= (SELECT floor FROM queue) AND filed = \(JobFiling.new.rawValue);
                UPDATE queue SET floor = (SELECT max(id) FROM job) + 1 WHERE floor <= (SELECT max(id) FROM job);
                """)
    }

    /// Files one job, whose number may be below the floor. For use inside a commit.
    static func file(_ id: Job.ID, in db: Database) throws {
        try db.execute(sql: "UPDATE job SET filed = \(place) WHERE id = ?", arguments: [id])
    }

    /// Files every job anew; the next one gets the number behind `last`. For use inside a commit.
    static func fileAll(upTo last: Job.ID, in db: Database) throws {
        try db.execute(sql: "UPDATE job SET filed = \(place)")
        try db.execute(sql: "UPDATE queue SET floor = ?", arguments: [last + 1])
    }

    /// Every job that is not final, in order of acceptance.
    static func openJobs(in db: Database) throws -> [JobRecord] {
        guard let floor = try Int64.fetchOne(db, sql: "SELECT floor FROM queue") else {
            throw EngineError.damagedRow("no floor of its numbers")
        }
        let filed = try Row.fetchAll(
            db, sql: "SELECT * FROM job WHERE filed = \(JobFiling.open.rawValue) AND stage < 4 ORDER BY id")
        let new = try Row.fetchAll(
            db, sql: "SELECT * FROM job WHERE id >= ? AND filed <> \(JobFiling.open.rawValue) AND stage < 4",
            arguments: [floor])
        return try (filed + new).map { row in
            let record = try JobRecord(row: row)
            guard record.stage != .done, !record.job.state.isFinal else {
                throw EngineError.damagedRow("a stage that does not go with its state", of: record.job.id)
            }
            return record
        }.sorted { $0.job.id < $1.job.id }
    }

    /// Throws `storage-damaged` where a job that is not final would not be found. Reads every row.
    static func check(_ db: Database) throws {
        guard let floor = try Int64.fetchOne(db, sql: "SELECT floor FROM queue"), (1...1 << 53).contains(floor) else {
            throw EngineError.damagedRow("a floor of its numbers that no queue has")
        }
        let stranger = try Int64.fetchOne(
            db,
            sql: """
                SELECT id FROM job WHERE filed NOT BETWEEN 0 AND 2 OR (filed = \(JobFiling.new.rawValue) AND id < ?)
                    OR (filed = \(JobFiling.final.rawValue) AND stage < 4) LIMIT 1
                """, arguments: [floor])
        if let stranger { throw EngineError.damagedRow("a place in its indexes where nobody finds it", of: stranger) }
    }
}
