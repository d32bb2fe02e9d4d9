public import KioskPrintModel
import KioskPrinterRegistry
import Logging

// MARK: Submission

extension PrintEngine {
    /// Returns what receives a document before it is submitted; nothing of it is printed or kept until then.
    ///
    /// If the request has an idempotency key, the document is read to its end even where the disk cannot store it: the
    /// request may have been accepted before.
    public nonisolated func makeIntake(for request: JobRequest? = nil) -> DocumentIntake {
        DocumentIntake(
            spool: spool, inlineLimit: configuration.inlineDocumentLength, limit: configuration.maximumDocumentLength,
            mayBeRepeat: request?.idempotencyKey != nil,
            noteFailure: { [storage] error in storage.note(error) }
        )
    }

    /// Refuses what would be refused in any case, before a document is read. Throws `EngineError`.
    ///
    /// A request whose idempotency key is known is let through: its job may have been accepted while its role still had
    /// printers, and `submit` returns it.
    public func check(_ request: JobRequest) async throws {
        try AcceptanceRules.checkTexts(of: request)
        do {
            try checkAcceptable(request)
        } catch {
            guard let key = idempotencyKey(of: request, content: ""), try await store.knows(key) else { throw error }
        }
    }

    private func checkAcceptable(_ request: JobRequest) throws {
        guard !isShuttingDown else {
            throw EngineError(.shuttingDown, "the engine is shutting down; send the job again in a moment")
        }
        // What is in a damaged queue may not be there at the next start.
        if let damage = storage.damage { throw damage }
        try rules.check(request, activeJobs: jobs.count, maximum: configuration.maximumActiveJobs)
    }

    /// The rules as the registry and the printers are now.
    var rules: AcceptanceRules { AcceptanceRules(registry: registry.snapshot, board: board) }

    /// Accepts a job. When this returns, the job is on disk and will survive a crash or a power cut.
    ///
    /// The same idempotency key with the same content returns the job that it made before, as it is now.
    /// Throws `EngineError`; then nothing was stored.
    public func submit(_ request: JobRequest, document: ReceivedDocument) async throws -> Job {
        do {
            return try await accept(request, document)
        } catch {
            spool.remove(document)
            throw error
        }
    }

    /// Accepts a job, and returns it as `wait(for:timeout:endedBy:)` does. One call instead of two: whoever waits does
    /// not come back to the engine while it is busy with the job's attempt.
    package func submit(
        _ request: JobRequest, document: ReceivedDocument, settledWithin timeout: Duration, endedBy end: WaitEnd
    ) async throws -> Job {
        let job = try await submit(request, document: document)
        return job.isSettled ? job : try await wait(for: job.id, timeout: timeout, endedBy: end)
    }

    /// Accepts a job whose document lies in memory.
    public func submit(_ request: JobRequest, bytes: [UInt8]) async throws -> Job {
        let intake = makeIntake(for: request)
        try await intake.append(bytes)
        return try await submit(request, document: intake.finish())
    }

    private func accept(_ request: JobRequest, _ document: ReceivedDocument) async throws -> Job {
        let begin = ContinuousClock.now
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
        try AcceptanceRules.checkTexts(of: request)
        let checked: CheckedDocument?
        do {
            try checkAcceptable(request)
            try await documentCheck.checkRaw(document, format, request.rights)
            checked = try await documentCheck.check(
                document, as: format, with: rules.checkedTicket(of: request, format), rights: request.rights,
                for: rules.preparationTargets(of: request))
            try await documentCheck.checkPages(
                of: document, known: checked?.pages, as: format, with: rules.checkedTicket(of: request, format),
                limit: request.role.flatMap { registry.role($0) }?.pageLimit)
        } catch let error as EngineError {
            return try await known(under: key, insteadOf: error, document)
        }
        let remarks = checked?.remarks.prefix(Self.maximumRemarks).map(\.description) ?? []
        let records: [JobRecord]
        do {
            records = try rules.records(for: request, format, document.length, at: clock.now()) { record in
                if !remarks.isEmpty { record.life.remark(remarks) }
                record.life.notePages(checked?.pages)
                record.documentFile = document.fileName
                if let doubt = request.doubt { record.life.begin(inDoubt: doubt) }
            }
        } catch let error as EngineError {
            return try await known(under: key, insteadOf: error, document)
        }
        do {
            if let failure = document.failure { throw failure }
            let outcome = try await store(records, .new(document), key, checked, since: begin)
            if outcome.isRepeated { spool.remove(document) }
            return outcome.job
        } catch let error as EngineError where error.isAboutStorage {
            return try await known(under: key, insteadOf: error, document)
        }
    }

    /// A handful helps; hundreds are one mistake, made often.
    private static let maximumRemarks = 20

    private func idempotencyKey(
        of request: JobRequest, content: @autoclosure () throws -> String
    ) rethrows -> IdempotencyKey? {
        try request.idempotencyKey.map { key in
            IdempotencyKey(caller: request.caller ?? "", key: key, contentDigest: try content(), now: clock.now())
        }
    }

    /// The job that the same request made before, where it cannot make one now.
    private func known(
        under key: IdempotencyKey?, insteadOf error: any Error, _ document: ReceivedDocument
    ) async throws -> Job {
        guard let key, let known = try await store.job(under: key) else { throw error }
        let job = try await job(known)
        spool.remove(document)
        return job
    }

    /// Stores the jobs of one request, or finds what its key made before; returns the first.
    private func store(
        _ records: [JobRecord], _ document: JobStore.Acceptance.Source, _ key: IdempotencyKey?,
        _ checked: CheckedDocument? = nil, since begin: ContinuousClock.Instant = .now
    ) async throws -> (job: Job, isRepeated: Bool) {
        var records = records
        let printers = records.indices.compactMap { claimPrinter(for: &records[$0]) }
        let sum = clockChanges.total
        // The time in which the write takes its place in the queue: the clock may have been set since the request came.
        var key = key
        key?.now = clock.now()
        let outcome: JobStore.AcceptanceOutcome
        do {
            outcome = try await store.accept(
                JobStore.Acceptance(records: records, document: document, key: key),
                whenStored: { [storage] in storage.noteSuccess() })
        } catch {
            if let error = error as? EngineError { storage.note(error) }
            printers.forEach(giveBack)
            throw error
        }
        switch outcome {
        case .accepted(let stored):
            // Its row has the new time where the clock was set meanwhile, and so does it here.
            let records = stored.map { clockChanges.present($0, since: sum) }
            for record in records { admit(record, document, checked, since: begin) }
            guard records[0].stage == .doubtful else { return (records[0].job, false) }
            for record in records {
                await UnresolvedJobs.decide(record.job.id, because: record.job.message ?? "", for: self)
            }
            return (try await job(records[0].job.id), false)
        case .repeated(let id):
            printers.forEach(giveBack)
            trace.repeated(id)
            return (try await job(id), true)
        }
    }

    /// Where a printer would get the job at once, it is stored as being sent to it: one commit instead of two.
    private func claimPrinter(for record: inout JobRecord) -> PrinterID? {
        guard mayBegin, record.stage == .waiting, let printer = board.claim(for: record.waiting()) else { return nil }
        var claimed = record
        guard let saved = board.printers[printer]?.saved, advance(&claimed, .routed) == .nothing,
            case let isSentPerCopy = board.sendsDocumentPerCopy(of: claimed.job, on: printer),
            advance(&claimed, .began(saved, sendsDocumentPerCopy: isSentPerCopy)) == .send
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

    /// The job is on disk: it may be printed from now on.
    private func admit(
        _ record: JobRecord, _ document: JobStore.Acceptance.Source, _ checked: CheckedDocument?,
        since begin: ContinuousClock.Instant
    ) {
        let id = record.job.id
        switch document {
        case .new(let stored): jobs.add(record, document: stored.bytes, checked, isRestored: false, at: begin)
        case .kept: jobs.add(record, document: nil, nil, isRestored: true, at: begin)
        }
        hub.publish(.jobCreated, job: record.job)
        trace.accepted(record.life.status)
        measurements.accepted(record, since: begin)
        // Whoever stored it decides about it.
        guard record.stage != .doubtful else { return }
        guard record.stage == .contacting, let printer = record.job.printer else { return enqueue(id) }
        board.settleClaim(on: printer, for: id)
        guard !isShuttingDown else {
            // Nothing was sent, and the next start is to know it.
            if apply(.interrupted(nil), to: id) == .queue, let job = jobs[id] { writer.save(job.record) }
            return
        }
        deliver(id, to: printer)
    }
}

// MARK: Questions

extension PrintEngine {
    /// The job as it is now. Throws `job-not-found`.
    public func job(_ id: Int64) async throws -> Job {
        if let job = jobs[id] { return job.shown }
        guard let record = try await reading({ try await $0.job(id) }) else {
            throw EngineError(.jobNotFound, "there is no job \(id); list them with: kioskctl jobs")
        }
        return jobs[id]?.shown ?? record.job
    }

    /// The job that a caller made under an idempotency key, as it is now; nil where the key leads to none.
    public func job(underKey key: String, of caller: String) async throws -> Job? {
        let key = IdempotencyKey(caller: caller, key: key, contentDigest: "", now: clock.now())
        guard let id = try await reading({ try await $0.job(underAnyContentOf: key) }) else { return nil }
        return try await job(id)
    }

    /// The job of a number, as it is now, where a caller made it under a key like this; nil where there is none, or its
    /// key leads to it no more.
    package func job(
        _ id: Int64, of caller: String, underKeyWhere isKey: @Sendable (String) -> Bool
    ) async throws -> Job? {
        var record = jobs[id]?.record
        if record == nil { record = try await reading { try await $0.job(id) } }
        guard let record, let key = record.key, key.caller == caller, isKey(key.key) else { return nil }
        return jobs[id]?.shown ?? record.job
    }

    /// Jobs that match, newest first.
    public func jobs(_ filter: JobFilter = JobFilter()) async throws -> [Job] {
        var stored = filter
        // What a delivery does just now is never stored, so of a job on its way only the engine knows whether it is
        // stopped.
        if let states = filter.states, !states.isDisjoint(with: Self.statesOnTheWay) {
            stored.states = states.union(Self.statesOnTheWay)
        }
        var found: [Job] = []
        while found.count < filter.limit {
            let page = try await reading { try await $0.jobs(stored) }
            if let damage = page.damage { storage.note(damage) }
            found += page.jobs.map(shownNow).filter { filter.states?.contains($0.state) ?? true }
            guard let last = page.last else { break }
            stored.before = last
        }
        return Array(found.prefix(filter.limit))
    }

    private static let statesOnTheWay: Set<JobState> = [.processing, .processingStopped]

    private func shownNow(_ job: Job) -> Job {
        guard let active = jobs[job.id], active.job.state == job.state else { return job }
        return active.shown
    }

    /// Every step of a job, with its times and evidence. Throws `job-not-found`.
    public func timeline(of id: Int64) async throws -> JobTimeline {
        let job = try await job(id)
        let stored = try await reading { try await $0.steps(of: id) }
        if let damage = stored.damage { storage.note(damage) }
        let accepted = JobStep(.accepted, at: job.createdAt, job: job.origin)
        return JobTimeline(
            job: id, steps: [accepted] + stored.steps + [job.lastStep].compactMap { $0 },
            omitted: stored.omitted > 0 ? stored.omitted : nil, requestID: job.requestID
        )
    }

    /// Reads the queue; the health check shows a disk that does not give it back.
    private func reading<Value>(_ read: (JobStore) async throws -> Value) async throws -> Value {
        do {
            return try await read(store)
        } catch let error as EngineError {
            storage.note(error)
            throw error
        }
    }

    /// The job once it is settled, or as it is when the time is up or the engine stops.
    public func wait(for id: Int64, timeout: Duration) async throws -> Job {
        try await wait(for: id, timeout: timeout, endedBy: WaitEnd())
    }

    /// The same, and as it is when whoever asked ends the wait.
    package func wait(for id: Int64, timeout: Duration, endedBy end: WaitEnd) async throws -> Job {
        guard let active = jobs[id] else {
            let job = try await job(id)
            // Stored by a request that runs at the same time, which has not put it on the board yet.
            guard !job.isSettled, !isShuttingDown, !end.hasCome, timeout > .zero else { return job }
            try await clock.sleep(.milliseconds(1))
            return try await wait(for: id, timeout: timeout - .milliseconds(1), endedBy: end)
        }
        if active.stage == .held { return active.job }
        if let job = await waiters.wait(for: id, until: .now + timeout, endedBy: end) { return job }
        return try await job(id)
    }

    /// Trims the history now.
    func trimHistory() async throws { try await history.trim() }
}

// MARK: Cancel, release, reprint

extension PrintEngine {
    /// Stops a job. A waiting one is canceled at once; for one that is on a printer the printer is told, and the job is
    /// returned as it is meanwhile. Never waits for a printer. Throws `job-not-found` or `job-not-cancelable`; and a
    /// storage error where the job is canceled, and a new start would not know it; `job-forbidden` where it is not
    /// `requester`'s.
    public func cancel(_ id: Int64, by requester: Requester = .program) async throws -> Job {
        try await requester.check(job(id), doing: "cancel it")
        guard let active = jobs[id], !active.isSettling, let decision = apply(.cancelRequested, to: id) else {
            let job = try await job(id)
            throw EngineError(.jobNotCancelable, "job \(id) is \(job.state.rawValue) already")
        }
        if decision == .stop { return try await stop(active, requester) }
        board.remove(id, from: active.record.destination)
        // Where it is not on disk, its end is written as soon as there is room.
        if let error = await close(id, next: nil) { throw error }
        return try await job(id)
    }

    private func stop(_ active: ActiveJob, _ requester: Requester) async throws -> Job {
        let record = active.record
        let mark = writer.handIn(record)
        if record.stage.isOnItsWay { active.monitor?.cancel() }
        if let remoteJob = record.job.remoteJob ?? active.monitor?.remoteJob, let name = record.job.printer,
            let printer = board.printers[name]?.saved, let transport = transports[printer.url.scheme],
            // A printer that refuses our login learns of it when it is next asked about the job: each request is
            // another failed login.
            requester.isOperator || contacts.heldBack(name, at: clock.now()) == nil
        {
            active.requestCancel(as: remoteJob, on: printer, over: transport, trace, logger)
        }
        do {
            try await writer.stored(mark)
        } catch {
            storage.note(error, doing: "store the job")
            throw error
        }
        return record.job
    }

    /// Prints a job again that is held because its fate is unknown. Throws `job-not-found` or
    /// `job-not-held`; `job-forbidden` where it is not `requester`'s, and `document-forbidden` where its document is
    /// one that they may not have printed.
    public func release(_ id: Int64, by requester: Requester = .program) async throws -> Job {
        try await requester.check(job(id), doing: "release it")
        if let held = jobs[id], held.stage == .held {
            try await checkRights(of: requester, toPrint: held.record, for: held.job.role)
        }
        let held = jobs[id]?.record
        guard let active = jobs[id], let held, held.stage == .held,
            apply(.released(by: requester.name), to: id) == .queue
        else {
            let job = try await job(id)
            throw EngineError(.jobNotHeld, "job \(id) is not held; it is \(job.state.rawValue)")
        }
        active.noteRelease(at: clock.now())
        let sum = clockChanges.total
        do {
            try await writer.saveDurably(active.record)
        } catch {
            // Meanwhile somebody may have canceled it; what is final stays so.
            if active.stage == .waiting, active.attempt == nil {
                active.revert(to: clockChanges.present(held, since: sum))
                trace.reverted(active.record.life.status)
            }
            throw error
        }
        guard active.stage == .waiting, active.attempt == nil else { return try await job(id) }
        enqueue(id)
        return try await job(id)
    }

    /// Ends a job as completed that is held because its fate is unknown: `requester` has seen it on paper, and the job's
    /// message says so. Throws `job-not-found` or `job-not-held`; `job-forbidden` where it is not `requester`'s; and a
    /// storage error where the job has ended, and a new start would not know it.
    public func confirm(_ id: Int64, by requester: Requester = .program) async throws -> Job {
        try await requester.check(job(id), doing: "say that it came out")
        guard let active = jobs[id], active.stage == .held, !active.isSettling,
            apply(.confirmed(by: requester.name), to: id) == .settle
        else {
            let job = try await job(id)
            throw EngineError(.jobNotHeld, "job \(id) is not held; it is \(job.state.rawValue)")
        }
        if let error = await close(id, next: nil) { throw error }
        return try await job(id)
    }

    /// Prints a final job's document again, with its ticket, as a new job that names its origin: where the first one
    /// was sent, or to `printer` and no other. On disk when it returns. A document that is prepared for its printer is
    /// marked as a copy where the first may be on paper.
    ///
    /// The same idempotency key for the same job and printer returns the job that it made before. Throws
    /// `job-not-found`, `job-not-reprintable`, `document-not-kept`, and what `submit` throws; `job-forbidden` where the
    /// first one is not `requester`'s. The new job is theirs, and their rights are what counts for it.
    public func reprint(
        _ id: Int64, to printer: PrinterID? = nil, idempotencyKey: String? = nil, caller: String? = nil,
        by requester: Requester = .program, requestID: String? = nil
    ) async throws -> Job {
        var request = JobRequest(
            name: "reprint", idempotencyKey: idempotencyKey, caller: caller, rights: requester.rights,
            owner: requester.owner, ownerName: requester.name, requestID: requestID)
        try AcceptanceRules.checkTexts(of: request)
        let key = try self.idempotencyKey(
            of: request, content: ContentDigest.hexadecimal(of: Array("reprint \(id) \(printer?.rawValue ?? "")".utf8))
        )
        // Also where the first job is no longer known.
        if let key, let known = try await store.job(under: key) { return try await job(known) }
        guard let origin = try await store.job(id) else { return try await job(id) }
        try requester.check(origin.job, doing: "print it again")
        guard origin.stage == .done else { throw EngineError.notFinal(try await job(id)) }
        guard origin.job.ticket.jobPasswordEncryption == nil else {
            throw EngineError(
                .jobNotReprintable,
                "job \(id) had a job-password, which is not stored beyond its end; send its document again with one")
        }
        guard origin.job.ticket.documentPassword == nil else {
            throw EngineError(
                .jobNotReprintable,
                "job \(id) had a document-password, which is not stored beyond its end; send its document again with one"
            )
        }
        rules.complete(&request, toReprint: origin, on: printer, by: requester)
        try checkAcceptable(request)
        try await checkRights(of: requester, toPrint: origin, for: request.role)
        if let limit = request.role.flatMap({ registry.role($0) })?.pageLimit, let pages = origin.job.pages,
            pages > limit
        {
            throw EngineError(.pageLimitExceeded, PageLimit.message(pages: pages, limit: limit))
        }
        let records = try rules.records(toReprint: origin, as: request, at: clock.now())
        let refusal = EngineError.documentNotKept(origin.job, registry.retention(of: origin.job.role))
        return try await store(records, .kept(of: id, otherwise: refusal), key).job
    }

    private func checkRights(of requester: Requester, toPrint record: JobRecord, for role: RoleName?) async throws {
        try await documentCheck.checkRights(
            of: requester, toPrint: record, isDrawerOpenToAll: registry.role(role)?.defaults.drawer == true)
    }

    // MARK: Expiry

    /// Cancels waiting jobs when they stop being worth printing.
    func expireLoop() async {
        while !Task.isCancelled {
            followClock()
            let now = clock.now()
            for id in board.expired(at: now) { await expire(id) }
            await UnresolvedJobs.endUnanswered(at: now, for: self)
            do { try await clock.sleep(.seconds(1)) } catch { return }
        }
    }

    private func expire(_ id: Int64) async {
        // Looked up each time: while the one before was stored, an operator may have let it be printed after all.
        guard let active = jobs[id], active.stage == .waiting, active.job.expiresAt <= clock.now() else { return }
        board.remove(id, from: active.record.destination)
        await carryOut(apply(.expired, to: id), for: id, leaving: nil)
    }
}
