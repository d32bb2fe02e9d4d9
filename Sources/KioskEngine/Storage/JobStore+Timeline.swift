internal import GRDB
internal import PrintModel

extension JobStore {
    /// Steps that are kept of one job; in a longer life the oldest behind the first ones give way.
    static let maximumSteps = 200
    private static let firstSteps = 20

    /// What is stored of the job's way; nil where there is no such job.
    static func standing(of id: Job.ID, in db: Database) throws -> JobStanding? {
        let statement = try db.cachedStatement(
            sql: "SELECT stage, state, state_reasons, attempts, remote_job, is_unconfirmed, is_cancel_requested FROM job WHERE id = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [id]), let stage = JobStage.Stored(rawValue: row["stage"]),
            let state = JobState(rawValue: row["state"])
        else { return nil }
        return JobStanding(
            stage: stage, state: state, reasons: row["state_reasons"], attempts: row["attempts"],
            remoteJob: row["remote_job"], isUnconfirmed: row["is_unconfirmed"], isCancelRequested: row["is_cancel_requested"]
        )
    }

    /// For use inside a commit that stores what the step is about.
    static func append(_ step: JobStep, to id: Job.ID, in db: Database) throws {
        let last = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT max(number) FROM job_step WHERE job_id = ?"), arguments: [id]
        )
        let number = (last ?? 0) + 1
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO job_step (job_id, number, time, kind, printer, attempt, evidence, message, other_job)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        try statement.execute(arguments: [
            id, number, step.time.millisecondsSince1970, step.kind.rawValue, step.printer?.rawValue, step.attempt,
            step.evidence?.rawValue, step.message, step.job,
        ])
        guard number > maximumSteps else { return }
        try db.execute(
            sql: "DELETE FROM job_step WHERE job_id = ? AND number > ? AND number <= ?",
            arguments: [id, firstSteps, number - (maximumSteps - firstSteps)]
        )
    }

    /// The steps between acceptance and end, and how many of them are no longer kept.
    func steps(of id: Job.ID) async throws -> (steps: [JobStep], omitted: Int) {
        try await read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM job_step WHERE job_id = ? ORDER BY number", arguments: [id])
            let last: Int = rows.last?["number"] ?? 0
            return (rows.compactMap(JobStep.init(row:)), last - rows.count)
        }
    }
}

extension JobStep {
    fileprivate init?(row: Row) {
        guard let kind = Kind(rawValue: row["kind"]) else { return nil }
        self.init(
            kind, at: Timestamp(millisecondsSince1970: row["time"]),
            printer: (row["printer"] as String?).flatMap(PrinterID.init(rawValue:)), attempt: row["attempt"],
            evidence: (row["evidence"] as String?).flatMap(Evidence.init(rawValue:)), message: row["message"],
            job: row["other_job"]
        )
    }
}
