internal import FoundationEssentials
internal import GRDB
internal import PrintModel

extension JobRecord {
    /// Reads a row of table `job`; throws `storage-damaged` when a value in it is none that we write.
    init(row: Row) throws {
        func column<Value>(_ name: String, _ value: Value?) throws -> Value {
            guard let value else {
                throw EngineError(.storageDamaged, "job \(row["id"] as Int64? ?? 0) in the queue has a damaged column \(name)")
            }
            return value
        }
        func moment(_ name: String) -> Timestamp? {
            (row[name] as Int64?).map(Timestamp.init(millisecondsSince1970:))
        }
        var job = Job(
            id: row["id"],
            name: row["name"],
            role: (row["role"] as String?).flatMap(RoleName.init(rawValue:)),
            printer: (row["printer"] as String?).flatMap(PrinterID.init(rawValue:)),
            user: row["user"],
            format: try column("format", DocumentFormat(row["format"])),
            documentLength: row["document_length"],
            ticket: try TicketColumn.ticket(of: row["ticket"]),
            createdAt: try column("created_at", moment("created_at")),
            expiresAt: try column("expires_at", moment("expires_at"))
        )
        job.state = try column("state", JobState(rawValue: row["state"]))
        job.stateReasons = (row["state_reasons"] as String).split(separator: " ").map(String.init)
        job.message = row["message"]
        job.evidence = (row["evidence"] as String?).flatMap(Evidence.init(rawValue:))
        job.isUnconfirmed = row["is_unconfirmed"]
        job.bytesSent = row["bytes_sent"]
        job.attempts = row["attempts"]
        job.remoteJob = (row["remote_job"] as String?).map(RemoteJob.init(identifier:))
        job.processingAt = moment("processing_at")
        job.completedAt = moment("completed_at")
        job.origin = row["origin"]
        job.group = (row["job_group"] as String?).map { $0.split(separator: " ").compactMap { Int64($0) } }
        let destination: WaitingJob.Destination? =
            row["is_pinned"] ? job.printer.map { .printer($0) } : job.role.map { .role($0) }
        var facts = JobFacts(job: job, isPinned: row["is_pinned"])
        facts.stage = try column("stage", JobStage.Stored(rawValue: row["stage"])).atStart
        facts.reprints = row["reprints"]
        facts.sentAt = moment("sent_at")
        facts.sentTo = try (row["sent_to"] as String?).map { try PrinterURL($0) }
        facts.isCancelRequested = row["is_cancel_requested"]
        self.init(life: JobLife(restoring: facts), destination: try column("role", destination))
        documentFile = row["document_file"]
        documentDigest = row["document_digest"]
    }
}

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
