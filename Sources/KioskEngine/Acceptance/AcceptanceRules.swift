import KioskPrintModel
import KioskPrinterRegistry

/// Turns a request, also one to reprint, into the records of its jobs: rejects what may not or cannot be printed, finds
/// the destinations, and fills in the role's defaults. Stores nothing and reads no document. A snapshot of the registry
/// and of the `DispatchBoard`, made for each call. The dispatch checks jobs that wait once more by `checkPrintable`.
struct AcceptanceRules {
    let registry: Registry
    let board: DispatchBoard

    /// Refuses names and keys that no interface could show or send on.
    static func checkTexts(of request: JobRequest) throws {
        for (what, text) in [("name", request.name), ("user", request.user ?? "")] {
            guard !text.hasControlCharacters, text.utf8.count <= 1023 else {
                throw EngineError(
                    .nameInvalid, "the job's \(what) holds control characters or more than 1,023 bytes; send plain text"
                )
            }
        }
        guard !request.name.isEmpty else { throw EngineError(.nameInvalid, "the job has no name; give it one") }
        if let key = request.idempotencyKey {
            guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw EngineError(.idempotencyKeyInvalid, "an idempotency key is 1 to 255 visible ASCII characters")
            }
        }
    }

    /// Refuses what would be refused in any case. `activeJobs`: how many there are already, of at most `maximum`.
    func check(_ request: JobRequest, activeJobs: Int, maximum: Int) throws {
        let problems = request.ticket.problems
        guard problems.isEmpty else {
            throw EngineError(.ticketInvalid, "the ticket is refused: \(problems.joined(separator: "; "))")
        }
        let destinations = try destinations(of: request)
        try checkAge(of: request)
        if let format = request.format {
            guard request.rights.contains(.rawDocuments) || !format.isAlwaysRaw else {
                throw EngineError.rawDocument(format)
            }
            for destination in destinations {
                try checkPrintable(format, at: destination, copiedFor: request.printer == nil ? request.role : nil)
            }
        }
        for destination in destinations { try checkTicket(request, at: destination) }
        guard activeJobs + destinations.count <= maximum else {
            throw EngineError(
                .tooManyJobs, "\(activeJobs) jobs wait already; see why with the health check, or cancel some")
        }
    }

    /// The places where the request's jobs wait: one, or one for each printer of a role that prints on all of them.
    func destinations(of request: JobRequest) throws -> [WaitingJob.Destination] {
        let destination = try destination(of: request)
        guard case .role(let name) = destination, let role = registry.role(name), role.policy == .all else {
            return [destination]
        }
        return role.printers.map { .printer($0) }
    }

    private func destination(of request: JobRequest) throws -> WaitingJob.Destination {
        if let name = request.role { try check(name, with: request.printer) }
        guard let printer = request.printer else {
            guard let role = request.role else {
                throw EngineError(.noDestination, "the job names neither a role nor a printer; name one of them")
            }
            return .role(role)
        }
        guard registry.printer(printer) != nil else {
            throw EngineError(
                .unknownPrinter, "there is no printer \"\(printer)\"; list them with: kioskctl printers list")
        }
        return .printer(printer)
    }

    private func check(_ name: RoleName, with printer: PrinterID?) throws {
        guard let role = registry.role(name) else {
            let known = registry.roles.map(\.name.rawValue).joined(separator: ", ")
            throw EngineError(
                .unknownRole,
                "there is no role \"\(name)\"; \(known.isEmpty ? "none is saved yet" : "saved are \(known)"); assign one with: kioskctl roles assign \(name) PRINTER"
            )
        }
        guard !role.printers.isEmpty else {
            throw EngineError(
                .roleWithoutPrinters,
                "the role \"\(name)\" has no printers; assign one with: kioskctl roles assign \(name) PRINTER"
            )
        }
        if let printer, !role.printers.contains(printer) {
            throw EngineError(.unknownPrinter, "the role \"\(name)\" does not name the printer \"\(printer)\"")
        }
    }

    /// Refuses a job that no candidate will ever print, as far as is known now. `roleName`: the role whose job type a
    /// copy for one of its printers has.
    func checkPrintable(
        _ format: DocumentFormat, at destination: WaitingJob.Destination, copiedFor roleName: RoleName? = nil
    ) throws {
        if case .printer(let id) = destination, let role = roleName.flatMap({ registry.role($0) }), role.policy == .all,
            let needed = role.jobType, let state = board.printers[id], state.supports(needed) == false
        {
            throw EngineError(
                .jobTypeUnsupported,
                "the role \"\(role.name)\" prints on all of its printers, and \(Self.jobTypes(of: state)), not \(needed); take it out of the role, or override its job types"
            )
        }
        let probe = WaitingJob(
            id: 0, destination: destination, format: format, priority: 50,
            expiresAt: Timestamp(millisecondsSince1970: .max)
        )
        guard board.choice(for: probe) == .impossible else { return }
        let candidates = board.names(of: destination).compactMap { board.printers[$0] }
        if case .role(let name) = destination, let needed = registry.role(name)?.jobType {
            guard candidates.contains(where: { $0.supports(needed) != false }) else {
                throw EngineError(
                    .jobTypeUnsupported,
                    "no printer of the role \"\(name)\" does the job type \(needed): \(candidates.map(Self.jobTypes).joined(separator: "; ")); assign another printer, or override its job types"
                )
            }
        }
        guard !board.isPrepared(format) else {
            let names = candidates.map(\.saved.id.rawValue).joined(separator: ", ")
            let problem =
                format.isReceipt
                ? "no printer there is known to print receipts; name its profile in printers.yaml, such as profile: generic-80mm"
                : "no printer there accepts \(format) or is known to print pages; name its profile in printers.yaml, such as profile: generic-pcl"
            throw EngineError(.formatUnsupported, "\(names): \(problem)")
        }
        let formats = Set(candidates.flatMap { $0.description?.formats ?? [] }).map(\.mimeType).sorted()
        throw EngineError(
            .formatUnsupported, "no printer there accepts \(format); they accept \(formats.joined(separator: ", "))"
        )
    }

    /// The ticket that a document is checked with: with the role's defaults, by which its pages are planned. A receipt is
    /// checked with what the caller asks for, who needs no right for what the role does.
    func checkedTicket(of request: JobRequest, _ format: DocumentFormat) -> Ticket {
        guard !format.isReceipt, let role = request.role.flatMap({ registry.role($0) }) else { return request.ticket }
        return request.ticket.filled(from: role.defaults)
    }

    /// Refuses a ticket that each candidate is known to refuse.
    private func checkTicket(_ request: JobRequest, at destination: WaitingJob.Destination) throws {
        let role = request.role.flatMap { registry.role($0) }
        let ticket = role.map { request.ticket.filled(from: $0.defaults) } ?? request.ticket
        var refusals: [String] = []
        for id in board.names(of: destination) where board.printers.index(forKey: id) != nil {
            // A role may have a thousand printers, of which the first takes nearly every ticket.
            let asked = board.rendersPages(of: request.format, with: ticket, for: id) ? ticket.besidesPages : ticket
            guard let refusal = board.printers[id]?.description?.ticketSupport?.refusal(of: asked) else { return }
            refusals.append("\(id) \(refusal)")
        }
        guard !refusals.isEmpty else { return }
        throw EngineError(.ticketUnsupported, "the ticket cannot be met: \(refusals.joined(separator: "; "))")
    }

    private static func jobTypes(of state: DispatchBoard.PrinterState) -> String {
        let types = state.saved.jobTypes ?? state.profileJobTypes ?? state.description?.jobTypes
        return "\(state.saved.id) does \(types.map { $0.isEmpty ? "none" : $0.description } ?? "unknown ones")"
    }
}

// MARK: - Jobs of a request

extension AcceptanceRules {
    /// The printers that the request's document may be prepared for; none where it is not prepared.
    func preparationTargets(of request: JobRequest) throws -> [PreparationTarget] {
        guard let format = request.format, board.isPrepared(format) else { return [] }
        return try destinations(of: request).flatMap { board.names(of: $0) }.compactMap {
            board.printers[$0]?.preparationTarget
        }
    }

    /// The jobs that a request becomes, one for each destination. `length`: its document's, in bytes.
    func records(
        for request: JobRequest, _ format: DocumentFormat, _ length: Int64, at now: Timestamp,
        completing complete: (inout JobRecord) -> Void
    ) throws -> [JobRecord] {
        try destinations(of: request).map { destination in
            var record = JobRecord(job: job(for: request, format, length, destination, now), destination: destination)
            complete(&record)
            return record
        }
    }

    /// The jobs that print the document of `origin` again.
    func records(toReprint origin: JobRecord, as request: JobRequest, at now: Timestamp) throws -> [JobRecord] {
        try destinations(of: request).map { destination in
            var job = job(for: request, origin.job.format, origin.job.documentLength, destination, now)
            job.origin = origin.job.id
            job.remarks = origin.job.remarks
            job.pages = origin.job.pages
            var record = JobRecord(job: job, destination: destination)
            record.isCopy = origin.mayBeOnPaper
            return record
        }
    }

    /// Fills in what a request to print `origin` again takes over from it. `printer`: the one that is asked for.
    func complete(
        _ request: inout JobRequest, toReprint origin: JobRecord, on printer: PrinterID?, by requester: Requester
    ) {
        request.name = origin.job.name
        // Operators print in others' names.
        request.user = requester.isOperator ? origin.job.user : requester.name ?? origin.job.user
        request.ticket = origin.job.ticket
        request.format = origin.job.format
        (request.role, request.printer) = (origin.job.role, nil)
        guard let printer = printer ?? (origin.destination.isPinned ? origin.job.printer : nil) else { return }
        // A role that does not name the printer does not decide where the copy goes.
        let isItsOwn = origin.job.role.flatMap { registry.role($0) }?.printers.contains(printer) == true
        (request.role, request.printer) = (isItsOwn ? origin.job.role : nil, printer)
    }

    private func job(
        for request: JobRequest, _ format: DocumentFormat, _ length: Int64, _ destination: WaitingJob.Destination,
        _ now: Timestamp
    ) -> Job {
        let role = request.role.flatMap { registry.role($0) }
        var ticket = role.map { request.ticket.filled(from: $0.defaults) } ?? request.ticket
        // It tells that there was a PIN, once that is no longer stored. The transport chooses among what the printer takes.
        if ticket.jobPassword != nil, ticket.jobPasswordEncryption == nil {
            ticket.jobPasswordEncryption = Ticket.anyEncryption
        }
        let expiry = expiry(of: ticket, role)
        var printer: PrinterID?
        if case .printer(let id) = destination { printer = id }
        var job = Job(
            id: 0, name: request.name, role: request.role, printer: printer, user: request.user ?? request.ownerName,
            format: format, documentLength: length, ticket: ticket, createdAt: now,
            expiresAt: now.advanced(bySeconds: expiry - max(0, request.age)))
        job.owner = request.owner
        job.requestID = request.requestID
        return job
    }

    /// Refuses a job that is over already.
    private func checkAge(of request: JobRequest) throws {
        guard request.age > 0 else { return }
        let role = request.role.flatMap { registry.role($0) }
        guard expiry(of: role.map { request.ticket.filled(from: $0.defaults) } ?? request.ticket, role) > request.age
        else {
            throw EngineError(
                .jobExpired, "the job expired on its way; send it with a longer expires-after, or as a new job")
        }
    }

    /// Seconds from its beginning to its end. `ticket`: with the role's defaults.
    private func expiry(of ticket: Ticket, _ role: Role?) -> Int {
        ticket.expiresAfter ?? role?.effectiveExpiry ?? Self.expiryWithoutRole
    }

    /// Seconds: a day, like a role that names no expiry.
    private static let expiryWithoutRole = 86_400
}
