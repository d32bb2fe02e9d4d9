public import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// Prints a final job's document again, with its ticket, as a new job that names its origin: where the first one
    /// was sent, or to `printer` and no other. On disk when it returns. A document that is prepared for its printer is
    /// marked as a copy where the first may be on paper.
    ///
    /// The same idempotency key for the same job and printer returns the job that it made before. Throws
    /// `job-not-found`, `job-not-reprintable`, `document-not-kept`, and what `submit` throws; `job-forbidden` where the
    /// first one is not `requester`'s. The new job is theirs, and their rights are what counts for it.
    public func reprint(
        _ id: Int64, to printer: PrinterID? = nil, idempotencyKey: String? = nil, caller: String? = nil,
        by requester: Requester = .program
    ) async throws -> Job {
        var request = JobRequest(
            name: "reprint", idempotencyKey: idempotencyKey, caller: caller, rights: requester.rights,
            owner: requester.user, ownerName: requester.name)
        try checkTexts(of: request)
        let key = try self.idempotencyKey(
            of: request, content: ContentDigest.hexadecimal(of: Array("reprint \(id) \(printer?.rawValue ?? "")".utf8))
        )
        // Also where the first job is no longer known.
        if let key, let known = try await store.job(under: key) { return try await job(known) }
        guard let origin = try await store.job(id) else { return try await job(id) }
        try requester.check(origin.job, doing: "print it again")
        guard origin.stage == .done else { throw try await notFinal(id) }
        request.name = origin.job.name
        // Operators print in others' names.
        request.user = requester.isOperator ? origin.job.user : requester.name ?? origin.job.user
        request.ticket = origin.job.ticket
        (request.role, request.printer) = target(of: origin, printer)
        request.format = origin.job.format
        try checkAcceptable(request)
        try await checkRights(of: requester, toPrint: origin, for: request.role)
        let records = try destinations(of: request).map { destination in
            var job = job(for: request, origin.job.format, origin.job.documentLength, destination)
            job.origin = id
            job.remarks = origin.job.remarks
            var record = JobRecord(job: job, destination: destination)
            record.isCopy = origin.mayBeOnPaper
            return record
        }
        return try await stored(records, .kept(of: id, otherwise: documentNotKept(origin.job)), key).job
    }

    /// A role that does not name the printer has no say in where it goes.
    private func target(of origin: JobRecord, _ printer: PrinterID?) -> (RoleName?, PrinterID?) {
        guard let printer = printer ?? (origin.destination.isPinned ? origin.job.printer : nil) else {
            return (origin.job.role, nil)
        }
        let isItsOwn = origin.job.role.flatMap { snapshot.role($0) }?.printers.contains(printer) == true
        return (isItsOwn ? origin.job.role : nil, printer)
    }

    private func notFinal(_ id: Int64) async throws -> EngineError {
        let job = try await job(id)
        let advice =
            job.state == .pendingHeld
            ? "print it with: kioskctl release \(id), or end it with: kioskctl cancel \(id)"
            : "wait for its end with: kioskctl job \(id) --wait, or end it with: kioskctl cancel \(id)"
        return EngineError(.jobNotReprintable, "job \(id) is \(job.state.rawValue), not final yet; \(advice)")
    }

    private func documentNotKept(_ job: Job) -> EngineError {
        let keep = retention(of: job.role)
        let whose = job.role.map { "of the role \"\($0)\"" } ?? "without a role"
        let howLong =
            keep.effectiveDocuments == 0
            ? "are not kept behind their end"
            : "are kept for \(Self.period(keep.effectiveDocuments)), the newest \(keep.effectiveSize / 1_000_000) MB of them"
        return EngineError(
            .documentNotKept,
            "the document of job \(job.id) is no longer kept: documents \(whose) \(howLong); print it from where it came from, and see \"keep\" in printers.yaml"
        )
    }

    private static func period(_ seconds: Int) -> String {
        for (length, name) in [(86_400, "day"), (3600, "hour"), (60, "minute")] where seconds.isMultiple(of: length) {
            return "\(seconds / length) \(name)\(seconds == length ? "" : "s")"
        }
        return "\(seconds) seconds"
    }
}
