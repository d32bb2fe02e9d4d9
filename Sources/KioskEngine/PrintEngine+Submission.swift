public import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// A place to stream a document into before it is submitted; nothing of it is printed or kept until then.
    ///
    /// For a request with an idempotency key it is read to its end also where the disk takes nothing: the request may
    /// have been taken before.
    public nonisolated func makeIntake(for request: JobRequest? = nil) -> DocumentIntake {
        DocumentIntake(
            spool: spool, inlineLimit: configuration.inlineDocumentLength, limit: configuration.maximumDocumentLength,
            mayBeKnown: request?.idempotencyKey != nil,
            noteFailure: { [weak self] error in await self?.noteStorage(error) }
        )
    }

    /// Refuses what would be refused in any case, before a document is read. Throws `EngineError`.
    ///
    /// A request whose idempotency key is known is let through: its job may have been taken while its role still had
    /// printers, and `submit` returns it.
    public func check(_ request: JobRequest) async throws {
        try checkTexts(of: request)
        do {
            try checkAcceptable(request)
        } catch {
            guard let key = idempotencyKey(of: request, content: ""), try await store.knows(key) else { throw error }
        }
    }

    func checkAcceptable(_ request: JobRequest) throws {
        guard !isShuttingDown else {
            throw EngineError(.shuttingDown, "the engine is shutting down; send the job again in a moment")
        }
        // What is in a damaged queue may not be there at the next start.
        if let storageProblem, storageProblem.code == .storageDamaged { throw storageProblem }
        let problems = request.ticket.problems
        guard problems.isEmpty else {
            throw EngineError(.ticketInvalid, "the ticket is refused: \(problems.joined(separator: "; "))")
        }
        let destinations = try destinations(of: request)
        if let format = request.format {
            guard request.rights.contains(.rawDocuments) || !format.isAlwaysRaw else {
                throw EngineError.rawDocument(format)
            }
            for destination in destinations {
                try checkPrintable(format, at: destination, copiedFor: request.printer == nil ? request.role : nil)
            }
        }
        guard active.count + destinations.count <= configuration.maximumActiveJobs else {
            throw EngineError(
                .tooManyJobs, "\(active.count) jobs wait already; see why with the health check, or cancel some")
        }
    }

    /// Takes a job. When this returns, the job is on disk and will survive a crash or a power cut.
    ///
    /// The same idempotency key with the same content returns the job that it made before, as it is now.
    /// Throws `EngineError`; then nothing was stored.
    public func submit(_ request: JobRequest, document: StoredDocument) async throws -> Job {
        do {
            return try await accept(request, document)
        } catch {
            spool.remove(document)
            throw error
        }
    }

    /// Takes a job whose document lies in memory.
    public func submit(_ request: JobRequest, bytes: [UInt8]) async throws -> Job {
        let intake = makeIntake(for: request)
        try await intake.append(bytes)
        return try await submit(request, document: intake.finish())
    }

    private func accept(_ request: JobRequest, _ document: StoredDocument) async throws -> Job {
        guard document.length > 0 else {
            throw EngineError(.emptyDocument, "the document is empty; send at least one byte")
        }
        guard let format = request.format ?? DocumentFormat.detected(in: document.firstBytes) else {
            throw EngineError(
                .formatUnknown, "the document's format is not known; name it as a media type, such as text/plain")
        }
        var request = request
        request.format = format
        let key = try idempotencyKey(of: request, content: "\(request.contentKey()) \(document.digest)")
        try checkTexts(of: request)
        if let known = try await refusedOrKnown(request, key) {
            spool.remove(document)
            return known
        }
        let remarks: [String]?
        do {
            try await checkRaw(document, format, request.rights)
            remarks = try await self.remarks(on: document, as: format, of: request)
        } catch let error as EngineError {
            let known = try await known(under: key, insteadOf: error)
            spool.remove(document)
            return known
        }
        let records = try destinations(of: request).map { destination in
            var job = job(for: request, format, document.length, destination)
            job.remarks = remarks
            var record = JobRecord(job: job, destination: destination)
            record.documentFile = document.fileName
            return record
        }
        do {
            if let failure = document.failure { throw failure }
            let outcome = try await stored(records, .new(document), key)
            if outcome.isRepeated { spool.remove(document) }
            return outcome.job
        } catch let error as EngineError where error.isAboutStorage {
            let known = try await known(under: key, insteadOf: error)
            spool.remove(document)
            return known
        }
    }

    func idempotencyKey(of request: JobRequest, content: @autoclosure () throws -> String) rethrows -> IdempotencyKey? {
        try request.idempotencyKey.map { key in
            IdempotencyKey(caller: request.caller ?? "", key: key, contentDigest: try content(), now: clock.now())
        }
    }

    /// Nil for a request that may be accepted; the job for one that would be refused now and was accepted before.
    func refusedOrKnown(_ request: JobRequest, _ key: IdempotencyKey?) async throws -> Job? {
        do {
            try checkAcceptable(request)
            return nil
        } catch {
            return try await known(under: key, insteadOf: error)
        }
    }

    /// The job that the same request made before, where it cannot make one now.
    private func known(under key: IdempotencyKey?, insteadOf error: any Error) async throws -> Job {
        guard let key, let known = try await store.job(under: key) else { throw error }
        return try await job(known)
    }

    /// Stores the jobs of one request, or finds what its key made before; returns the first.
    func stored(
        _ records: [JobRecord], _ document: JobStore.Acceptance.Source, _ key: IdempotencyKey?
    ) async throws -> (job: Job, isRepeated: Bool) {
        var records = records
        let printers = records.indices.compactMap { claimPrinter(for: &records[$0]) }
        let moves = clockMoves
        do {
            switch try await stored(JobStore.Acceptance(records: records, document: document, key: key)) {
            case .accepted(let stored):
                // Its row is told in the new time where the clock was set meanwhile, and so it is here.
                let records = stored.map { inPresentTime($0, since: moves) }
                for record in records { admit(record, document: document) }
                return (records[0].job, false)
            case .repeated(let id):
                printers.forEach(giveBack)
                return (try await job(id), true)
            }
        } catch {
            printers.forEach(giveBack)
            throw error
        }
    }

    /// Where a printer would get the job at once, it is stored as being sent to it: one commit instead of two.
    private func claimPrinter(for record: inout JobRecord) -> PrinterID? {
        guard mayBegin, let printer = board.claim(for: ActiveJob(record: record).waiting()) else { return nil }
        var claimed = record
        guard let saved = board.printers[printer]?.saved, advance(&claimed, .routed) == .nothing,
            advance(&claimed, .began(saved)) == .send
        else {
            board.settleClaim(on: printer, for: nil)
            return nil
        }
        record = claimed
        return printer
    }

    private func giveBack(_ printer: PrinterID) {
        board.settleClaim(on: printer, for: nil)
        dispatch(printer)
    }

    private func stored(_ acceptance: JobStore.Acceptance) async throws -> JobStore.AcceptanceOutcome {
        do {
            let outcome = try await store.accept(acceptance)
            storageWorks()
            return outcome
        } catch let error as EngineError {
            noteStorage(error)
            throw error
        }
    }

    func job(
        for request: JobRequest, _ format: DocumentFormat, _ length: Int64, _ destination: WaitingJob.Destination
    ) -> Job {
        let role = request.role.flatMap { snapshot.role($0) }
        let ticket = role.map { request.ticket.filled(from: $0.defaults) } ?? request.ticket
        let now = clock.now()
        let expiry = ticket.expiresAfter ?? role?.effectiveExpiry ?? Self.expiryWithoutRole
        var printer: PrinterID?
        if case .printer(let id) = destination { printer = id }
        var job = Job(
            id: 0, name: request.name, role: request.role, printer: printer, user: request.user ?? request.ownerName,
            format: format,
            documentLength: length, ticket: ticket, createdAt: now, expiresAt: now.advanced(bySeconds: expiry)
        )
        job.owner = request.owner
        return job
    }

    /// A day, like a role without an expiry of its own.
    private static let expiryWithoutRole = 86_400

    /// The job is on disk: it may be printed from now on.
    private func admit(_ record: JobRecord, document: JobStore.Acceptance.Source) {
        var entry = ActiveJob(record: record)
        if case .new(let stored) = document, case .bytes(let bytes) = stored.body,
            cachedDocumentBytes + bytes.count <= Self.documentCacheBound
        {
            cachedDocumentBytes += bytes.count
            entry.document = bytes
        }
        if case .kept = document { entry.isRestored = true }
        active[record.job.id] = entry
        hub.publish(.jobCreated, job: record.job)
        if record.stage == .contacting, let printer = record.job.printer {
            board.settleClaim(on: printer, for: record.job.id)
            guard !isShuttingDown else {
                // Nothing was sent, and the next start is to know it.
                if tell(record.job.id, .interrupted(nil)) == .queue, let waiting = active[record.job.id]?.record {
                    save(waiting)
                }
                return
            }
            active[record.job.id]?.task = Task { await deliver(record.job.id, to: printer) }
        } else {
            enqueue(record.job.id)
        }
    }

    /// Recent small documents are kept in memory up to this sum of bytes, so that a receipt is not read back from the
    /// database.
    private static let documentCacheBound = 4 << 20

    // MARK: Checks

    func checkTexts(of request: JobRequest) throws {
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

    func destination(of request: JobRequest) throws -> WaitingJob.Destination {
        if let name = request.role {
            guard let role = snapshot.role(name) else {
                let known = snapshot.roles.map(\.name.rawValue).joined(separator: ", ")
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
            if let printer = request.printer, !role.printers.contains(printer) {
                throw EngineError(.unknownPrinter, "the role \"\(name)\" does not name the printer \"\(printer)\"")
            }
        }
        guard let printer = request.printer else {
            guard let role = request.role else {
                throw EngineError(.noDestination, "the job names neither a role nor a printer; name one of them")
            }
            return .role(role)
        }
        guard snapshot.printer(printer) != nil else {
            throw EngineError(
                .unknownPrinter, "there is no printer \"\(printer)\"; list them with: kioskctl printers list")
        }
        return .printer(printer)
    }

    /// Where the request's jobs go: one job, or one for each printer of a role that prints on all of them.
    func destinations(of request: JobRequest) throws -> [WaitingJob.Destination] {
        let destination = try destination(of: request)
        guard case .role(let name) = destination, let role = snapshot.role(name), role.policy == .all else {
            return [destination]
        }
        return role.printers.map { .printer($0) }
    }

    /// Refuses a job that no candidate will ever print, as far as is known now. A copy of a group has its role's job
    /// type.
    func checkPrintable(
        _ format: DocumentFormat, at destination: WaitingJob.Destination, copiedFor roleName: RoleName? = nil
    ) throws {
        if case .printer(let id) = destination, let role = roleName.flatMap({ snapshot.role($0) }), role.policy == .all,
            let needed = role.jobType, let state = board.printers[id], state.supports(needed) == false
        {
            throw EngineError(
                .jobTypeUnsupported,
                "the role \"\(role.name)\" prints on all of its printers, and \(Self.jobTypesInWords(state)), not \(needed); take it out of the role, or override its job types"
            )
        }
        let probe = WaitingJob(
            id: 0, destination: destination, format: format, priority: 50,
            expiresAt: Timestamp(millisecondsSince1970: .max)
        )
        guard board.choice(for: probe) == .impossible else { return }
        let candidates = board.names(of: destination).compactMap { board.printers[$0] }
        if case .role(let name) = destination, let needed = snapshot.role(name)?.jobType {
            guard candidates.contains(where: { $0.supports(needed) != false }) else {
                throw EngineError(
                    .jobTypeUnsupported,
                    "no printer of the role \"\(name)\" does the job type \(needed): \(candidates.map(Self.jobTypesInWords).joined(separator: "; ")); assign another printer, or override its job types"
                )
            }
        }
        guard !board.isPrepared(format) else {
            throw EngineError(
                .formatUnsupported,
                "\(candidates.map(\.saved.id.rawValue).joined(separator: ", ")): no printer there is known to print receipts; name its profile in printers.yaml, such as profile: generic-80mm"
            )
        }
        let formats = Set(candidates.flatMap { $0.description?.formats ?? [] }).map(\.mimeType).sorted()
        throw EngineError(
            .formatUnsupported, "no printer there takes \(format); they take \(formats.joined(separator: ", "))"
        )
    }

    private static func jobTypesInWords(_ state: DispatchBoard.PrinterState) -> String {
        let types = state.saved.jobTypes ?? state.profileJobTypes ?? state.description?.jobTypes
        return "\(state.saved.id) does \(types.map { $0.isEmpty ? "none" : $0.description } ?? "unknown ones")"
    }
}

extension JobRequest {
    /// Everything but the document that makes two requests the same.
    fileprivate func contentKey() throws -> String {
        let parts = [
            role?.rawValue, printer?.rawValue, name, user, format?.mimeType, try TicketColumn.text(of: ticket),
        ]
        return try ContentDigest.hexadecimal(of: Array(parts.map { $0 ?? "" }.joined(separator: "\u{0}").utf8))
    }
}
