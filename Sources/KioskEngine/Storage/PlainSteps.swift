import GRDB
import KioskPrintModel

/// The steps of the plain way, sent once and accepted once: most receipts have no others.
///
/// They are told by the job's own row, which is written anyway. They get rows of table `job_step`, with pages of their
/// own to write, only once there is another step.
struct PlainSteps: Hashable, Sendable {
    private(set) var sentAt: Timestamp?
    private(set) var acceptedAt: Timestamp?
    private(set) var acceptedEvidence: Evidence?

    init() {}

    /// Reads the columns of a row of table `job`.
    init(row: Row) throws(EngineError) {
        sentAt = try row.value("first_sent_at", as: Int64?.self).map(Timestamp.init(millisecondsSince1970:))
        acceptedAt = try row.value("first_accepted_at", as: Int64?.self).map(Timestamp.init(millisecondsSince1970:))
        acceptedEvidence = try row.value("first_accepted_evidence", as: String?.self).flatMap(Evidence.init(rawValue:))
    }

    /// The columns that nothing else uses.
    static let ownColumns = "first_sent_at, first_accepted_at, first_accepted_evidence"
    /// All that the steps are told from.
    static let columns = "printer, remote_job, \(ownColumns)"

    /// Reads `ownColumns`, which come next.
    init(reading statement: inout DirectStatement) throws(EngineError) {
        sentAt = try statement.integer().map(Timestamp.init(millisecondsSince1970:))
        acceptedAt = try statement.integer().map(Timestamp.init(millisecondsSince1970:))
        acceptedEvidence = try statement.text().flatMap(Evidence.init(rawValue:))
    }

    /// Binds the values of `ownColumns`.
    func bind(to statement: inout DirectStatement) throws {
        try statement.bind(sentAt?.millisecondsSince1970)
        try statement.bind(acceptedAt?.millisecondsSince1970)
        try statement.bind(acceptedEvidence?.rawValue)
    }

    var isEmpty: Bool { sentAt == nil }

    /// Takes in the next step of a job with this printer, which calls it so. False, and nothing is changed, where it is
    /// none of the plain way.
    mutating func take(_ step: JobStep, printer: PrinterID?, remoteJob: String?) -> Bool {
        var next = self
        switch step.kind {
        case .sending where isEmpty: next.sentAt = step.time
        case .acceptedByPrinter where !isEmpty && acceptedAt == nil:
            (next.acceptedAt, next.acceptedEvidence) = (step.time, step.evidence)
        default: return false
        }
        guard next.steps(printer: printer, remoteJob: remoteJob).last == step else { return false }
        self = next
        return true
    }

    /// The same steps as they are told of.
    func steps(printer: PrinterID?, remoteJob: String?) -> [JobStep] {
        guard let sentAt else { return [] }
        let sending = JobStep(.sending, at: sentAt, printer: printer, attempt: 1)
        guard let acceptedAt, let remoteJob else { return [sending] }
        let accepted = JobStep(
            .acceptedByPrinter, at: acceptedAt, printer: printer, evidence: acceptedEvidence,
            message: Self.message(remoteJob))
        return [sending, accepted]
    }

    /// The printer's own name of a job, in words.
    static func message(_ remoteJob: String) -> String { "as its job \(remoteJob)" }

    /// The steps that a job's row tells of.
    static func steps(in row: Row) throws(EngineError) -> [JobStep] {
        try PlainSteps(row: row).steps(
            printer: row.value("printer", as: String?.self).flatMap(PrinterID.init(rawValue:)),
            remoteJob: row.value("remote_job"))
    }
}
