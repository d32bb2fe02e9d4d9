import Logging
import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// The transport failed: decide by what is known whether the job goes elsewhere, waits, or must be asked for.
    func attemptFailed(_ id: Int64, on printer: SavedPrinter, _ error: TransportError, _ monitor: DeliveryMonitor) async
    {
        rest(printer.id, after: error)
        let decision = tell(id, .failed(error))
        if decision != nil { learn(of: printer, fromAttempt: error, of: id, monitor) }
        await carryOut(decision, for: id, leaving: printer.id)
    }

    /// What the failed attempt says of the printer.
    private func learn(
        of printer: SavedPrinter, fromAttempt error: TransportError, of id: Int64, _ monitor: DeliveryMonitor
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
            active[id]?.refusedBy.insert(printer.id)
            active[id]?.refusal = error.message
        case .ask:
            if error.code != .cancelled { learn(of: printer, from: error, by: monitor) }
        case .follow, .abort, .doubt:
            break
        }
    }

    /// A printer that answers when it is asked and fails when it should print is not tried in a busy loop: it gets no
    /// job for a while, which grows with each failure in a row. The first costs nothing, so that a printer that comes
    /// back prints at once. Its jobs do not wait for that where another can print them.
    private func rest(_ printer: PrinterID, after error: TransportError) {
        // What an obstacle costs, the contact schedule counts.
        guard ![.outcomeUnknown, .cancelled, .connectionRefused].contains(error.code), Obstacle(error.code) == nil,
            !isShuttingDown
        else { return }
        let count = failures[printer, default: 0]
        failures[printer] = count + 1
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

    /// Something of our own failed: the queue, the document, or the engine is stopping.
    func attemptBroke(_ id: Int64, on printer: PrinterID, _ error: any Error) async {
        var event = JobEvent.interrupted("\(error)")
        if let error = error as? EngineError {
            noteStorage(error)
            if error.isAboutStorage {
                // A full disk may pass. Soon enough for one that has room again, and no busy loop while it has none.
                try? await clock.sleep(Self.storageRetryInterval)
            } else {
                // A document that is gone or damaged never comes back.
                event = .documentLost(error.message)
            }
        }
        await carryOut(tell(id, event), for: id, leaving: printer)
    }

    static let storageRetryInterval = Duration.seconds(1)

    // MARK: Asking the printer

    /// Goes on with a job that the printer may have: after a crash, or after a connection that broke at a bad moment.
    func resume(_ id: Int64, on printer: PrinterID) async {
        guard let record = active[id]?.record, record.stage.isInDoubt else {
            return await carryOut(nil, for: id, leaving: printer)
        }
        guard let saved = board.printers[printer]?.saved, let transport = transports[saved.url.scheme] else {
            return await carryOut(tell(id, .cannotBeAsked(Self.removed(printer))), for: id, leaving: printer)
        }
        if let sentTo = record.life.facts.sentTo, sentTo != saved.url {
            let reason = "\(printer) was \(sentTo) when the job was sent and is \(saved.url) now."
            return await carryOut(tell(id, .cannotBeAsked(reason)), for: id, leaving: printer)
        }
        await leaving[printer]?.value
        let monitor = DeliveryMonitor(edits: edits[printer, default: 0])
        active[id]?.progress = monitor
        do {
            guard let remoteJob = try await locate(record, on: saved, over: transport) else {
                return await carryOut(tell(id, .notLocated), for: id, leaving: printer)
            }
            try await followToEnd(remoteJob, id, on: saved, over: transport)
        } catch let error as TransportError {
            await resumptionFailed(id, on: saved, error, monitor)
        } catch {
            await attemptBroke(id, on: printer, error)
        }
    }

    private func locate(
        _ record: JobRecord, on printer: SavedPrinter, over transport: any Transport
    ) async throws -> RemoteJob? {
        if var known = record.job.remoteJob {
            // It was long ago, and the printer may have begun to count anew: the job's name has to prove that it is
            // ours.
            known.origin = RemoteJob.Origin(deliveryID: deliveryID(of: record), user: record.job.user)
            return known
        }
        let document = PrintDocument(format: record.job.format, body: .bytes([]))
        let asked = delivery(of: record, PreparedDocument(document: document, ticket: record.job.ticket))
        let found = try await transport.locate(asked, on: printer.target)
        if let found, case .follow = tell(record.job.id, .located(found)) { saveSoon(record.job.id) }
        return found
    }

    private func resumptionFailed(
        _ id: Int64, on printer: SavedPrinter, _ error: TransportError, _ monitor: DeliveryMonitor
    ) async {
        let before = active[id]?.record
        let decision = tell(id, .askingFailed(error))
        guard decision == .ask else { return await carryOut(decision, for: id, leaving: printer.id) }
        let isCounted = error.code != .cancelled
        if isCounted { active[id]?.unanswered += 1 }
        let count = active[id]?.unanswered ?? 0
        guard count < Self.mostQuestions else {
            let reason =
                "\(printer.id) had begun the job, and was asked for it \(count) times without an answer (\(error.message))."
            return await carryOut(tell(id, .cannotBeAsked(reason)), for: id, leaving: printer.id)
        }
        free(printer.id, from: id)
        if let record = active[id]?.record, record != before { save(record) }
        if isCounted { learn(of: printer, from: error, by: monitor) }
        contactSoon(printer.id)
        dispatchAll()
        askAgain(id, on: printer.id, in: min(.milliseconds(100) * (1 << count), Self.longestQuestionPause))
    }

    /// A printer that answers contacts but not this question is not asked in a busy loop, and prints others' jobs
    /// meanwhile.
    private func askAgain(_ id: Int64, on printer: PrinterID, in pause: Duration) {
        Task { [weak self, clock] in
            try? await clock.sleep(pause)
            await self?.askAgain(id, on: printer)
        }
    }

    private func askAgain(_ id: Int64, on printer: PrinterID) {
        guard let entry = active[id], entry.task == nil, entry.record.stage.isInDoubt,
            entry.record.job.printer == printer
        else { return }
        board.addResumption(of: id, on: printer)
        contactSoon(printer)
        dispatchAll()
    }

    /// So often a printer that answers contacts is asked for a job, about a minute in all, before nobody can know.
    private static let mostQuestions = 12
    private static let longestQuestionPause = Duration.seconds(10)

    static func removed(_ printer: PrinterID) -> String {
        "The printer \"\(printer)\" had begun the job and is no longer saved."
    }

    /// Ends the waiting for a printer that may have a job and does not come back: when the job is no longer worth
    /// printing, or at once when it is to be canceled.
    func endHopeless(at now: Timestamp) async {
        for id in active.keys {
            // Looked up each time: meanwhile the printer may have come back, and be asked.
            guard let entry = active[id], entry.task == nil else { continue }
            let record = entry.record
            guard record.stage.isInDoubt, let printer = record.job.printer,
                board.printers[printer]?.availability.isAvailable != true
            else { continue }
            let patience = record.life.facts.sentAt?.advanced(by: Self.longestAsking) ?? now
            guard record.isCancelRequested || now >= max(patience, record.job.expiresAt) else { continue }
            board.remove(id, from: record.destination)
            await carryOut(
                tell(id, .cannotBeAsked("\(printer) had begun the job and does not come back.")), for: id,
                leaving: printer
            )
        }
    }

    private static let longestAsking = Duration.seconds(300)
}
