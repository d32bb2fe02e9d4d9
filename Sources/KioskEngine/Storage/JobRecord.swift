import FoundationEssentials
import GRDB
import PrintModel

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
    var mayBeOnPaper: Bool { isCopy || job.isUnconfirmed || job.bytesSent > 0 }
}

extension JobRecord {
    /// Reads a row of table `job`; throws `storage-damaged` when a value in it is none that we write.
    init(row: Row) throws(EngineError) {
        let id = try row.value("id", as: Int64.self)
        func checked<Value>(_ column: String, _ value: Value?) throws(EngineError) -> Value {
            guard let value else { throw .damagedRow("a value that is none of column \(column)", of: id) }
            return value
        }
        func number(_ column: String, upTo most: Int64) throws(EngineError) -> Int64 {
            let value = try row.value(column, as: Int64.self)
            return try checked(column, (0...most).contains(value) ? value : nil)
        }
        func moment(_ column: String, upTo most: Int64 = latestMoment) throws(EngineError) -> Timestamp? {
            guard let value = try row.value(column, as: Int64?.self) else { return nil }
            return try checked(
                column, (-latestMoment...most).contains(value) ? Timestamp(millisecondsSince1970: value) : nil)
        }
        func text(_ column: String) throws(EngineError) -> String? { try row.value(column) }
        var job = Job(
            id: id,
            name: try row.value("name"),
            role: try text("role").flatMap(RoleName.init(rawValue:)),
            printer: try text("printer").flatMap(PrinterID.init(rawValue:)),
            user: try text("user"),
            format: try checked("format", DocumentFormat(row.value("format"))),
            documentLength: try number("document_length", upTo: largestNumber),
            ticket: try checked("ticket", try? TicketColumn.ticket(of: text("ticket"))),
            createdAt: try checked("created_at", moment("created_at")),
            expiresAt: try checked("expires_at", moment("expires_at", upTo: .max))
        )
        job.state = try checked("state", JobState(rawValue: row.value("state")))
        job.stateReasons = try row.value("state_reasons", as: String.self).split(separator: " ").map(String.init)
        job.message = try text("message")
        job.evidence = try text("evidence").flatMap(Evidence.init(rawValue:))
        job.isUnconfirmed = try row.value("is_unconfirmed")
        job.bytesSent = try number("bytes_sent", upTo: largestNumber)
        job.attempts = Int(try number("attempts", upTo: largestNumber))
        job.remoteJob = try text("remote_job").map(RemoteJob.init(identifier:))
        job.processingAt = try moment("processing_at")
        job.completedAt = try moment("completed_at")
        job.owner = try row.value("owner", as: Int64?.self).map { (owner) throws(EngineError) in
            try checked("owner", UInt32(exactly: owner))
        }
        job.origin = try row.value("origin")
        job.group = try text("job_group").map { $0.split(separator: " ").compactMap { Int64($0) } }
        job.remarks = try text("remarks").map { $0.split(separator: "\n").map(String.init) }
        let isPinned = try row.value("is_pinned", as: Bool.self)
        let destination: WaitingJob.Destination? =
            isPinned ? job.printer.map { .printer($0) } : job.role.map { .role($0) }
        var status = JobStatus(job: job, isPinned: isPinned)
        status.stage = try checked("stage", JobStage.Stored(rawValue: row.value("stage"))).atStart
        status.reprints = Int(try number("reprints", upTo: largestNumber))
        status.sentAt = try moment("sent_at")
        status.sentTo = try text("sent_to").map { (url) throws(EngineError) in
            try checked("sent_to", try? PrinterURL(url))
        }
        status.isCancelRequested = try row.value("is_cancel_requested")
        self.init(life: JobLife(restoring: status), destination: try checked("role", destination))
        documentFile = try text("document_file")
        isCopy = try row.value("is_copy")
        documentDigest = try text("document_digest")
        if let key = try text("idempotency_key") {
            self.key = IdempotencyKey(
                caller: try text("caller") ?? "", key: key, contentDigest: try text("content_digest"),
                now: job.createdAt)
        }
    }
}

/// In milliseconds since 1970 or before it, some 280,000 years: nobody reckons with a time that is further off, and
/// sums of such stay what an integer holds.
private let latestMoment: Int64 = 1 << 53
/// A count, or a length in bytes, that leaves room for sums.
private let largestNumber: Int64 = 1 << 50

/// A ticket as a JSON column; NULL for the empty one, which most receipts have.
enum TicketColumn {
    static func text(of ticket: Ticket) throws -> String? {
        guard ticket != Ticket() else { return nil }
        return String(decoding: try JSONEncoder().encode(ticket), as: UTF8.self)
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
            throw .damagedRow("a value that is none of column \(column)")
        }
    }
}

extension EngineError {
    /// A row in the queue that cannot be what was written.
    static func damagedRow(_ what: String, of job: Int64? = nil) -> EngineError {
        let whose = job.map { "job \($0) in the queue" } ?? "the queue"
        return EngineError(
            .storageDamaged,
            "\(whose) has \(what); the next start of kioskd, which comes by itself, sets its file aside and recovers what can be read"
        )
    }
}
