import Logging
import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// Tells a job's life what happened, and returns what is to be done. Nil where the job is gone, or where this
    /// cannot happen to it: then the fault is ours, and the job stays as it is.
    func tell(_ id: Int64, _ event: JobEvent) -> JobDecision? {
        guard var record = active[id]?.record, let decision = advance(&record, event) else { return nil }
        active[id]?.record = record
        return decision
    }

    func advance(_ record: inout JobRecord, _ event: JobEvent) -> JobDecision? {
        let role = record.job.role.flatMap { snapshot.role($0) }
        let circumstances = JobCircumstances(
            now: clock.now(), unconfirmed: role?.unconfirmed ?? .hold, maximumReprints: configuration.maximumReprints
        )
        do {
            return try record.life.handle(event, in: circumstances)
        } catch {
            logger.critical("\(error)")
            return nil
        }
    }

    /// Does what a job's life asks for where its attempt on a printer has ended.
    func carryOut(_ decision: JobDecision?, for id: Int64, leaving printer: PrinterID?) async {
        switch decision {
        case .queue: queue(id, leaving: printer)
        case .queueForOthers: await queueForOthers(id, leaving: printer)
        case .ask: await askLater(id, leaving: printer)
        case .hold: await hold(id, leaving: printer)
        case .settle:
            if let job = active[id]?.record.job, job.state == .aborted, let message = job.message {
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
        if let record = active[id]?.record { save(record) }
        enqueue(id)
        dispatchAll()
    }

    /// This printer will never take the job; another may.
    private func queueForOthers(_ id: Int64, leaving printer: PrinterID?) async {
        guard let entry = active[id], board.choice(for: entry.waiting()) == .impossible else {
            return queue(id, leaving: printer)
        }
        let refusal = entry.refusal ?? "no printer takes it"
        let decision = tell(id, .unprintable(by: printer, reason: "document-unprintable-error", message: refusal))
        await carryOut(decision, for: id, leaving: printer)
    }

    /// The printer may have the job: as soon as it answers, it is asked.
    private func askLater(_ id: Int64, leaving printer: PrinterID?) async {
        guard let printer = printer ?? active[id]?.record.job.printer else { return }
        guard snapshot.printer(printer) != nil else {
            return await carryOut(tell(id, .cannotBeAsked(Self.removed(printer))), for: id, leaving: printer)
        }
        free(printer, from: id)
        if let record = active[id]?.record { save(record) }
        board.addResumption(of: id, on: printer)
        contactSoon(printer)
        dispatchAll()
    }

    private func hold(_ id: Int64, leaving printer: PrinterID?) async {
        if let printer { free(printer, from: id) }
        guard let record = active[id]?.record else { return }
        logger.warning("job \(id) is held: \((record.job.message ?? "").withoutControlCharacters)")
        if let printer { dispatch(printer) }
        do {
            try await saveDurably(record)
        } catch {
            noteStorage(error as? EngineError ?? EngineError.storage(error, doing: "store the job"))
        }
        if let entry = active[id], entry.record.stage == .held { waiters.settle(entry.record.job) }
    }
}
