import PrintModel

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
    /// with what its check read.
    mutating func add(_ record: JobRecord, document: [UInt8]?, _ checked: CheckedDocument?, isRestored: Bool) {
        var document = document
        if let bytes = document {
            if cachedDocumentBytes + bytes.count <= Self.documentCacheLimit {
                cachedDocumentBytes += bytes.count
            } else {
                document = nil
            }
        }
        jobs[record.job.id] = ActiveJob(
            record: record, isRestored: isRestored, document: document, checked: document == nil ? nil : checked)
    }

    /// Removes a job whose final state is on disk.
    mutating func remove(_ id: Int64) -> ActiveJob? {
        guard let job = jobs.removeValue(forKey: id) else { return nil }
        if let document = job.document { cachedDocumentBytes -= document.count }
        return job
    }

    /// In bytes: recent small documents are kept in memory up to this sum, so that a receipt is not read back from the
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
    /// The printers that will never print it.
    private(set) var refusedBy: Set<PrinterID> = []
    /// What the last printer that refused it said.
    private(set) var refusal: String?
    /// Delivers, resumes or follows it.
    var task: Task<Void, Never>?
    /// Watches its attempt.
    var monitor: DeliveryMonitor?
    /// Tells the printer to cancel it; the value says whether the printer agreed.
    var cancellation: Task<Bool, Never>?
    /// The number of preparations in a row that failed through no fault of the document.
    var failedPreparations = 0
    /// The number of queries in a row that its printer did not answer.
    var unansweredQueries = 0

    init(
        record: JobRecord, isRestored: Bool = false, document: [UInt8]? = nil, checked: CheckedDocument? = nil
    ) {
        self.record = record
        self.isRestored = isRestored
        self.document = document
        self.checked = checked
    }

    var id: Int64 { record.job.id }
    var job: Job { record.job }
    var stage: JobStage { record.stage }

    /// Whether the final state is on its way to the disk.
    var isSettling: Bool { record.stage == .done }

    /// The job as everybody sees it.
    var shown: Job { record.shown(in: monitor) }

    /// What routing knows of the job.
    var waiting: WaitingJob { record.waiting(refusedBy: refusedBy) }

    /// Takes in what happened. Throws `IllegalTransition`; then the job is as it was.
    func handle(_ event: JobEvent, in circumstances: JobCircumstances) throws(IllegalTransition) -> JobDecision {
        try record.life.handle(event, in: circumstances)
    }

    /// Notes that a printer will never print it, and what that printer said.
    func refuse(by printer: PrinterID, _ message: String) {
        refusedBy.insert(printer)
        refusal = message
    }

    func remark(_ remarks: [String]) { record.life.remark(remarks) }

    func clockMoved(by duration: Duration) { record.life.clockMoved(by: duration) }

    /// Takes back a change that could not be stored.
    func revert(to record: JobRecord) { self.record = record }
}

extension JobRecord {
    func waiting(refusedBy: Set<PrinterID> = []) -> WaitingJob {
        WaitingJob(
            id: job.id, destination: destination, copiedFor: job.group == nil ? nil : job.role, format: job.format,
            priority: job.ticket.priority ?? 50, expiresAt: job.expiresAt, refusedBy: refusedBy)
    }
}
