import Logging
public import PrintModel

extension PrintEngine {
    /// The job as it is now. Throws `job-not-found`.
    public func job(_ id: Int64) async throws -> Job {
        if let entry = active[id] { return entry.shown }
        guard let record = try await noting({ try await $0.job(id) }) else {
            throw EngineError(.jobNotFound, "there is no job \(id); list them with: kioskctl jobs")
        }
        return active[id]?.shown ?? record.job
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
            let page = try await noting { try await $0.jobs(stored) }
            if let damage = page.damage { noteStorage(damage) }
            found += page.jobs.map(shownNow).filter { filter.states?.contains($0.state) ?? true }
            guard let last = page.last else { break }
            stored.before = last
        }
        return Array(found.prefix(filter.limit))
    }

    private static let statesOnTheWay: Set<JobState> = [.processing, .processingStopped]

    private func shownNow(_ job: Job) -> Job {
        guard let entry = active[job.id], entry.record.job.state == job.state else { return job }
        return entry.shown
    }

    /// Reads what is stored; health tells of a disk that does not give it back.
    func noting<Value>(_ read: (JobStore) async throws -> Value) async throws -> Value {
        do {
            return try await read(store)
        } catch let error as EngineError {
            noteStorage(error)
            throw error
        }
    }

    /// The job once it is settled, or as it is when the time is up or the engine stops.
    public func wait(for id: Int64, timeout: Duration) async throws -> Job {
        guard let entry = active[id] else {
            let job = try await job(id)
            // Stored by a request that runs at the same time, which has not put it on the board yet.
            guard !job.isSettled, !isShuttingDown, timeout > .zero else { return job }
            try await clock.sleep(.milliseconds(1))
            return try await wait(for: id, timeout: timeout - .milliseconds(1))
        }
        if entry.record.job.isSettled, !entry.isSettling, entry.record.stage == .held { return entry.record.job }
        tickSoon()
        if let job = await waiters.wait(for: id, until: .now + timeout) { return job }
        return try await job(id)
    }

    /// Stops a job. A waiting one is canceled at once; for one that is on a printer the printer is told, and the job is
    /// returned as it is meanwhile. Never waits for a printer. Throws `job-not-found` or `job-not-cancelable`; and a
    /// storage error where the job is canceled, and a new start would not know it; `job-forbidden` where it is not
    /// `requester`'s.
    public func cancel(_ id: Int64, by requester: Requester = .program) async throws -> Job {
        try await requester.check(job(id), doing: "cancel it")
        guard let entry = active[id], !entry.isSettling, let decision = tell(id, .cancelRequested) else {
            let job = try await job(id)
            throw EngineError(.jobNotCancelable, "job \(id) is \(job.state.rawValue) already")
        }
        if decision == .stop, let stopping = active[id] { return try await stop(id, stopping, requester) }
        board.remove(id, from: entry.record.destination)
        await close(id, next: nil)
        // Its end is written as soon as there is room.
        if active[id] != nil, let storageProblem { throw storageProblem }
        return try await job(id)
    }

    private func stop(_ id: Int64, _ entry: ActiveJob, _ requester: Requester) async throws -> Job {
        let record = entry.record
        let mark = handIn(record)
        if record.stage.isOnItsWay { entry.progress?.cancel() }
        if let remoteJob = record.job.remoteJob ?? entry.progress?.remoteJob, let name = record.job.printer,
            let printer = board.printers[name]?.saved, let transport = transports[printer.url.scheme],
            // A printer that refuses our login learns of it when it is next asked about the job: each request is
            // another failed login.
            requester.isOperator || schedule.heldBack(name, at: clock.now()) == nil
        {
            tellPrinterToCancel(id, as: remoteJob, on: printer, over: transport)
        }
        do {
            try await stored(mark)
        } catch {
            noteStorage(error as? EngineError ?? EngineError.storage(error, doing: "store the job"))
            throw error
        }
        return record.job
    }

    func tellPrinterToCancel(_ id: Int64, as job: RemoteJob, on printer: SavedPrinter, over transport: any Transport) {
        var job = job
        job.origin = job.origin ?? RemoteJob.Origin(user: active[id]?.record.job.user)
        let earlier = active[id]?.canceling
        active[id]?.canceling = Task { [logger, job] in
            // One that was agreed to is not asked for twice: the job may be gone by then.
            if await earlier?.value == true { return true }
            do {
                try await transport.cancel(job, on: printer.target)
                return true
            } catch {
                logger.warning(
                    "\(printer.id) could not be told to cancel its job \(job.identifier.withoutControlCharacters): \(error)"
                )
                return false
            }
        }
    }

    /// An operator's word on a job that is held because its fate is unknown: print it again. Throws `job-not-found` or
    /// `job-not-held`; `job-forbidden` where it is not `requester`'s, and `document-forbidden` where its document is
    /// one that they may not have printed.
    public func release(_ id: Int64, by requester: Requester = .program) async throws -> Job {
        try await requester.check(job(id), doing: "release it")
        if let held = active[id]?.record, held.stage == .held {
            try await checkRights(of: requester, toPrint: held, for: held.job.role)
        }
        guard let held = active[id], held.record.stage == .held, tell(id, .released) == .queue,
            let released = active[id]?.record
        else {
            let job = try await job(id)
            throw EngineError(.jobNotHeld, "job \(id) is not held; it is \(job.state.rawValue)")
        }
        let moves = clockMoves
        do {
            try await saveDurably(released)
        } catch {
            // Meanwhile somebody may have canceled it; what is final stays so.
            if let entry = active[id], entry.record.stage == .waiting, entry.task == nil {
                active[id]?.record = inPresentTime(held.record, since: moves)
            }
            throw error
        }
        guard active[id]?.record.stage == .waiting, active[id]?.task == nil else { return try await job(id) }
        enqueue(id)
        return try await job(id)
    }

    // MARK: Expiry

    /// Cancels waiting jobs when they stop being worth printing.
    func expireLoop() async {
        while !Task.isCancelled {
            followClock()
            let now = clock.now()
            for id in board.expired(at: now) { await expire(id) }
            await endHopeless(at: now)
            do { try await clock.sleep(.seconds(1)) } catch { return }
        }
    }

    private func expire(_ id: Int64) async {
        // Looked up each time: while the one before was stored, an operator may have let it be printed after all.
        guard let entry = active[id], entry.record.stage == .waiting, entry.record.job.expiresAt <= clock.now() else {
            return
        }
        board.remove(id, from: entry.record.destination)
        await carryOut(tell(id, .expired), for: id, leaving: nil)
    }
}
