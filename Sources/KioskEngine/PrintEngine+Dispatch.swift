import Logging
import PrintModel

// MARK: The life of a job

extension PrintEngine {
    /// Tells a job what happened, and returns what is to be done. Nil where the job is gone, or where this cannot happen
    /// to it: then the fault is ours, and the job stays as it is.
    func apply(_ event: JobEvent, to id: Int64) -> JobDecision? {
        guard let job = jobs[id] else { return nil }
        do {
            return try job.handle(event, in: circumstances(of: job.job))
        } catch {
            logger.critical("\(error)")
            return nil
        }
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
        case .queueForOthers: await queueForOthers(id, leaving: printer)
        case .ask: await askLater(id, leaving: printer)
        case .hold: await hold(id, leaving: printer)
        case .settle:
            if let job = jobs[id]?.job, job.state == .aborted, let message = job.message {
                logger.warning("job \(id) is aborted: \(message.withoutControlCharacters)")
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

    /// This printer will never take the job; another may.
    private func queueForOthers(_ id: Int64, leaving printer: PrinterID?) async {
        guard let job = jobs[id], board.choice(for: job.waiting) == .impossible else {
            return queue(id, leaving: printer)
        }
        let refusal = job.refusal ?? "no printer takes it"
        let decision = apply(
            .unprintable(by: printer, reason: "document-unprintable-error", message: refusal), to: id)
        await carryOut(decision, for: id, leaving: printer)
    }

    /// The printer may have the job: as soon as it answers, it is asked.
    private func askLater(_ id: Int64, leaving printer: PrinterID?) async {
        guard let printer = printer ?? jobs[id]?.job.printer else { return }
        guard registry.printer(printer) != nil else {
            return await carryOut(apply(.cannotBeAsked(Self.removed(printer)), to: id), for: id, leaving: printer)
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
        logger.warning("job \(id) is held: \((job.job.message ?? "").withoutControlCharacters)")
        if let printer { dispatch(printer) }
        do {
            try await writer.saveDurably(job.record)
        } catch {
            storage.note(error, doing: "store the job")
        }
        if jobs[id] === job, job.stage == .held { waiters.settle(job.job) }
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
            job.task = Task { await saveEventually(record) }
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
        history.noteFinal(job.record)
    }

    /// Stores a change with the next tick, unless the job ends before. Only for what a restart can ask the printer for.
    func saveSoon(_ id: Int64) {
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
        switch board.choice(for: waiting) {
        case .printer(let printer):
            dispatch(printer)
            // A printer that works and was not heard of lately may have vanished with its job.
            if board.printers[printer]?.current != nil { contacts.contactIfSilentLong(printer, at: clock.now()) }
        case .undecided:
            hasten(candidates)
            awaitAnswers(from: candidates)
        case .none:
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
            _ = apply(.routed, to: id)
            deliver(id, to: printer)
        case .resume(let id, let printer):
            jobs[id]?.task = Task { await resume(id, on: printer) }
        }
    }

    /// The job's attempt is over: the printer is free for the next.
    private func free(_ printer: PrinterID, from id: Int64) {
        jobs[id]?.task = nil
        jobs[id]?.monitor = nil
        board.finished(id, on: printer)
        outdatedConnections.close(of: printer)
    }

    /// Ends jobs that were accepted while their printers were unknown, and that none of them turns out to print: whoever
    /// sent them learns it now, not when they expire.
    func abortUnprintable() {
        for waiting in board.waiting where board.choice(for: waiting) == .impossible {
            guard let job = jobs[waiting.id], job.task == nil, let refusal = refusal(of: job) else { continue }
            board.remove(waiting.id, from: waiting.destination)
            let printer = job.job.printer
            let decision = apply(
                .unprintable(by: printer, reason: "document-format-error", message: refusal), to: waiting.id)
            job.task = Task { await carryOut(decision, for: waiting.id, leaving: printer) }
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
    private func awaitAnswers(from candidates: [PrinterID]) {
        let silent = candidates.filter {
            board.printers[$0]?.isKnown == false && board.printers[$0]?.isAnswerOverdue == false
        }
        guard !silent.isEmpty, candidates.count > 1 else { return }
        Task { [clock, configuration] in
            try? await clock.sleep(configuration.failoverTimeout)
            self.stopWaiting(for: silent)
        }
    }

    private func stopWaiting(for printers: [PrinterID]) {
        for id in printers where board.printers[id]?.isKnown == false { board.noteOverdueAnswer(of: id) }
        dispatchAll()
    }
}

// MARK: Attempts

extension PrintEngine {
    /// Starts an attempt to print a job.
    func deliver(_ id: Int64, to printer: PrinterID) {
        jobs[id]?.task = Task { await attempt(id, on: printer) }
    }

    private func attempt(_ id: Int64, on printer: PrinterID) async {
        guard let job = jobs[id], !job.isSettling else { return await carryOut(nil, for: id, leaving: printer) }
        await outdatedConnections.closing(of: printer)?.value
        // From here on the attempt is one to this device, whatever is saved meanwhile.
        guard let saved = board.printers[printer]?.saved, let transport = transports[saved.url.scheme] else {
            // The printer vanished between assignment and start.
            return await carryOut(apply(.interrupted(nil), to: id), for: id, leaving: printer)
        }
        job.unansweredQueries = 0
        let monitor = DeliveryMonitor(edits: contacts.editCount(of: printer))
        await DeliveryAttempt(id: id, printer: saved, transport: transport, monitor: monitor).deliver(for: self)
    }

    /// Goes on with a job that the printer may have.
    private func resume(_ id: Int64, on printer: PrinterID) async {
        guard let job = jobs[id], job.stage.isInDoubt else { return await carryOut(nil, for: id, leaving: printer) }
        guard let saved = board.printers[printer]?.saved, let transport = transports[saved.url.scheme] else {
            return await carryOut(apply(.cannotBeAsked(Self.removed(printer)), to: id), for: id, leaving: printer)
        }
        if let sentTo = job.record.life.status.sentTo, sentTo != saved.url {
            let reason = "\(printer) was \(sentTo) when the job was sent and is \(saved.url) now."
            return await carryOut(apply(.cannotBeAsked(reason), to: id), for: id, leaving: printer)
        }
        await outdatedConnections.closing(of: printer)?.value
        let monitor = DeliveryMonitor(edits: contacts.editCount(of: printer))
        job.monitor = monitor
        await DeliveryAttempt(id: id, printer: saved, transport: transport, monitor: monitor).resume(for: self)
    }

    /// Unique to the attempt: what an earlier one left at the printer is not this one.
    func deliveryID(of record: JobRecord) -> String { "\(marker)-\(record.job.id)-\(record.job.attempts)" }

    /// Whether the printer agreed to cancel the job that it now calls completed.
    func wasTakenBack(_ id: Int64, _ report: JobReport) async -> Bool {
        guard report.state == .completed, let cancellation = jobs[id]?.cancellation else { return false }
        return await cancellation.value
    }

    /// The printer reported a change of the job.
    func noteChange(of id: Int64, reported report: JobReport) {
        saveSoon(id)
        if report.state == .processingStopped, let printer = jobs[id]?.job.printer { contactSoon(printer) }
    }

    /// The transport failed: decides by what is known whether the job goes elsewhere, waits, or must be asked for.
    func deliveryFailed(
        _ id: Int64, on printer: SavedPrinter, _ error: TransportError, _ monitor: DeliveryMonitor
    ) async {
        pause(printer.id, after: error)
        let decision = apply(.failed(error), to: id)
        if decision != nil { learn(of: printer, fromDelivery: error, of: id, monitor) }
        await carryOut(decision, for: id, leaving: printer.id)
    }

    /// What the failed attempt shows of the printer.
    private func learn(
        of printer: SavedPrinter, fromDelivery error: TransportError, of id: Int64, _ monitor: DeliveryMonitor
    ) {
        switch FailureDecision(error) {
        case .retrySoon:
            // Another candidate prints the job. Until the next contact, which follows at once, this one is passed over.
            let reason = StateReason(keyword: "busy-with-other-jobs", severity: .report)
            learn(of: printer.id, Availability(.stopped, reasons: [reason], message: error.message))
            contactSoon(printer.id)
        case .passOver(var availability):
            guard error.code != .cancelled || monitor.isPassedOver else { return }
            if error.code == .cancelled { availability.message = "\(printer.url) did not answer in time" }
            learn(of: printer, from: error, availability, by: monitor)
            contactSoon(printer.id)
        case .refused:
            jobs[id]?.refuse(by: printer.id, error.message)
        case .ask:
            if error.code != .cancelled { learn(of: printer, from: error, by: monitor) }
        case .follow, .abort, .doubt:
            break
        }
    }

    /// A printer that answers contacts and fails deliveries is not tried in a busy loop: it gets no job for a while,
    /// which grows with each failure in a row. The first costs nothing, so that a printer that comes back prints at
    /// once. Its jobs do not wait for that where another can print them.
    private func pause(_ printer: PrinterID, after error: TransportError) {
        // Obstacles are counted by the contact schedule.
        guard ![.outcomeUnknown, .cancelled, .connectionRefused].contains(error.code), Obstacle(error.code) == nil,
            !isShuttingDown
        else { return }
        let count = contacts.noteFailedDelivery(to: printer)
        guard count > 0 else { return }
        board.rest(printer)
        let pause = min(.milliseconds(100) * (1 << min(count, 10)), Self.longestFailurePause)
        Task { [weak self, clock] in
            try? await clock.sleep(pause)
            await self?.wake(printer)
        }
    }

    private func wake(_ printer: PrinterID) {
        board.wake(printer)
        dispatchAll()
    }

    private static let longestFailurePause = Duration.seconds(10)

    /// The attempt failed through no fault of the printer: the queue, the document, or the engine is stopping.
    func attemptFailed(_ id: Int64, on printer: PrinterID, _ error: any Error) async {
        var event = JobEvent.interrupted("\(error)")
        if let error = error as? EngineError {
            storage.note(error)
            if error.isAboutStorage {
                // A full disk may pass. Soon enough for one that has room again, and no busy loop while it has none.
                try? await clock.sleep(StorageHealth.retryInterval)
            } else {
                // A document that is gone or damaged never comes back.
                event = .documentLost(error.message)
            }
        }
        await carryOut(apply(event, to: id), for: id, leaving: printer)
    }
}

// MARK: Preparation that has to wait

extension PrintEngine {
    /// The document was prepared: jobs that wait for the same go before those that come after this one.
    func prepared(_ id: Int64) {
        jobs[id]?.failedPreparations = 0
        for id in unpreparedJobs.sorted() { prepareAgain(id) }
    }

    /// This printer cannot print the document, of which nothing was sent: another may.
    func preparationFailed(_ id: Int64, on printer: SavedPrinter, _ problem: DocumentProblem) async {
        guard problem.kind != .interrupted else { return await waitForPreparation(id, leaving: printer.id, problem) }
        let message = "\(printer.id) cannot print it: \(problem)"
        jobs[id]?.refuse(by: printer.id, message)
        let error = TransportError(.formatRefused, operation: "prepare", message: message)
        await carryOut(apply(.failed(error), to: id), for: id, leaving: printer.id)
    }

    /// Tries the job again after a pause that grows, until it expires. Meanwhile the printer is free for others.
    private func waitForPreparation(_ id: Int64, leaving printer: PrinterID, _ problem: DocumentProblem) async {
        let decision = apply(.notPrepared("\(problem); it is tried again until it expires"), to: id)
        guard decision == .queue, let job = jobs[id] else {
            return await carryOut(decision, for: id, leaving: printer)
        }
        let failures = job.failedPreparations
        if failures == 0 { logger.warning("job \(id) waits: \(problem.description.withoutControlCharacters)") }
        job.failedPreparations += 1
        unpreparedJobs.insert(id)
        free(printer, from: id)
        writer.save(job.record)
        let left = job.job.expiresAt.millisecondsSince1970 - clock.now().millisecondsSince1970
        // The board expires it; until then it is not offered to printers.
        let pause = min(
            Self.firstPreparationPause * (1 << min(failures, 10)), Self.longestPreparationPause,
            .milliseconds(max(left, 0)))
        Task { [weak self, clock] in
            try? await clock.sleep(pause)
            await self?.prepareAgain(id)
        }
        dispatchAll()
    }

    private func prepareAgain(_ id: Int64) {
        guard unpreparedJobs.remove(id) != nil, let job = jobs[id], job.stage == .waiting, job.task == nil else {
            return
        }
        enqueue(id)
    }

    private static let firstPreparationPause = Duration.milliseconds(500)
    private static let longestPreparationPause = Duration.seconds(10)
}

// MARK: Jobs that a printer may have

extension PrintEngine {
    func resumptionFailed(
        _ id: Int64, on printer: SavedPrinter, _ error: TransportError, _ monitor: DeliveryMonitor
    ) async {
        let before = jobs[id]?.record
        let decision = apply(.askingFailed(error), to: id)
        guard decision == .ask, let job = jobs[id] else {
            return await carryOut(decision, for: id, leaving: printer.id)
        }
        let isCounted = error.code != .cancelled
        if isCounted { job.unansweredQueries += 1 }
        let count = job.unansweredQueries
        guard count < Self.mostQueries else {
            let reason =
                "\(printer.id) had begun the job, and was asked for it \(count) times without an answer (\(error.message))."
            return await carryOut(apply(.cannotBeAsked(reason), to: id), for: id, leaving: printer.id)
        }
        free(printer.id, from: id)
        if job.record != before { writer.save(job.record) }
        if isCounted { learn(of: printer, from: error, by: monitor) }
        contactSoon(printer.id)
        dispatchAll()
        askAgain(id, on: printer.id, in: min(.milliseconds(100) * (1 << count), Self.longestQueryPause))
    }

    /// A printer that answers contacts but not this query is not asked in a busy loop, and prints others' jobs
    /// meanwhile.
    private func askAgain(_ id: Int64, on printer: PrinterID, in pause: Duration) {
        Task { [weak self, clock] in
            try? await clock.sleep(pause)
            await self?.askAgain(id, on: printer)
        }
    }

    private func askAgain(_ id: Int64, on printer: PrinterID) {
        guard let job = jobs[id], job.task == nil, job.stage.isInDoubt, job.job.printer == printer else { return }
        board.addResumption(of: id, on: printer)
        contactSoon(printer)
        dispatchAll()
    }

    /// So often a printer that answers contacts is asked for a job, about a minute in all, before nobody can know.
    private static let mostQueries = 12
    private static let longestQueryPause = Duration.seconds(10)

    private static func removed(_ printer: PrinterID) -> String {
        "The printer \"\(printer)\" had begun the job and is no longer saved."
    }

    /// Ends jobs that a removed printer may have: nobody can be asked for them.
    func endOrphans() async {
        for id in jobs.ids {
            // Looked up each time: the one before may have taken a while to store.
            guard let job = jobs[id], job.task == nil, job.stage.isInDoubt, let printer = job.job.printer,
                registry.printer(printer) == nil
            else { continue }
            board.remove(id, from: job.record.destination)
            await carryOut(apply(.cannotBeAsked(Self.removed(printer)), to: id), for: id, leaving: printer)
        }
    }

    /// Stops waiting for printers that may have a job and do not come back: when the job is no longer worth printing, or
    /// at once when it is to be canceled.
    func endUnansweredQueries(at now: Timestamp) async {
        for id in jobs.ids {
            // Looked up each time: meanwhile the printer may have come back, and be asked.
            guard let job = jobs[id], job.task == nil, job.stage.isInDoubt, let printer = job.job.printer,
                board.printers[printer]?.availability.isAvailable != true
            else { continue }
            let limit = job.record.life.status.sentAt?.advanced(by: Self.longestQuery) ?? now
            guard job.record.isCancelRequested || now >= max(limit, job.job.expiresAt) else { continue }
            board.remove(id, from: job.record.destination)
            await carryOut(
                apply(.cannotBeAsked("\(printer) had begun the job and does not come back."), to: id), for: id,
                leaving: printer
            )
        }
    }

    private static let longestQuery = Duration.seconds(300)
}
