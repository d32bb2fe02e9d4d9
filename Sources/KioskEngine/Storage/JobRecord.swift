import FoundationEssentials
import GRDB
import KioskPrintModel

/// A job as it is stored: its life, and what only the engine needs to go on with it after a restart.
struct JobRecord: Hashable, Sendable {
    /// Alone changes what is known of the job.
    var life: JobLife
    /// The name of a large document's file in the documents folder; small documents lie in the database.
    var documentFile: String?
    /// SHA-256 of the document in hexadecimal; nil of a job that an earlier version accepted, and of one that this run
    /// did.
    var documentDigest: String?
    /// Where the caller sent it: a role, or one printer and no other.
    let destination: WaitingJob.Destination
    /// It prints again what may be on paper already.
    var isCopy = false
    /// What the request came under.
    var key: IdempotencyKey?

    init(job: Job, destination: WaitingJob.Destination) {
        self.init(life: JobLife(accepting: job, isPinned: destination.isPinned), destination: destination)
    }

    init(life: JobLife, destination: WaitingJob.Destination) {
        self.life = life
        self.destination = destination
    }

    var job: Job { life.status.job }
    var stage: JobStage { life.status.stage }
    var isCancelRequested: Bool { life.status.isCancelRequested }

    /// Whether the original may be on paper: what prints now must be told from it, where the document can be marked.
    var printsCopy: Bool { isCopy || job.isUnconfirmed }

    /// Whether nobody can say that none of it came out.
    var mayBeOnPaper: Bool {
        isCopy || job.isUnconfirmed || job.bytesSent > 0 || (life.status.copiesMade?.count ?? 0) > 0
    }
}

extension JobRecord {
    /// Reads a row of table `job`; throws `storage-damaged` when a value in it is none that we write.
    init(row: Row) throws(EngineError) {
        let columns = try JobColumns(row)
        let job = try columns.job()
        let isPinned = try row.value("is_pinned", as: Bool.self)
        let destination: WaitingJob.Destination? =
            isPinned ? job.printer.map { .printer($0) } : job.role.map { .role($0) }
        self.init(
            life: JobLife(restoring: try columns.status(of: job, isPinned: isPinned)),
            destination: try columns.checked("role", destination))
        documentFile = try columns.text("document_file")
        isCopy = try row.value("is_copy")
        documentDigest = try columns.text("document_digest")
        if let key = try columns.text("idempotency_key") {
            self.key = IdempotencyKey(
                caller: try columns.text("caller") ?? "", key: key, contentDigest: try columns.text("content_digest"),
                now: job.createdAt)
        }
    }
}

/// The columns of a row of table `job`, each of which is checked when it is read.
private struct JobColumns {
    private let row: Row
    private let id: Int64

    init(_ row: Row) throws(EngineError) {
        self.row = row
        id = try row.value("id")
    }

    func checked<Value>(_ column: String, _ value: Value?) throws(EngineError) -> Value {
        guard let value else { throw .damagedRow("a value of the wrong type in column \(column)", of: id) }
        return value
    }

    func text(_ column: String) throws(EngineError) -> String? { try row.value(column) }

    private func number(_ column: String) throws(EngineError) -> Int64 {
        let value = try row.value(column, as: Int64.self)
        return try checked(column, (0...maximumNumber).contains(value) ? value : nil)
    }

    private func moment(_ column: String, upTo maximum: Int64 = latestMoment) throws(EngineError) -> Timestamp? {
        guard let value = try row.value(column, as: Int64?.self) else { return nil }
        return try checked(
            column, (-latestMoment...maximum).contains(value) ? Timestamp(millisecondsSince1970: value) : nil)
    }

    /// What everybody sees of the job.
    func job() throws(EngineError) -> Job {
        var job = Job(
            id: id,
            name: try row.value("name"),
            role: try text("role").flatMap(RoleName.init(rawValue:)),
            printer: try text("printer").flatMap(PrinterID.init(rawValue:)),
            user: try text("user"),
            format: try checked("format", DocumentFormat(row.value("format"))),
            documentLength: try number("document_length"),
            ticket: try checked("ticket", try? TicketColumn.ticket(of: text("ticket"))),
            createdAt: try checked("created_at", moment("created_at")),
            expiresAt: try checked("expires_at", moment("expires_at", upTo: .max))
        )
        job.state = try checked("state", JobState(rawValue: row.value("state")))
        job.stateReasons = try row.value("state_reasons", as: String.self).split(separator: " ").map(String.init)
        job.message = try text("message")
        job.evidence = try text("evidence").flatMap(Evidence.init(rawValue:))
        job.isUnconfirmed = try row.value("is_unconfirmed")
        job.bytesSent = try number("bytes_sent")
        job.attempts = Int(try number("attempts"))
        job.remoteJob = try text("remote_job").map(RemoteJob.init(identifier:))
        job.processingAt = try moment("processing_at")
        job.completedAt = try moment("completed_at")
        job.owner = try row.value("owner", as: Int64?.self).map { (owner) throws(EngineError) in
            try checked("owner", OwnerColumn.owner(of: owner))
        }
        job.origin = try row.value("origin")
        job.group = try text("job_group").map { $0.split(separator: " ").compactMap { Int64($0) } }
        job.pages = try row.value("pages", as: Int64?.self).map { (pages) throws(EngineError) in
            try checked("pages", (0...maximumNumber).contains(pages) ? Int(pages) : nil)
        }
        job.remarks = try text("remarks").map { $0.split(separator: "\n").map(String.init) }
        job.requestID = try text("request_id")
        return job
    }

    /// What only its life needs of it, too.
    func status(of job: Job, isPinned: Bool) throws(EngineError) -> JobStatus {
        var status = JobStatus(job: job, isPinned: isPinned)
        status.stage = try checked("stage", JobStage.Stored(rawValue: row.value("stage"))).atStart
        status.reprints = Int(try number("reprints"))
        // Written only for a job that is printed again.
        if status.reprints > 0, status.stage == .waiting { status.notBefore = try moment("not_before") }
        status.sentAt = try moment("sent_at")
        status.sentTo = try text("sent_to").map { (url) throws(EngineError) in
            try checked("sent_to", try? PrinterURL(url))
        }
        status.isCancelRequested = try row.value("is_cancel_requested")
        status.copiesMade = try text("copies_made").map { (made) throws(EngineError) in
            try checked("copies_made", CopiesMade(made))
        }
        return status
    }
}

/// The limit of a stored time, in milliseconds before or after 1970: some 280,000 years. Sums of such times fit into an
/// integer.
private let latestMoment: Int64 = 1 << 53
/// A count, or a length in bytes, that leaves room for sums.
private let maximumNumber: Int64 = 1 << 50

/// A job's owner as a number in its row: a user's id, or below zero -1 less a token's number.
enum OwnerColumn {
    static func number(_ owner: JobOwner) -> Int64 {
        switch owner {
        case .user(let user): Int64(user)
        case .token(let token): -1 - Int64(token)
        }
    }

    static func owner(of number: Int64) -> JobOwner? {
        number >= 0 ? UInt32(exactly: number).map(JobOwner.user) : UInt32(exactly: -1 - number).map(JobOwner.token)
    }
}

/// A ticket as a JSON column; NULL for the empty one, which most receipts have. It has the job's PIN, until the job
/// ends.
enum TicketColumn {
    static func text(of ticket: Ticket) throws -> String? {
        guard ticket != Ticket() else { return nil }
        return String(decoding: try JSONEncoder().encode(RevealedTicket(ticket)), as: UTF8.self)
    }

    static func ticket(of text: String?) throws -> Ticket {
        guard let text else { return Ticket() }
        return try JSONDecoder().decode(Ticket.self, from: Data(text.utf8))
    }
}

extension Row {
    /// A column's value. Throws `storage-damaged` where the disk gave back one of another class than the column holds:
    /// the subscript would end the process there, and at each new start again.
    func value<Value: DatabaseValueConvertible>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(EngineError) -> Value {
        do {
            return try decode(type, forColumn: column)
        } catch {
            throw .damagedRow("a value of the wrong type in column \(column)")
        }
    }
}

/// The columns of a stored job that tell how far it has come. Compared with the status that is to be stored next, they
/// give the steps between, which the job's timeline shows.
struct JobStanding: Hashable, Sendable {
    var stage: JobStage.Stored
    var state: JobState
    var reasons: String
    var printer: PrinterID?
    var attempts: Int
    var remoteJob: String?
    var isUnconfirmed: Bool
    var isCancelRequested: Bool
    /// Empty where the steps so far have rows of their own.
    var plain = PlainSteps()
}

extension JobStanding {
    init(_ status: JobStatus) {
        self.init(
            stage: status.stage.stored, state: status.job.state,
            reasons: status.job.stateReasons.joined(separator: " "), printer: status.job.printer,
            attempts: status.job.attempts,
            remoteJob: status.job.remoteJob?.identifier, isUnconfirmed: status.job.isUnconfirmed,
            isCancelRequested: status.isCancelRequested)
    }

    /// The steps that lead from here to `status`. Acceptance and the end are not steps: the job itself tells of them.
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
            add(.acceptedByPrinter, at: min(now, job.completedAt ?? now), message: PlainSteps.message(remoteJob))
        }
        if next.isCancelRequested, !isCancelRequested { add(.cancelRequested) }
        guard next.stage != .done else { return steps }
        if next.state == .processingStopped, state != .processingStopped {
            add(.stopped, message: job.message ?? next.reasons)
        }
        if next.state == .processing, state == .processingStopped { add(.resumed) }
        if next.reasons == Self.asking, reasons != Self.asking { add(.asking, message: job.message) }
        switch (stage, next.stage) {
        case (.held, .waiting): add(.released, message: job.message)
        case (_, .held) where stage != .held: add(.held, message: job.message)
        case (.sending, .waiting), (.following, .waiting):
            add(next.isUnconfirmed && !isUnconfirmed ? .unconfirmed : .waiting, message: job.message)
        default: break
        }
        return steps
    }

    /// What is to be stored of the steps that lead to `status`: those that the job's row tells of then, and those that
    /// get rows of their own, which are all from the first one on that is none of the plain way. `hasRows`: whether
    /// earlier ones have.
    func way(
        to status: JobStatus, at now: Timestamp, hasRows: () throws -> Bool
    ) rethrows -> (plain: PlainSteps, rows: [JobStep]) {
        let (steps, next) = (steps(to: status, at: now), JobStanding(status))
        var after = plain
        // The row tells of them by its printer, and by the name that the job has there.
        let isTold =
            plain.isEmpty || (printer == next.printer && (plain.acceptedAt == nil || remoteJob == next.remoteJob))
        let isPlain = isTold && steps.allSatisfy { after.take($0, printer: next.printer, remoteJob: next.remoteJob) }
        if isPlain, try steps.isEmpty || !plain.isEmpty || !hasRows() { return (after, []) }
        return (PlainSteps(), plain.steps(printer: printer, remoteJob: remoteJob) + steps)
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

    private static let selectStanding = """
        SELECT stage, state, state_reasons, attempts, is_unconfirmed, is_cancel_requested, \(PlainSteps.columns)
        FROM job WHERE id = ?
        """

    /// What is stored of the job's way; nil where there is no such job.
    static func standing(of id: Job.ID, in db: Database) throws -> JobStanding? {
        var statement = try DirectStatement(selectStanding, in: db)
        try statement.bind(id)
        guard try statement.next() else { return nil }
        // What a damaged row told of the way is lost with it, and no reason to lose what is to be stored now.
        return try? JobStanding(reading: &statement)
    }

    /// Whether steps of the job have rows of their own.
    static func hasSteps(_ id: Job.ID, in db: Database) throws -> Bool {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM job_step WHERE job_id = ? LIMIT 1"), arguments: [id]) != nil
    }

    /// Stores a step in a row of its own, behind those that the job's row has told of until now. Called inside the
    /// commit that stores what the step is about.
    static func append(_ step: JobStep, to id: Job.ID, in db: Database) throws {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT \(PlainSteps.columns) FROM job WHERE id = ? AND first_sent_at IS NOT NULL"
            ), arguments: [id])
        if let row {
            // Those of a damaged row are lost, and no reason to lose this one.
            for step in (try? PlainSteps.steps(in: row)) ?? [] { try insert(step, of: id, in: db) }
            try db.execute(
                sql: "UPDATE job SET (\(PlainSteps.ownColumns)) = (NULL, NULL, NULL) WHERE id = ?", arguments: [id])
        }
        try insert(step, of: id, in: db)
    }

    static func insert(_ step: JobStep, of id: Job.ID, in db: Database) throws {
        let last = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT max(number) FROM job_step WHERE job_id = ?"), arguments: [id])
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
            let plain = try Row.fetchOne(
                db, sql: "SELECT \(PlainSteps.columns) FROM job WHERE id = ?", arguments: [id])
            do throws(EngineError) {
                if let plain { steps = try PlainSteps.steps(in: plain) }
            } catch {
                damage = error
            }
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
    /// Reads the columns of `selectStanding`; nil where a value is none of this version.
    fileprivate init?(reading statement: inout DirectStatement) throws(EngineError) {
        guard let stage = try statement.integer().flatMap({ JobStage.Stored(rawValue: Int(clamping: $0)) }),
            let state = try statement.text().flatMap(JobState.init(rawValue:)),
            let reasons = try statement.text(), let attempts = try statement.integer(),
            let isUnconfirmed = try statement.integer(), let isCancelRequested = try statement.integer()
        else { return nil }
        self.init(
            stage: stage, state: state, reasons: reasons,
            printer: try statement.text().flatMap(PrinterID.init(rawValue:)),
            attempts: Int(clamping: attempts), remoteJob: try statement.text(),
            isUnconfirmed: isUnconfirmed != 0, isCancelRequested: isCancelRequested != 0,
            plain: try PlainSteps(reading: &statement)
        )
    }
}

extension Job {
    /// The step of its end; nil before.
    var lastStep: JobStep? {
        let kind: JobStep.Kind
        switch state {
        case .completed: kind = .completed
        case .canceled: kind = .canceled
        case .aborted: kind = .aborted
        case .pending, .pendingHeld, .processing, .processingStopped: return nil
        }
        return JobStep(
            kind, at: completedAt ?? createdAt, printer: printer, evidence: evidence,
            message: message ?? (stateReasons.isEmpty ? nil : stateReasons.joined(separator: " "))
        )
    }
}
