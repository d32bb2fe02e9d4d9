internal import Logging
public import PrintModel

extension PrintEngine {
    /// The job as it is now. Throws `job-not-found`.
    public func job(_ id: Int64) async throws -> Job {
        if let entry = active[id] { return entry.shown }
        guard let record = try await store.job(id) else {
            throw EngineError(.jobNotFound, "there is no job \(id); list them with: kioskctl jobs")
        }
        return active[id]?.shown ?? record.job
    }

    /// Jobs that match, newest first.
    public func jobs(_ filter: JobFilter = JobFilter()) async throws -> [Job] {
        var stored = filter
        // What a delivery does just now is never stored, so of a job on its way only the engine knows whether it is stopped.
        if let states = filter.states, !states.isDisjoint(with: Self.statesOnTheWay) { stored.states = states.union(Self.statesOnTheWay) }
        var found: [Job] = []
        while found.count < filter.limit {
            let page = try await store.jobs(stored)
            found += page.map(shownNow).filter { filter.states?.contains($0.state) ?? true }
            guard page.count == stored.limit, let last = page.last else { break }
            stored.before = last.id
        }
        return Array(found.prefix(filter.limit))
    }

    private static let statesOnTheWay: Set<JobState> = [.processing, .processingStopped]

    private func shownNow(_ job: Job) -> Job {
        guard let entry = active[job.id], entry.record.job.state == job.state else { return job }
        return entry.shown
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
    /// returned as it is meanwhile. Never waits for a printer. Throws `job-not-found` or `job-not-cancelable`.
    public func cancel(_ id: Int64) async throws -> Job {
        guard var entry = active[id], !entry.isSettling else {
            let job = try await job(id)
            throw EngineError(.jobNotCancelable, "job \(id) is \(job.state.rawValue) already")
        }
        switch entry.record.stage {
        case .waiting, .held:
            board.remove(id, from: entry.record.destination)
            entry.record.job.state = .canceled
            entry.record.job.stateReasons = ["job-canceled-by-user"]
            entry.record.job.message = nil
            await close(id, entry.record, next: nil)
            return try await job(id)
        case .sending, .following, .done:
            return cancelOnPrinter(id, entry)
        }
    }

    private func cancelOnPrinter(_ id: Int64, _ entry: ActiveJob) -> Job {
        var entry = entry
        entry.record.isCancelRequested = true
        entry.record.job.stateReasons = ["processing-to-stop-point"]
        active[id] = entry
        save(entry.record)
        if entry.record.stage == .sending {
            entry.progress?.cancel()
        }
        if let remoteJob = entry.record.job.remoteJob ?? entry.progress?.remoteJob, let name = entry.record.job.printer,
            let printer = board.printers[name]?.saved, let transport = transports[printer.url.scheme]
        {
            tellPrinterToCancel(id, as: remoteJob, on: printer, over: transport)
        }
        return entry.record.job
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
                logger.warning("\(printer.id) could not be told to cancel its job \(job.identifier.withoutControlCharacters): \(error)")
                return false
            }
        }
    }

    /// An operator's word on a job that is held because its fate is unknown: print it again.
    /// Throws `job-not-found` or `job-not-held`.
    public func release(_ id: Int64) async throws -> Job {
        guard var entry = active[id], entry.record.stage == .held else {
            let job = try await job(id)
            throw EngineError(.jobNotHeld, "job \(id) is not held; it is \(job.state.rawValue)")
        }
        let now = clock.now()
        entry.record.stage = .waiting
        entry.record.sentAt = nil
        entry.record.reprints = 0
        entry.record.job.state = .pending
        entry.record.job.stateReasons = []
        entry.record.job.message = nil
        entry.record.job.remoteJob = nil
        entry.record.job.bytesSent = 0
        // The operator wants it now, whatever its first expiry said.
        entry.record.job.expiresAt = max(entry.record.job.expiresAt, now.advanced(bySeconds: Self.expiryAfterRelease))
        if !entry.record.isPinned { entry.record.job.printer = nil }
        let held = active[id]
        active[id] = entry
        do {
            try await saveDurably(entry.record)
        } catch {
            active[id] = held
            throw error
        }
        guard active[id]?.record.stage == .waiting, active[id]?.task == nil else { return try await job(id) }
        enqueue(id)
        return try await job(id)
    }

    /// In seconds.
    private static let expiryAfterRelease = 600

    // MARK: Expiry

    /// Cancels waiting jobs when they stop being worth printing.
    func expireLoop() async {
        while !Task.isCancelled {
            let now = clock.now()
            for id in board.expired(at: now) { await expire(id) }
            await endHopeless(at: now)
            do { try await clock.sleep(.seconds(1)) } catch { return }
        }
    }

    private func expire(_ id: Int64) async {
        guard let entry = active[id], entry.record.stage == .waiting, !entry.isSettling else { return }
        board.remove(id, from: entry.record.destination)
        await settleExpired(id, next: nil)
    }

    func settleExpired(_ id: Int64, next printer: PrinterID?) async {
        guard var entry = active[id] else { return }
        let reason = entry.record.job.message.map { " (\($0))" } ?? ""
        entry.record.job.state = .canceled
        entry.record.job.stateReasons = ["job-expired"]
        entry.record.job.message = "no printer could print it while it was worth printing\(reason)"
        await close(id, entry.record, next: printer)
    }
}
