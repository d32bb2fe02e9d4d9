import GRDB
import PrintModel

/// What a stored job tells of its way so far; compared with what it is to be, it gives the steps between.
struct JobStanding: Hashable, Sendable {
    var stage: JobStage.Stored
    var state: JobState
    var reasons: String
    var attempts: Int
    var remoteJob: String?
    var isUnconfirmed: Bool
    var isCancelRequested: Bool

    init(_ status: JobStatus) {
        stage = status.stage.stored
        state = status.job.state
        reasons = status.job.stateReasons.joined(separator: " ")
        attempts = status.job.attempts
        remoteJob = status.job.remoteJob?.identifier
        isUnconfirmed = status.job.isUnconfirmed
        isCancelRequested = status.isCancelRequested
    }

    init(
        stage: JobStage.Stored, state: JobState, reasons: String, attempts: Int, remoteJob: String?,
        isUnconfirmed: Bool,
        isCancelRequested: Bool
    ) {
        self.stage = stage
        self.state = state
        self.reasons = reasons
        self.attempts = attempts
        self.remoteJob = remoteJob
        self.isUnconfirmed = isUnconfirmed
        self.isCancelRequested = isCancelRequested
    }
}

extension JobStanding {
    /// The steps that lead from here to `status`. Acceptance and the end are no steps: the job itself tells of them.
    func steps(to status: JobStatus, at now: Timestamp) -> [JobStep] {
        let (job, next) = (status.job, JobStanding(status))
        var steps: [JobStep] = []
        func add(_ kind: JobStep.Kind, at time: Timestamp = now, attempt: Int? = nil, message: String? = nil) {
            steps.append(
                JobStep(
                    kind, at: time, printer: job.printer, attempt: attempt, evidence: job.evidence, message: message)
            )
        }
        if next.attempts > attempts { add(.sending, at: status.sentAt ?? now, attempt: next.attempts) }
        if let remoteJob = next.remoteJob, remoteJob != self.remoteJob {
            add(.taken, at: min(now, job.completedAt ?? now), message: "as its job \(remoteJob)")
        }
        if next.isCancelRequested, !isCancelRequested { add(.cancelRequested) }
        guard next.stage != .done else { return steps }
        if next.state == .processingStopped, state != .processingStopped {
            add(.stopped, message: job.message ?? next.reasons)
        }
        if next.state == .processing, state == .processingStopped { add(.resumed) }
        if next.reasons == Self.asking, reasons != Self.asking { add(.asking, message: job.message) }
        switch (stage, next.stage) {
        case (.held, .waiting): add(.released)
        case (_, .held) where stage != .held: add(.held, message: job.message)
        case (.sending, .waiting), (.following, .waiting):
            add(next.isUnconfirmed && !isUnconfirmed ? .unconfirmed : .waiting, message: job.message)
        default: break
        }
        return steps
    }

    private static let asking = "printer-asked-for-job"
}

extension JobStatus {
    /// That sending began with the acceptance; nil where the job waits first.
    var firstSending: JobStep? {
        guard let sentAt, stage.stored == .sending else { return nil }
        return JobStep(.sending, at: sentAt, printer: job.printer, attempt: job.attempts)
    }
}

extension JobStore {
    /// Steps that are kept of one job; in a longer life the oldest behind the first ones give way.
    static let maximumSteps = 200
    private static let firstSteps = 20

    /// What is stored of the job's way; nil where there is no such job.
    static func standing(of id: Job.ID, in db: Database) throws -> JobStanding? {
        let statement = try db.cachedStatement(
            sql:
                "SELECT stage, state, state_reasons, attempts, remote_job, is_unconfirmed, is_cancel_requested FROM job WHERE id = ?"
        )
        // What a damaged row told of the way is lost with it, and no reason to lose what is to be stored now.
        return try Row.fetchOne(statement, arguments: [id]).flatMap { try? JobStanding(row: $0) }
    }

    /// For use inside a commit that stores what the step is about.
    /// `isFirst`: the job was stored just now.
    static func append(_ step: JobStep, to id: Job.ID, isFirst: Bool = false, in db: Database) throws {
        let last =
            isFirst
            ? nil
            : try Int.fetchOne(
                db.cachedStatement(sql: "SELECT max(number) FROM job_step WHERE job_id = ?"), arguments: [id]
            )
        let number = (last ?? 0) &+ 1
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
    func steps(of id: Job.ID) async throws -> StoredSteps {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM job_step WHERE job_id = ? ORDER BY number", arguments: [id])
            let last: Int = try rows.last?.value("number") ?? 0
            var (steps, damage): ([JobStep], EngineError?) = ([], nil)
            for row in rows {
                do throws(EngineError) {
                    if let step = try JobStep(row: row) { steps.append(step) }
                } catch {
                    damage = error
                }
            }
            return StoredSteps(steps: steps, omitted: max(last, 0) - rows.count, damage: damage)
        }
    }
}

/// What is stored of a job's way between acceptance and end.
struct StoredSteps: Sendable {
    var steps: [JobStep]
    /// How many are no longer kept.
    var omitted: Int
    /// Why some are missing, where the disk has damaged them.
    var damage: EngineError?
}

extension JobStep {
    /// Nil for one of a kind that this version does not know.
    fileprivate init?(row: Row) throws(EngineError) {
        guard let kind = Kind(rawValue: try row.value("kind")) else { return nil }
        self.init(
            kind, at: Timestamp(millisecondsSince1970: try row.value("time")),
            printer: try row.value("printer", as: String?.self).flatMap(PrinterID.init(rawValue:)),
            attempt: try row.value("attempt"),
            evidence: try row.value("evidence", as: String?.self).flatMap(Evidence.init(rawValue:)),
            message: try row.value("message"),
            job: try row.value("other_job")
        )
    }
}

extension JobStanding {
    fileprivate init?(row: Row) throws(EngineError) {
        guard let stage = JobStage.Stored(rawValue: try row.value("stage")),
            let state = JobState(rawValue: try row.value("state"))
        else { return nil }
        self.init(
            stage: stage, state: state, reasons: try row.value("state_reasons"), attempts: try row.value("attempts"),
            remoteJob: try row.value("remote_job"), isUnconfirmed: try row.value("is_unconfirmed"),
            isCancelRequested: try row.value("is_cancel_requested")
        )
    }
}
