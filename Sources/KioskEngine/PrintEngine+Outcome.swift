internal import Logging
internal import PrintModel
internal import PrinterRegistry

extension PrintEngine {
    /// The transport failed: decide by what is known whether the job goes elsewhere, waits, or must be asked for.
    func attemptFailed(
        _ id: Int64, on printer: SavedPrinter, over transport: any Transport, _ error: TransportError,
        _ monitor: DeliveryMonitor
    ) async {
        guard let entry = active[id] else { return free(printer.id, from: id) }
        if error.code == .outcomeUnknown { return await endUnconfirmed(id, on: printer.id, because: error.message) }
        let decision = FailureDecision(error)
        active[id]?.record.job.bytesSent = error.bytesAccepted
        await pauseAfterFailure(of: printer.id, error)
        if entry.record.isCancelRequested, decision != .ask {
            if case .follow(let remoteJob) = decision { return await ask(id, on: printer, over: transport, as: remoteJob) }
            return await settleCanceled(id, on: printer.id)
        }
        switch decision {
        case .retrySoon:
            await gaveUpOnBusy(id, printer.id, error)
        case .passOver(var availability):
            if error.code == .cancelled, monitor.isPassedOver {
                availability.message = "\(printer.url) did not answer in time"
            }
            if error.code == .cancelled, !monitor.isPassedOver { return backToWaiting(id, on: printer.id, message: error.message) }
            learn(of: printer, from: error, availability, by: monitor)
            backToWaiting(id, on: printer.id, message: error.message)
            contactSoon(printer.id)
        case .refused:
            await refused(id, by: printer.id, error)
        case .ask:
            if error.code != .cancelled { learn(of: printer, from: error, by: monitor) }
            await askLater(id, on: printer.id, message: error.message)
        case .follow(let remoteJob):
            await ask(id, on: printer, over: transport, as: remoteJob)
        case .abort:
            await settleAborted(id, on: printer.id, reason: "document-access-error", message: error.message)
        }
    }

    /// A printer that answers when it is asked and fails when it should print is not tried in a busy loop: the pause grows
    /// with each failure in a row. The first costs nothing, so that a printer that comes back prints at once.
    private func pauseAfterFailure(of printer: PrinterID, _ error: TransportError) async {
        // What an obstacle costs, the contact schedule counts.
        guard error.code != .cancelled, error.code != .connectionRefused, Obstacle(error.code) == nil, !isShuttingDown else { return }
        let count = failures[printer, default: 0]
        failures[printer] = count + 1
        guard count > 0 else { return }
        try? await clock.sleep(min(.milliseconds(100) * (1 << min(count, 10)), Self.longestFailurePause))
    }

    private static let longestFailurePause = Duration.seconds(10)

    /// Something of our own failed: the queue, the document, or the engine is stopping.
    func attemptBroke(_ id: Int64, on printer: PrinterID, _ error: any Error) async {
        if let error = error as? EngineError {
            noteStorage(error)
            // A full disk may pass; the job waits for it. A document that is gone never comes back.
            if error.code != .documentLost {
                // Soon enough for a disk that has room again, and no busy loop while it has none.
                try? await clock.sleep(Self.storageRetryInterval)
                backToWaiting(id, on: printer, message: error.message)
                return
            }
            await settleAborted(id, on: printer, reason: "document-access-error", message: error.message)
        } else if active[id]?.record.isCancelRequested == true {
            await settleCanceled(id, on: printer)
        } else if error is CancellationError || active[id]?.record.stage == .waiting {
            backToWaiting(id, on: printer, message: "\(error)")
        } else {
            // Unknown errors prove nothing about what was sent.
            await askLater(id, on: printer, message: "\(error)")
        }
    }

    static let storageRetryInterval = Duration.seconds(1)

    /// No byte can have reached paper: the job waits again, in its old place.
    func backToWaiting(_ id: Int64, on printer: PrinterID, message: String?) {
        free(printer, from: id)
        guard var entry = active[id] else { return dispatch(printer) }
        entry.record.stage = .waiting
        entry.record.sentAt = nil
        entry.record.job.state = .pending
        entry.record.job.stateReasons = ["job-incoming-retry"]
        entry.record.job.message = message
        entry.record.job.bytesSent = 0
        entry.record.job.remoteJob = nil
        if !entry.record.isPinned { entry.record.job.printer = nil }
        active[id] = entry
        save(entry.record)
        enqueue(id)
        dispatchAll()
    }

    /// This printer will never take the job; another may.
    private func refused(_ id: Int64, by printer: PrinterID, _ error: TransportError) async {
        active[id]?.refusedBy.insert(printer)
        active[id]?.refusal = error.message
        guard let waiting = active[id]?.waiting(), board.choice(for: waiting) == .impossible else {
            return backToWaiting(id, on: printer, message: error.message)
        }
        await settleAborted(id, on: printer, reason: "document-unprintable-error", message: error.message)
    }

    /// The printer went on saying that it is busy: another candidate prints the job, or it is no longer worth printing.
    private func gaveUpOnBusy(_ id: Int64, _ printer: PrinterID, _ error: TransportError) async {
        guard let entry = active[id] else { return free(printer, from: id) }
        if entry.record.job.expiresAt <= clock.now() {
            free(printer, from: id)
            return await settleExpired(id, next: printer)
        }
        // Until the next contact, which follows at once, it is passed over.
        let reason = StateReason(keyword: "busy-with-other-jobs", severity: .report)
        learn(of: printer, Availability(.stopped, reasons: [reason], message: error.message))
        backToWaiting(id, on: printer, message: error.message)
        contactSoon(printer)
    }

    // MARK: Asking the printer

    /// The printer may have the job: as soon as it answers, it is asked.
    private func askLater(_ id: Int64, on printer: PrinterID, message: String?) async {
        guard snapshot.printer(printer) != nil else {
            return await endUnconfirmed(id, on: printer, because: Self.removed(printer))
        }
        free(printer, from: id)
        guard var entry = active[id] else { return dispatch(printer) }
        entry.record.job.stateReasons = ["printer-asked-for-job"]
        entry.record.job.message = message
        active[id] = entry
        save(entry.record)
        board.addResumption(of: id, on: printer)
        contactSoon(printer)
        dispatchAll()
    }

    private func ask(_ id: Int64, on printer: SavedPrinter, over transport: any Transport, as remoteJob: RemoteJob) async {
        // The stage stays: whether the whole document went out decides what the printer's word is worth.
        active[id]?.record.job.remoteJob = remoteJob
        await askLater(id, on: printer.id, message: active[id]?.record.job.message)
    }

    /// Goes on with a job that the printer may have: after a crash, or after a connection that broke at a bad moment.
    func resume(_ id: Int64, on printer: PrinterID) async {
        guard let entry = active[id], let saved = board.printers[printer]?.saved, let transport = transports[saved.url.scheme]
        else { return await endUnconfirmed(id, on: printer, because: Self.removed(printer)) }
        if let sentTo = entry.record.sentTo, sentTo != saved.url {
            return await endUnconfirmed(
                id, on: printer, because: "\(printer) was \(sentTo) when the job was sent and is \(saved.url) now."
            )
        }
        await leaving[printer]?.value
        let monitor = DeliveryMonitor(edits: edits[printer, default: 0])
        active[id]?.progress = monitor
        do {
            let found = try await locate(entry, on: saved, over: transport)
            guard let remoteJob = found else {
                if entry.record.isCancelRequested { return await settleCanceled(id, on: printer) }
                return backToWaiting(id, on: printer, message: "\(saved.url) was asked and does not have the job; it is sent again")
            }
            let report = JobReport(state: .processing, evidence: .accepted, remoteJob: remoteJob)
            try await finish(id, on: saved, over: transport, report, isResumed: true)
        } catch let error as TransportError {
            await resumptionFailed(id, on: saved, error, monitor)
        } catch {
            await attemptBroke(id, on: printer, error)
        }
    }

    private static let resumptionPause = Duration.milliseconds(200)

    private func locate(
        _ entry: ActiveJob, on printer: SavedPrinter, over transport: any Transport
    ) async throws -> RemoteJob? {
        if var known = entry.record.job.remoteJob {
            // It was long ago, and the printer may have begun to count anew: the job's name has to prove that it is ours.
            known.origin = RemoteJob.Origin(deliveryID: deliveryID(of: entry.record), user: entry.record.job.user)
            return known
        }
        let document = PrintDocument(format: entry.record.job.format, body: .bytes([]))
        return try await transport.locate(delivery(of: entry.record, document), on: printer.target)
    }

    private func resumptionFailed(
        _ id: Int64, on printer: SavedPrinter, _ error: TransportError, _ monitor: DeliveryMonitor
    ) async {
        switch error.code {
        case .outcomeUnknown, .protocolViolation, .notSupported, .printerFailed, .jobRefused, .formatRefused, .printerNotFound,
            .accessDenied:
            // The printer answers, and the answer will not get better. (Other obstacles will, when somebody acts.)
            await endUnconfirmed(id, on: printer.id, because: error.message)
        default:
            // A printer that answers contacts but not this question is not asked in a busy loop.
            try? await clock.sleep(Self.resumptionPause)
            if error.code != .cancelled { learn(of: printer, from: error, by: monitor) }
            await askLater(id, on: printer.id, message: error.message)
        }
    }

    static func removed(_ printer: PrinterID) -> String {
        "The printer \"\(printer)\" had begun the job and is no longer saved."
    }

    /// Ends the waiting for a printer that may have a job and does not come back: when the job is no longer worth printing,
    /// or at once when it is to be canceled.
    func endHopeless(at now: Timestamp) async {
        for (id, entry) in active where entry.task == nil && !entry.isSettling {
            guard entry.record.stage == .sending || entry.record.stage == .following, let printer = entry.record.job.printer,
                board.printers[printer]?.availability.isAvailable != true
            else { continue }
            let patience = entry.record.sentAt?.advanced(by: Self.longestAsking) ?? now
            guard entry.record.isCancelRequested || now >= max(patience, entry.record.job.expiresAt) else { continue }
            board.remove(id, from: entry.record.destination)
            await endUnconfirmed(id, on: printer, because: "\(printer) had begun the job and does not come back.")
        }
    }

    private static let longestAsking = Duration.seconds(300)

    // MARK: Unconfirmed

    /// Nobody can tell whether the job was printed: the role's policy decides, and the job says so.
    func endUnconfirmed(_ id: Int64, on printer: PrinterID, because reason: String) async {
        guard var entry = active[id] else { return free(printer, from: id) }
        entry.record.job.isUnconfirmed = true
        let role = entry.record.job.role.flatMap { snapshot.role($0) }
        var policy = role?.unconfirmed ?? .hold
        if policy == .reprint, entry.record.reprints >= configuration.maximumReprints { policy = .hold }
        if entry.record.isCancelRequested { policy = .drop }
        let message = "\(reason) Whether the job was printed cannot be known."
        active[id] = entry
        switch policy {
        case .reprint:
            active[id]?.record.reprints += 1
            backToWaiting(id, on: printer, message: "\(message) It is printed again, as the role asks.")
        case .drop:
            await settleAborted(id, on: printer, reason: "unconfirmed", message: "\(message) It is not printed again, as the role asks.")
        case .hold:
            await hold(id, on: printer, message: "\(message) Look at the paper, then release it (prints again) or cancel it.")
        }
    }

    private func hold(_ id: Int64, on printer: PrinterID, message: String) async {
        free(printer, from: id)
        guard var entry = active[id] else { return dispatch(printer) }
        entry.record.stage = .held
        entry.record.job.state = .pendingHeld
        entry.record.job.stateReasons = ["unconfirmed"]
        entry.record.job.message = message
        active[id] = entry
        logger.warning("job \(id) is held: \(message.withoutControlCharacters)")
        dispatch(printer)
        do {
            try await saveDurably(entry.record)
        } catch {
            noteStorage(EngineError.storage(error, doing: "store the job"))
        }
        if let entry = active[id], entry.record.stage == .held { waiters.settle(entry.record.job) }
    }
}
