import KioskPrintModel
import Logging

/// Acts on the failures of a `DeliveryAttempt`: decides where the job goes, notes what they show of the printer, and
/// schedules when the printer or the document is tried again.
struct AttemptFailureHandler: Sendable {
    let id: Int64
    /// The printer as it was saved when the attempt began.
    let printer: SavedPrinter
    let monitor: DeliveryMonitor

    // MARK: Deliveries

    /// The transport failed: decides by what is known whether the job goes elsewhere, waits, or must be asked for.
    func deliveryFailed(_ error: TransportError, for engine: isolated PrintEngine) async {
        pauseDeliveries(after: error, for: engine)
        if FailureDecision(error) == .refused, error.code == .formatRefused, let format = monitor.preparedFormat,
            let next = engine.nextFormat(after: format, of: id, on: printer, because: .format)
        {
            engine.jobs[id]?.remark([next.remark])
            let decision = engine.apply(.failed(error), to: id)
            // The printer itself takes it, so that none is passed over.
            return await engine.carryOut(
                decision == .queueForOthers ? .queue : decision, for: id, leaving: printer.id)
        }
        let decision = engine.apply(.failed(error), to: id)
        if decision != nil { learn(from: error, for: engine) }
        await engine.carryOut(decision, for: id, leaving: printer.id)
    }

    /// Notes what the failed delivery shows of the printer.
    private func learn(from error: TransportError, for engine: isolated PrintEngine) {
        switch FailureDecision(error) {
        case .retrySoon:
            // Another candidate prints the job. Until the next contact, which follows at once, this one is passed over.
            engine.learn(of: printer.id, .busyWithOthers(error.message))
            engine.contactSoon(printer.id)
        case .passOver(var availability):
            guard error.code != .cancelled || monitor.isPassedOver else { return }
            if error.code == .cancelled { availability.message = "\(printer.url) did not respond in time" }
            engine.learn(of: printer, from: error, availability, by: monitor)
            engine.contactSoon(printer.id)
        case .refused:
            engine.jobs[id]?.refuse(by: printer.id, error.message)
        case .ask:
            if error.code != .cancelled { engine.learn(of: printer, from: error, by: monitor) }
        case .follow, .abort, .doubt:
            break
        }
    }

    /// Pauses a printer that responds to contacts and fails deliveries, so that it is not tried in a busy loop. The
    /// pause grows with each failure in a row. The first failure has none, so that a printer that comes back prints at
    /// once. Jobs do not wait for the pause where another printer can print them.
    private func pauseDeliveries(after error: TransportError, for engine: isolated PrintEngine) {
        // Obstacles are counted by the contact schedule.
        guard ![.outcomeUnknown, .cancelled, .connectionRefused].contains(error.code), Obstacle(error.code) == nil,
            !engine.isShuttingDown
        else { return }
        let count = engine.contacts.noteFailedDelivery(to: printer.id)
        guard count > 0 else { return }
        engine.board.pause(printer.id)
        let pause = Self.pauseDelay.after(count)
        engine.trace.paused(printer.id, at: printer.url, for: pause)
        engine.wake(printer.id, after: pause)
    }

    private static let pauseDelay = ExponentialBackoff(first: .milliseconds(100), maximum: .seconds(10))

    /// The attempt failed through no fault of the printer: the queue, the document, or the engine is stopping.
    func interrupted(by error: any Error, for engine: isolated PrintEngine) async {
        var event = JobEvent.interrupted("\(error)")
        if let error = error as? EngineError {
            engine.storage.note(error)
            if error.isAboutStorage {
                // A full disk may pass. Soon enough for one that has room again, and no busy loop while it has none.
                try? await engine.clock.sleep(StorageHealth.retryInterval)
            } else {
                // A document that is gone or damaged never comes back.
                event = .documentLost(error.message)
            }
        }
        await engine.carryOut(engine.apply(event, to: id), for: id, leaving: printer.id)
    }

    // MARK: Preparation

    /// The document could not be rendered to its end, while it was sent. `error`: how the transport ended.
    func renderingFailed(
        _ problem: DocumentProblem, _ error: TransportError, for engine: isolated PrintEngine
    ) async {
        guard error.bytesAccepted > 0 else {
            guard problem.kind == .interrupted else { return await preparationFailed(problem, for: engine) }
            // The printer took nothing, and the document is not at fault: from the beginning, as after a busy printer.
            let passing = TransportError(.printerBusy, operation: "render", message: "\(problem)")
            return await engine.carryOut(engine.apply(.failed(passing), to: id), for: id, leaving: printer.id)
        }
        let pages = monitor.pagesBegun
        let which = pages > 1 ? "pages 1 to \(pages) of it" : "a part of its first page"
        let message = "\(problem); \(which) may be on paper at \(printer.id)"
        await engine.carryOut(
            engine.apply(.renderingFailed(message, bytesSent: error.bytesAccepted), to: id), for: id,
            leaving: printer.id)
    }

    /// The document, of which nothing was sent, cannot be printed: on this printer, or on any.
    func preparationFailed(_ problem: DocumentProblem, for engine: isolated PrintEngine) async {
        switch problem.kind {
        case .interrupted: return await waitForPreparation(problem, for: engine)
        case .unprintable: break
        case .invalid, .tooLarge, .forbidden:
            // No printer makes it better.
            return await engine.carryOut(
                engine.apply(.renderingFailed("\(problem)", bytesSent: 0), to: id), for: id, leaving: printer.id)
        }
        let message = "\(printer.id) cannot print it: \(problem)"
        engine.jobs[id]?.refuse(by: printer.id, message)
        let error = TransportError(.formatRefused, operation: "prepare", message: message)
        await engine.carryOut(engine.apply(.failed(error), to: id), for: id, leaving: printer.id)
    }

    /// Tries the job again after a pause that grows, until it expires. Meanwhile the printer is free for others.
    private func waitForPreparation(_ problem: DocumentProblem, for engine: isolated PrintEngine) async {
        let decision = engine.apply(.notPrepared("\(problem); it is tried again until it expires"), to: id)
        guard decision == .queue, let job = engine.jobs[id] else {
            return await engine.carryOut(decision, for: id, leaving: printer.id)
        }
        let retry = engine.preparationRetries.noteFailure(of: id)
        if retry.isFirst {
            engine.logger.warning(
                "job \(id) waits: \(problem.description.withoutControlCharacters)", metadata: job.job.logFields)
        }
        engine.free(printer.id, from: id)
        engine.writer.save(job.record)
        // The board expires it; until then it is not offered to printers.
        let left = job.job.expiresAt.millisecondsSince1970 - engine.clock.now().millisecondsSince1970
        engine.prepareAgain(id, after: min(retry.delay, .milliseconds(max(left, 0))))
        engine.dispatchAll()
    }

    // MARK: Queries

    /// The printer could not be asked for a job that it may have, or did not know.
    func queryFailed(_ error: TransportError, for engine: isolated PrintEngine) async {
        let before = engine.jobs[id]?.record
        let decision = engine.apply(.askingFailed(error), to: id)
        guard decision == .ask, let job = engine.jobs[id] else {
            return await engine.carryOut(decision, for: id, leaving: printer.id)
        }
        let isCounted = error.code != .cancelled
        if isCounted { job.unansweredQueries += 1 }
        let count = job.unansweredQueries
        guard count < Self.maximumQueries else {
            let reason =
                "\(printer.id) had begun the job, and was queried for it \(count) times without a response (\(error.message))."
            return await engine.carryOut(
                engine.apply(.cannotBeAsked(reason), to: id), for: id, leaving: printer.id)
        }
        engine.free(printer.id, from: id)
        if job.record != before { engine.writer.save(job.record) }
        if isCounted { engine.learn(of: printer, from: error, by: monitor) }
        engine.contactSoon(printer.id)
        engine.dispatchAll()
        // A printer that answers contacts but not this query is not asked in a busy loop.
        engine.askAgain(id, on: printer.id, after: Self.queryDelay.after(count))
    }

    /// How often a printer that answers contacts is asked for a job, about a minute in all, before nobody can know.
    private static let maximumQueries = 12
    private static let queryDelay = ExponentialBackoff(first: .milliseconds(100), maximum: .seconds(10))
}
