import KioskPrintModel
import Logging

/// The jobs that are not final, by number. Owned by the engine.
struct JobTable {
    private var jobs: [Int64: ActiveJob] = [:]
    private var cachedDocumentBytes = 0

    subscript(id: Int64) -> ActiveJob? { jobs[id] }

    var count: Int { jobs.count }

    /// The jobs, unordered.
    var all: some Collection<ActiveJob> { jobs.values }

    /// The jobs' numbers, unordered.
    var ids: [Int64] { Array(jobs.keys) }

    /// Adds a job of an earlier run.
    mutating func restore(_ record: JobRecord) {
        jobs[record.job.id] = ActiveJob(record: record, isRestored: true)
    }

    /// Adds a job that was just accepted. `document`: its small document, which is kept in memory while there is room,
    /// with what its check read. `begin`: when its document had come.
    mutating func add(
        _ record: JobRecord, document: [UInt8]?, _ checked: CheckedDocument?, isRestored: Bool,
        at begin: ContinuousClock.Instant
    ) {
        var document = document
        if let bytes = document {
            if cachedDocumentBytes + bytes.count <= Self.documentCacheLimit {
                cachedDocumentBytes += bytes.count
            } else {
                document = nil
            }
        }
        jobs[record.job.id] = ActiveJob(
            record: record, isRestored: isRestored, document: document, checked: document == nil ? nil : checked,
            acceptedAt: begin)
    }

    /// Removes a job whose final state is on disk.
    mutating func remove(_ id: Int64) -> ActiveJob? {
        guard let job = jobs.removeValue(forKey: id) else { return nil }
        if let document = job.document { cachedDocumentBytes -= document.count }
        return job
    }

    /// The bytes of recent small documents that are kept in memory, so that a receipt is not read back from the
    /// database.
    private static let documentCacheLimit = 4 << 20
}

/// A job that is not final, and what runs on its behalf. `JobTable` holds it; its record changes by its own methods
/// alone.
final class ActiveJob {
    private(set) var record: JobRecord
    /// Whether its document was stored long ago, by an earlier run or for the job that it prints again: the document is
    /// verified before it is sent.
    let isRestored: Bool
    /// The document of a small job that was accepted lately; any other is read when it is needed.
    let document: [UInt8]?
    /// What its check read, for its preparation.
    let checked: CheckedDocument?
    /// When its document had come, by the clock that never jumps; nil for a job of an earlier run.
    private(set) var acceptedAt: ContinuousClock.Instant?
    /// The printers that will never print it.
    private(set) var refusedBy: Set<PrinterID> = []
    /// What the last printer that refused it said.
    private(set) var refusal: String?
    /// Delivers, resumes or follows it.
    var attempt: AttemptHandle?
    /// Watches its attempt.
    var monitor: DeliveryMonitor?
    /// Tells the printer to cancel it; the value says whether the printer agreed.
    private(set) var cancellation: Task<Bool, Never>?
    /// It waits to be printed again, and is offered to no printer meanwhile.
    var isPausedBeforeReprint = false
    /// The number of queries in a row that its printer did not answer.
    var unansweredQueries = 0
    /// When an operator let it be printed again, in this run.
    private(set) var releasedAt: Timestamp?
    /// The printer of its last attempt, and how many copies were made before that.
    private var lastAttempt: (printer: PrinterID, copies: Int)?

    init(
        record: JobRecord, isRestored: Bool = false, document: [UInt8]? = nil, checked: CheckedDocument? = nil,
        acceptedAt: ContinuousClock.Instant? = nil
    ) {
        self.record = record
        self.isRestored = isRestored
        self.document = document
        self.checked = checked
        self.acceptedAt = acceptedAt
        if acceptedAt == nil, record.job.attempts > 0, let printer = record.job.printer {
            lastAttempt = (printer, copiesMade)
        }
    }

    private var copiesMade: Int { record.life.status.copiesMade?.count ?? 0 }

    var id: Int64 { record.job.id }
    var job: Job { record.job }
    var stage: JobStage { record.stage }

    /// Whether the final state is on its way to the disk.
    var isSettling: Bool { record.stage == .done }

    /// The job as everybody sees it.
    var shown: Job { record.shown(in: monitor) }

    /// The same, once: what happens to it after an operator's decision is no measure of the engine.
    func takeAcceptedAt() -> ContinuousClock.Instant? { acceptedAt.take() }

    /// What routing knows of the job.
    var waiting: WaitingJob { record.waiting(refusedBy: refusedBy) }

    /// Takes in what happened. Throws `IllegalTransition`; then the job is as it was.
    func handle(_ event: JobEvent, in circumstances: JobCircumstances) throws(IllegalTransition) -> JobDecision {
        try record.life.handle(event, in: circumstances)
    }

    /// Notes that it is sent to a printer. Returns the printer of the attempt that this one repeats; nil for the first
    /// attempt, and for the first one of each copy.
    func noteAttempt(on printer: PrinterID) -> PrinterID? {
        defer { lastAttempt = (printer, copiesMade) }
        guard let lastAttempt, lastAttempt.copies == copiesMade else { return nil }
        return lastAttempt.printer
    }

    /// Notes that an operator let it be printed again.
    func noteRelease(at now: Timestamp) { releasedAt = now }

    /// Notes that a printer will never print it, and what that printer said.
    func refuse(by printer: PrinterID, _ message: String) {
        refusedBy.insert(printer)
        refusal = message
    }

    /// Tells the printer to cancel its job, without waiting for it.
    func requestCancel(
        as remoteJob: RemoteJob, on printer: SavedPrinter, over transport: any Transport, _ trace: EngineTrace,
        _ logger: Logger
    ) {
        var remoteJob = remoteJob
        remoteJob.origin = remoteJob.origin ?? RemoteJob.Origin(user: job.user)
        cancellation = Task { [remoteJob, id, fields = job.logFields, earlier = cancellation] in
            // A printer that agreed is not asked twice: the job may be gone by then.
            if await earlier?.value == true { return true }
            do {
                try await transport.cancel(remoteJob, on: printer.target)
                trace.agreedToCancel(printer, id, as: remoteJob)
                return true
            } catch {
                trace.cancelFailed(printer, id, error)
                logger.warning(
                    "\(printer.id) could not be told to cancel its job \(remoteJob.identifier.withoutControlCharacters): \(error)",
                    metadata: fields)
                return false
            }
        }
    }

    func remark(_ remarks: [String]) { record.life.remark(remarks) }

    /// Notes how many pages come out of the printer that gets it now.
    func notePages(_ pages: Int?) { record.life.notePages(pages) }

    func clockMoved(by duration: Duration) {
        record.life.clockMoved(by: duration)
        releasedAt = releasedAt?.advanced(by: duration)
    }

    func pause(until end: Timestamp) { record.life.pause(until: end) }

    /// Takes back a change that could not be stored.
    func revert(to record: JobRecord) { self.record = record }
}

extension Job {
    /// What a line of the log about the job tells apart from its words.
    var logFields: Logger.Metadata {
        var fields: Logger.Metadata = ["job": "\(id)"]
        if let role { fields["role"] = "\(role)" }
        if let printer { fields["printer"] = "\(printer)" }
        if let requestID { fields["request-id"] = "\(requestID)" }
        return fields
    }
}

extension JobRecord {
    func waiting(refusedBy: Set<PrinterID> = []) -> WaitingJob {
        WaitingJob(
            id: job.id, destination: destination, copiedFor: job.group == nil ? nil : job.role, format: job.format,
            priority: job.ticket.priority ?? 50, expiresAt: job.expiresAt, refusedBy: refusedBy)
    }
}

/// The delay before the next try: doubled with each failure in a row, up to a maximum.
struct ExponentialBackoff: Hashable, Sendable {
    let first: Duration
    let maximum: Duration

    /// `failures`: how many there were before the last one.
    func after(_ failures: Int) -> Duration { min(first * (1 << min(max(failures, 0), 10)), maximum) }
}

/// The jobs that wait until their documents can be prepared; meanwhile they are offered to no printer. Owned by the
/// engine: `AttemptFailureHandler` adds to them, and the dispatch takes them out.
struct PreparationRetries {
    private var waiting: Set<Int64> = []
    /// The number of preparations in a row that failed through no fault of the document.
    private var failures: [Int64: Int] = [:]

    private static let delay = ExponentialBackoff(first: .milliseconds(500), maximum: .seconds(10))

    /// Notes that a job waits; returns for how long, and whether its preparation failed for the first time in a row.
    mutating func noteFailure(of job: Int64) -> (isFirst: Bool, delay: Duration) {
        let count = failures[job, default: 0]
        failures[job] = count + 1
        waiting.insert(job)
        return (count == 0, Self.delay.after(count))
    }

    /// Notes that a job was prepared; returns those that wait, in order.
    mutating func noteSuccess(of job: Int64) -> [Int64] {
        failures[job] = nil
        return waiting.sorted()
    }

    /// Whether the job still waited; from now on it does not.
    mutating func begin(_ job: Int64) -> Bool { waiting.remove(job) != nil }

    /// Forgets a job that is final.
    mutating func forget(_ job: Int64) {
        waiting.remove(job)
        failures[job] = nil
    }
}
