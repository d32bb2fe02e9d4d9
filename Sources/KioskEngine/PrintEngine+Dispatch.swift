import Logging
import PrintModel

extension PrintEngine {
    /// Puts a waiting job on the board and starts it where it can print now.
    func enqueue(_ id: Int64) {
        guard let entry = active[id] else { return }
        let waiting = entry.waiting()
        board.add(waiting)
        switch board.choice(for: waiting) {
        case .printer(let printer):
            dispatch(printer)
            askIfBusyForLong(printer, at: clock.now())
        case .undecided:
            hasten(board.names(of: waiting.destination))
            awaitAnswers(from: board.names(of: waiting.destination))
        case .none:
            hasten(board.names(of: waiting.destination))
        case .impossible:
            abortUnprintable()
        }
    }

    /// A printer that works and was not heard of lately may have vanished with its job: jobs behind it are to know
    /// soon.
    private func askIfBusyForLong(_ printer: PrinterID, at now: Timestamp) {
        guard board.printers[printer]?.current != nil, contacts[printer] == nil, let last = contactTimes[printer] else {
            return
        }
        schedule.contact(printer, by: max(now, last.advanced(bySeconds: 1)))
        alarm.ring()
    }

    /// Ends jobs that were taken while their printers were unknown, and that none of them turns out to print: whoever
    /// sent them learns it now, not when they expire.
    func abortUnprintable() {
        for waiting in board.waiting where board.choice(for: waiting) == .impossible {
            guard let entry = active[waiting.id], entry.task == nil, let refusal = refusal(of: waiting) else {
                continue
            }
            board.remove(waiting.id, from: waiting.destination)
            let printer = entry.record.job.printer
            let decision = tell(
                waiting.id, .unprintable(by: printer, reason: "document-format-error", message: refusal))
            active[waiting.id]?.task = Task { await carryOut(decision, for: waiting.id, leaving: printer) }
        }
    }

    /// Nil for a destination without printers, or with none that is saved: an admin is about to give it some, and the
    /// job waits.
    private func refusal(of waiting: WaitingJob) -> String? {
        if let said = active[waiting.id]?.refusal { return said }
        guard board.names(of: waiting.destination).contains(where: { board.printers[$0] != nil }) else { return nil }
        do {
            try checkPrintable(waiting.format, at: waiting.destination, copiedFor: waiting.copiedFor)
            return nil
        } catch {
            return "\(error)"
        }
    }

    func dispatch(_ printer: PrinterID) {
        guard mayBegin else { return }
        if let assignment = board.nextAssignment(for: printer) { start(assignment) }
    }

    func dispatchAll() {
        guard mayBegin else { return }
        for assignment in board.assignments() { start(assignment) }
    }

    private func start(_ assignment: DispatchBoard.Assignment) {
        switch assignment {
        case .deliver(let id, let printer):
            _ = tell(id, .routed)
            active[id]?.task = Task { await self.deliver(id, to: printer) }
        case .resume(let id, let printer):
            active[id]?.task = Task { await self.resume(id, on: printer) }
        }
    }

    /// The job's task ends here: the printer is free for the next.
    func free(_ printer: PrinterID, from id: Int64) {
        active[id]?.task = nil
        active[id]?.progress = nil
        board.finished(id, on: printer)
        leaveOutdated(printer)
    }

    /// Asks unavailable candidates soon, since a job waits for them.
    private func hasten(_ candidates: [PrinterID]) {
        let now = clock.now()
        for id in candidates
        where board.printers[id]?.availability.isAvailable == false || board.printers[id]?.isKnown == false {
            schedule.hasten(id, at: now, configuration: configuration)
        }
        alarm.ring()
    }

    /// Candidates that have not answered in time hold the job up no longer.
    private func awaitAnswers(from candidates: [PrinterID]) {
        let silent = candidates.filter {
            board.printers[$0]?.isKnown == false && board.printers[$0]?.isPatienceSpent == false
        }
        guard !silent.isEmpty, candidates.count > 1 else { return }
        Task { [clock, configuration] in
            try? await clock.sleep(configuration.failoverPatience)
            self.stopWaitingFor(silent)
        }
    }

    private func stopWaitingFor(_ printers: [PrinterID]) {
        for id in printers where board.printers[id]?.isKnown == false { board.spendPatience(for: id) }
        dispatchAll()
    }

    /// Stores a change with the next tick, unless the job ends before. Only for what a restart can ask the printer for.
    func saveSoon(_ id: Int64) {
        unsaved.insert(id)
        tickSoon()
    }

    /// Runs while something is due at the next tick: one timer for all jobs and callers instead of one for each.
    func tickSoon() {
        guard ticker == nil else { return }
        ticker = Task { [clock] in
            repeat {
                try? await clock.sleep(Self.tick)
                saveUnsaved()
            } while (waiters.giveUp(at: .now) || !unsaved.isEmpty) && !isShuttingDown
            ticker = nil
        }
    }

    private static let tick = Duration.milliseconds(50)

    func saveUnsaved() {
        let ids = unsaved
        unsaved = []
        for id in ids {
            guard let entry = active[id], !entry.isSettling else { continue }
            save(entry.record)
        }
    }

    /// Stores a change without waiting for the disk, and shows it once it is there.
    func save(_ record: JobRecord) {
        let (hub, now) = (hub, clock.now())
        store.commits.enqueue { db in
            try JobStore.update(record, at: now, in: db)
        } completion: { [weak self] result in
            switch result {
            case .success: hub.publish(.jobChanged, job: record.job)
            case .failure(let error):
                guard let self, let error = error as? EngineError else { return }
                Task { await self.noteStorage(error) }
            }
        }
    }

    /// Hands a change in to the disk, behind all that were handed in before, and shows it once it is there.
    func handIn(_ record: JobRecord) -> HandedWrite {
        let (hub, now) = (hub, clock.now())
        // A large one is a file, which goes when its row has forgotten it.
        let isLastUse =
            record.stage == .done && record.documentFile == nil
            && retention(of: record.job.role).effectiveDocuments == 0
        return store.commits.handIn { db in
            if isLastUse { try JobStore.forgetDocument(of: record.job.id, in: db) }
            try JobStore.update(record, at: now, in: db)
        } whenStored: {
            hub.publish(.jobChanged, job: record.job)
        }
    }

    /// Returns once the change is on disk.
    func stored(_ change: HandedWrite) async throws {
        try await change.wait()
        storageWorks()
    }

    /// Stores a change; on disk, and shown, when it returns.
    func saveDurably(_ record: JobRecord) async throws { try await stored(handIn(record)) }

    /// Health shows a storage failure until a write succeeds again.
    func noteStorage(_ error: EngineError) {
        guard error.isAboutStorage else { return }
        // One page may be sound where another is not.
        guard storageProblem?.code != .storageDamaged else { return }
        if storageProblem == nil || error.code == .storageDamaged { logger.error("\(error.message)") }
        storageProblem = error
        // What is kept of final jobs may give way.
        if error.code == .storageFull { historyAlarm.ring() } else { suspicionAlarm.ring() }
        guard error.code == .storageDamaged else { return }
        damageAlarm.ring()
        Task { [spool, logger, files = QueueFiles(folder: configuration.stateDirectory)] in
            do {
                try await spool.blocking { try files.suspect() }
            } catch {
                logger.error("the next start is not told to check the queue: \(error)")
            }
        }
    }

    /// A write came through.
    func storageWorks() {
        if storageProblem?.code != .storageDamaged { storageProblem = nil }
    }
}
