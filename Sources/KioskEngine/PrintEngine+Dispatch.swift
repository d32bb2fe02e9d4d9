import KioskPrintModel
import Logging

// MARK: The life of a job

extension PrintEngine {
    /// Tells a job what happened, and returns what is to be done. Nil where the job is gone, or where this cannot
    /// happen to it: then the fault is ours, and the job stays as it is.
    ///
    /// `printer`: the one that the event is about, where the job does not say.
    func apply(_ event: JobEvent, to id: Int64, on printer: PrinterID? = nil) -> JobDecision? {
        guard let job = jobs[id] else { return nil }
        let before = job.record.life.status
        do {
            let decision = try job.handle(event, in: circumstances(of: job.job))
            let after = job.record.life.status
            trace.handled(event, from: before, to: after, decision, at: url(of: printer, before, after))
            measurements.changed(from: before, to: after)
            return decision
        } catch {
            logger.critical("\(error)")
            trace.rejected(event, at: before, url(of: printer, before, before))
            return nil
        }
    }

    /// The device that a change of a job is about: the one that it was sent to, or its printer as it is saved.
    private func url(of printer: PrinterID?, _ before: JobStatus, _ after: JobStatus) -> PrinterURL? {
        if let url = after.sentTo ?? before.sentTo { return url }
        guard let id = printer ?? after.job.printer ?? before.job.printer else { return nil }
        return board.printers[id]?.saved.url
    }

    /// The same for a record that is not in the table yet.
    func advance(_ record: inout JobRecord, _ event: JobEvent) -> JobDecision? {
        do {
            return try record.life.handle(event, in: circumstances(of: record.job))
        } catch {
            logger.critical("\(error)")
            return nil
        }
    }

    private func circumstances(of job: Job) -> JobCircumstances {
        JobCircumstances(
            now: clock.now(), unconfirmed: registry.role(job.role)?.unconfirmed ?? .hold,
            maximumReprints: configuration.maximumReprints)
    }

    /// Does what a job's life asks for where its attempt on a printer has ended.
    func carryOut(_ decision: JobDecision?, for id: Int64, leaving printer: PrinterID?) async {
        switch decision {
        case .queue: queue(id, leaving: printer)
        case .queueLater: queueLater(id, leaving: printer)
        case .queueForOthers: await queueForOthers(id, leaving: printer)
        case .ask: await askLater(id, leaving: printer)
        case .hold: await hold(id, leaving: printer)
        case .settle:
            if let job = jobs[id]?.job, job.state == .aborted, let message = job.message {
                logger.warning(
                    "job \(id) is aborted: \(message.withoutControlCharacters)", metadata: job.logFields)
            }
            if let printer { free(printer, from: id) }
            await close(id, next: printer)
        case nil, .nothing, .storeSoon, .send, .sendAgainSoon, .follow, .stop:
            // Somebody else ended the job, and the printer is free all the same.
            guard let printer else { return }
            free(printer, from: id)
            dispatch(printer)
        }
    }

    private func queue(_ id: Int64, leaving printer: PrinterID?) {
        if let printer { free(printer, from: id) }
        if let job = jobs[id] { writer.save(job.record) }
        enqueue(id)
        dispatchAll()
    }

    /// It is printed again although it may be on paper: not at once, and later each time. Meanwhile the printer is free
    /// for others.
    private func queueLater(_ id: Int64, leaving printer: PrinterID?) {
        if let printer { free(printer, from: id) }
        if let job = jobs[id] {
            let pause = reprintPause(of: job)
            job.pause(until: clock.now().advanced(by: pause))
            writer.save(job.record)
            printAgain(job, after: pause)
        }
        dispatchAll()
    }

    private func reprintPause(of job: ActiveJob) -> Duration {
        ExponentialBackoff(first: configuration.reprintDelay, maximum: .seconds(60))
            .after(job.record.life.status.reprints - 1)
    }

    /// Puts a job of the last run on the board; one that was in its pause before it is printed again, after the rest of
    /// it. The clock may be wrong at a start, so that the rest is never longer than the pause.
    func enqueueRestored(_ job: ActiveJob) {
        guard let end = job.record.life.status.notBefore else { return enqueue(job.id) }
        let rest = Duration.milliseconds(end.millisecondsSince1970 - clock.now().millisecondsSince1970)
        guard rest > .zero else { return enqueue(job.id) }
        printAgain(job, after: min(rest, reprintPause(of: job)))
    }

    private func printAgain(_ job: ActiveJob, after pause: Duration) {
        // The board expires it; until then it is not offered to printers.
        let left = job.job.expiresAt.millisecondsSince1970 - clock.now().millisecondsSince1970
        job.isPausedBeforeReprint = true
        printAgain(job.id, after: min(pause, .milliseconds(max(left, 0))))
    }

    private func printAgain(_ id: Int64, after pause: Duration) {
        Task { [weak self, clock] in
            try? await clock.sleep(pause)
            await self?.printAgain(id)
        }
    }

    private func printAgain(_ id: Int64) {
        guard let job = jobs[id], job.isPausedBeforeReprint, job.stage == .waiting, job.attempt == nil else { return }
        job.isPausedBeforeReprint = false
        enqueue(id)
        dispatchAll()
    }

    /// This printer will never take the job; another may.
    private func queueForOthers(_ id: Int64, leaving printer: PrinterID?) async {
        guard let job = jobs[id], board.choice(for: job.waiting) == .impossible else {
            return queue(id, leaving: printer)
        }
        let refusal = job.refusal ?? "no printer accepts it"
        let decision = apply(
            .unprintable(by: printer, reason: "document-unprintable-error", message: refusal), to: id)
        await carryOut(decision, for: id, leaving: printer)
    }

    /// The printer may have the job: as soon as it answers, it is asked.
    private func askLater(_ id: Int64, leaving printer: PrinterID?) async {
        guard let printer = printer ?? jobs[id]?.job.printer else { return }
        guard registry.printer(printer) != nil else {
            return await carryOut(
                apply(.cannotBeAsked(UnresolvedJobs.removed(printer)), to: id), for: id, leaving: printer)
        }
        free(printer, from: id)
        if let job = jobs[id] { writer.save(job.record) }
        board.addResumption(of: id, on: printer)
        contactSoon(printer)
        dispatchAll()
    }

    private func hold(_ id: Int64, leaving printer: PrinterID?) async {
        if let printer { free(printer, from: id) }
        guard let job = jobs[id] else { return }
        logger.warning(
            "job \(id) is held: \((job.job.message ?? "").withoutControlCharacters)", metadata: job.job.logFields)
        if let printer { dispatch(printer) }
        do {
            try await writer.saveDurably(job.record)
        } catch {
            storage.note(error, doing: "store the job")
        }
        guard jobs[id] === job, job.stage == .held else { return }
        measurements.settled(job)
        waiters.settle(job.job)
    }

    /// Writes the final state, gives the printer its next job meanwhile, and tells whoever waits once it is on disk.
    ///
    /// The next job's mark is handed in right after this one's end, so both usually share a commit.
    /// Returns why it is not on disk yet; it is tried again then until it is.
    @discardableResult
    func close(_ id: Int64, next printer: PrinterID?) async -> (any Error)? {
        guard let job = jobs[id] else { return nil }
        let record = job.record
        let end = writer.handIn(record)
        if let printer { dispatch(printer) }
        do {
            try await writer.stored(end)
        } catch {
            // What happened on paper is true though it is not stored yet. Until it is, the job stays known here; a
            // restart before that asks the printer again.
            storage.note(error, doing: "store the job")
            waiters.settle(record.job)
            job.attempt = AttemptHandle(Task { await saveEventually(record) })
            return error
        }
        forget(id)
        waiters.settle(record.job)
        return nil
    }

    private func saveEventually(_ record: JobRecord) async {
        while !isShuttingDown {
            try? await clock.sleep(StorageHealth.retryInterval)
            do {
                try await writer.saveDurably(record)
                return forget(record.job.id)
            } catch {
                continue
            }
        }
    }

    private func forget(_ id: Int64) {
        guard let job = jobs.remove(id) else { return }
        preparationRetries.forget(id)
        measurements.settled(job)
        history.noteFinal(job.record)
    }

    /// Takes over the name that the printer has given a job which is on its way: whatever happens now, it can be asked
    /// for.
    func takeName(of job: ActiveJob) {
        guard job.stage.isOnItsWay, let name = job.monitor?.remoteJob, name != job.job.remoteJob else { return }
        _ = apply(.named(name), to: job.id)
    }

    /// Stores a change with the next tick, unless the job ends before. Only for what a restart can ask the printer for.
    nonisolated func saveSoon(_ id: Int64) {
        writer.saveWithNextTick(id)
        tickSoon()
    }
}

// MARK: Routing

extension PrintEngine {
    /// Puts a waiting job on the board and starts it where it can print now.
    func enqueue(_ id: Int64) {
        guard let waiting = jobs[id]?.waiting else { return }
        board.add(waiting)
        let candidates = board.names(of: waiting.destination)
        let choice = board.choice(for: waiting)
        switch choice {
        case .printer(let printer):
            dispatch(printer)
            if jobs[id]?.stage == .waiting { trace.waits(id, choice, candidates: candidates) }
            // A printer that works and was not heard of lately may have vanished with its job.
            if board.printers[printer]?.current != nil { contacts.contactIfSilentLong(printer, at: clock.now()) }
        case .undecided:
            trace.waits(id, choice, candidates: candidates)
            hasten(candidates)
            awaitResponses(from: candidates)
        case .none:
            trace.waits(id, choice, candidates: candidates)
            hasten(candidates)
        case .impossible:
            abortUnprintable()
        }
    }

    /// Gives the printer its next job, if it is free and there is one for it.
    func dispatch(_ printer: PrinterID) {
        guard mayBegin else { return }
        if let assignment = board.nextAssignment(for: printer) { start(assignment) }
    }

    /// Gives every free printer its next job.
    func dispatchAll() {
        guard mayBegin else { return }
        for assignment in board.assignments() { start(assignment) }
    }

    private func start(_ assignment: DispatchBoard.Assignment) {
        switch assignment {
        case .deliver(let id, let printer):
            _ = apply(.routed, to: id, on: printer)
            deliver(id, to: printer)
        case .resume(let id, let printer):
            let handle = AttemptHandle()
            jobs[id]?.attempt = handle
            handle.begin(Task(executorPreference: executor(of: printer)) { await self.resume(id, on: printer, handle) })
        }
    }

    /// The job's attempt is over: the printer is free for the next.
    func free(_ printer: PrinterID, from id: Int64) {
        jobs[id]?.attempt = nil
        jobs[id]?.monitor = nil
        board.finished(id, on: printer)
        let state = board.printers[printer]
        outdatedConnections.close(
            of: printer, savedAs: state?.saved.target, learned: state?.description?.learned)
    }

    /// Ends jobs that were accepted while their printers were unknown, and that none of them turns out to print:
    /// whoever sent them learns it now, not when they expire.
    func abortUnprintable() {
        for waiting in board.waiting where board.choice(for: waiting) == .impossible {
            guard let job = jobs[waiting.id], job.attempt == nil, let refusal = refusal(of: job) else { continue }
            board.remove(waiting.id, from: waiting.destination)
            let printer = job.job.printer
            let decision = apply(
                .unprintable(by: printer, reason: "document-format-error", message: refusal), to: waiting.id)
            job.attempt = AttemptHandle(Task { await carryOut(decision, for: waiting.id, leaving: printer) })
        }
    }

    /// Nil for a destination without printers, or with none that is saved: an admin is about to give it some, and the
    /// job waits.
    private func refusal(of job: ActiveJob) -> String? {
        if let refusal = job.refusal { return refusal }
        let waiting = job.waiting
        guard board.names(of: waiting.destination).contains(where: { board.printers[$0] != nil }) else { return nil }
        do {
            try rules.checkPrintable(waiting.format, at: waiting.destination, copiedFor: waiting.copiedFor)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Contacts unavailable candidates soon, since a job waits for them.
    private func hasten(_ candidates: [PrinterID]) {
        let missing = candidates.filter {
            board.printers[$0]?.availability.isAvailable == false || board.printers[$0]?.isKnown == false
        }
        contacts.hasten(missing, at: clock.now())
    }

    /// Candidates that have not answered in time delay the job no longer.
    private func awaitResponses(from candidates: [PrinterID]) {
        let silent = candidates.filter {
            board.printers[$0]?.isKnown == false && board.printers[$0]?.isResponseOverdue == false
        }
        guard !silent.isEmpty, candidates.count > 1 else { return }
        Task { [clock, configuration] in
            try? await clock.sleep(configuration.failoverTimeout)
            self.stopWaiting(for: silent)
        }
    }

    private func stopWaiting(for printers: [PrinterID]) {
        for id in printers where board.printers[id]?.isKnown == false { board.noteOverdueResponse(of: id) }
        dispatchAll()
    }
}

// MARK: Attempts

extension PrintEngine {
    /// Starts an attempt to print a job.
    func deliver(_ id: Int64, to printer: PrinterID) {
        let handle = AttemptHandle()
        jobs[id]?.attempt = handle
        handle.begin(Task(executorPreference: executor(of: printer)) { await self.attempt(id, on: printer, handle) })
    }

    /// What attempts on a printer run on: see `Transport.taskExecutor`.
    private func executor(of printer: PrinterID) -> (any TaskExecutor)? {
        board.printers[printer].flatMap { transports[$0.saved.url.scheme]?.taskExecutor }
    }

    private func attempt(_ id: Int64, on printer: PrinterID, _ handle: AttemptHandle) async {
        guard let job = jobs[id], !job.isSettling else { return await carryOut(nil, for: id, leaving: printer) }
        await outdatedConnections.closing(of: printer)?.value
        // From here on the attempt is one to this device, whatever is saved meanwhile.
        guard let saved = board.printers[printer]?.saved, let transport = transports[saved.url.scheme] else {
            // The printer vanished between assignment and start.
            return await carryOut(apply(.interrupted(nil), to: id), for: id, leaving: printer)
        }
        job.unansweredQueries = 0
        let monitor = DeliveryMonitor(
            of: handle, edits: contacts.editCount(of: printer), firstByteSent: measurements.firstByte(of: job))
        await DeliveryAttempt(id: id, printer: saved, transport: transport, monitor: monitor).deliver(for: self)
    }

    /// Goes on with a job that the printer may have.
    private func resume(_ id: Int64, on printer: PrinterID, _ handle: AttemptHandle) async {
        guard let job = jobs[id], job.stage.isInDoubt else { return await carryOut(nil, for: id, leaving: printer) }
        guard let saved = board.printers[printer]?.saved, let transport = transports[saved.url.scheme] else {
            return await carryOut(
                apply(.cannotBeAsked(UnresolvedJobs.removed(printer)), to: id), for: id, leaving: printer)
        }
        if let sentTo = job.record.life.status.sentTo, sentTo != saved.url {
            let reason = "\(printer) was \(sentTo) when the job was sent and is \(saved.url) now."
            return await carryOut(apply(.cannotBeAsked(reason), to: id), for: id, leaving: printer)
        }
        await outdatedConnections.closing(of: printer)?.value
        let monitor = DeliveryMonitor(of: handle, edits: contacts.editCount(of: printer))
        job.monitor = monitor
        await DeliveryAttempt(id: id, printer: saved, transport: transport, monitor: monitor).resume(for: self)
    }

    /// Unique to the attempt: what an earlier one left at the printer is not this one.
    func deliveryID(of record: JobRecord) -> String { "\(marker)-\(record.job.id)-\(record.job.attempts)" }

    /// Whether the printer agreed to cancel the job that it now calls completed.
    func agreedToCancel(_ id: Int64, _ report: JobReport) async -> Bool {
        guard report.state == .completed, let cancellation = jobs[id]?.cancellation else { return false }
        return await cancellation.value
    }

    /// The printer reported a change of the job.
    func noteChange(of id: Int64, reported report: JobReport) {
        saveSoon(id)
        if report.state == .processingStopped, let printer = jobs[id]?.job.printer { contactSoon(printer) }
    }

    /// A printer that just printed is there, whatever the last contact said.
    func sawPrinterWork(_ id: PrinterID) {
        contacts.noteSuccess(of: id, at: clock.now())
        switch board.printers[id]?.availability.state {
        case .unreachable, .unknown: learn(of: id, Availability(.ready))
        // It had stopped with a job in it, which is finished: it goes on, or that was the last it could do. It knows.
        case .stopped: contactSoon(id)
        default: break
        }
    }

    /// Gives a printer that failed deliveries jobs again, after a pause.
    func wake(_ printer: PrinterID, after pause: Duration) {
        Task { [weak self, clock] in
            try? await clock.sleep(pause)
            await self?.wake(printer)
        }
    }

    private func wake(_ printer: PrinterID) {
        board.wake(printer)
        dispatchAll()
    }

    /// Puts a job that could not be prepared back into the queue, after a pause.
    func prepareAgain(_ id: Int64, after pause: Duration) {
        Task { [weak self, clock] in
            try? await clock.sleep(pause)
            await self?.prepareAgain(id)
        }
    }

    /// The document was prepared: jobs that wait for the same go before those that come after this one.
    func prepared(_ id: Int64) {
        for id in preparationRetries.noteSuccess(of: id) { prepareAgain(id) }
    }

    private func prepareAgain(_ id: Int64) {
        guard preparationRetries.begin(id), let job = jobs[id], job.stage == .waiting, job.attempt == nil else {
            return
        }
        enqueue(id)
    }
}

// MARK: Jobs that a printer may have

extension PrintEngine {
    /// Asks a printer again for a job that it may have, after a pause. Meanwhile it prints others' jobs.
    func askAgain(_ id: Int64, on printer: PrinterID, after pause: Duration) {
        Task { [weak self, clock] in
            try? await clock.sleep(pause)
            await self?.askAgain(id, on: printer)
        }
    }

    private func askAgain(_ id: Int64, on printer: PrinterID) {
        guard let job = jobs[id], job.attempt == nil, job.stage.isInDoubt, job.job.printer == printer else { return }
        board.addResumption(of: id, on: printer)
        contactSoon(printer)
        dispatchAll()
    }

    /// Ends jobs that a removed printer may have: nobody can be asked for them.
    func endOrphans() async { await UnresolvedJobs.endOrphans(for: self) }
}
