import KioskDurableFiles
import KioskPrintModel

/// One attempt to print one job on one printer, made by the engine's dispatch. `deliver` stores that it begins,
/// prepares and sends the document, and follows the job to its end; `resume` finds a job that the printer may have, and
/// follows it. Each result goes to the engine as a `JobEvent`. A busy printer is tried again here;
/// `AttemptFailureHandler` acts on all other errors.
struct DeliveryAttempt: Sendable {
    let id: Int64
    /// The printer as it was saved when the attempt began, whatever is saved meanwhile.
    let printer: SavedPrinter
    let transport: any Transport
    let monitor: DeliveryMonitor

    /// Whether the job is still in this attempt. Reports that a transport sends after the attempt's end are ignored.
    private func isCurrent(_ job: ActiveJob) -> Bool { job.monitor === monitor }

    private var failure: AttemptFailureHandler {
        AttemptFailureHandler(id: id, printer: printer, monitor: monitor)
    }

    // MARK: Sending

    /// Sends the job and follows it.
    func deliver(for engine: isolated PrintEngine) async {
        do {
            guard let prepared = try await begin(for: engine), let job = engine.jobs[id] else { return }
            let record = job.record
            engine.measurements.began(job, on: printer.id)
            let delivery = Delivery(
                jobID: engine.deliveryID(of: record), name: record.job.name, user: record.job.user,
                ticket: prepared.ticket, document: prepared.document, sentAt: record.life.status.sentAt)
            let scale = DocumentScale(of: record.job.documentLength, sentAs: prepared.document)
            try await finish(try await send(delivery, scale, for: engine), for: engine)
        } catch let problem as DocumentProblem {
            await failure.preparationFailed(problem, for: engine)
        } catch let error as TransportError {
            if error.code == .documentUnreadable, let problem = monitor.rendering?.failure {
                await failure.renderingFailed(problem, error, for: engine)
            } else {
                await failure.deliveryFailed(error, for: engine)
            }
        } catch {
            await failure.interrupted(by: error, for: engine)
        }
    }

    /// Writes "a byte may reach paper from now on" to the disk before any can, and meanwhile reads and prepares the
    /// document. Nil where the job ended instead.
    private func begin(for engine: isolated PrintEngine) async throws -> PreparedDocument? {
        guard let job = engine.jobs[id] else { throw CancellationError() }
        let isMarked = job.stage == .contacting  // since it was accepted
        if !isMarked {
            guard job.stage == .routed else { throw CancellationError() }
            let isSentPerCopy = engine.board.sendsDocumentPerCopy(of: job.job, on: printer.id)
            let decision = engine.apply(.began(printer, sendsDocumentPerCopy: isSentPerCopy), to: id)
            guard decision == .send else {
                await engine.carryOut(decision, for: id, leaving: printer.id)
                return nil
            }
        } else if job.record.life.status.sentTo != printer.url {
            // It was marked for the device that the printer was when the job was accepted.
            throw CancellationError()
        }
        job.monitor = monitor
        // Before anything else runs, so that later changes of the job are stored after this one.
        let mark = isMarked ? nil : engine.writer.handIn(job.record)
        let body = try await engine.documents.body(
            of: job.record, inMemory: job.document, isRestored: job.isRestored)
        let prepared = try await prepare(PrintDocument(format: job.job.format, body: body), for: engine)
        if let mark { try await engine.writer.stored(mark) }
        guard let job = engine.jobs[id], !job.record.isCancelRequested else { throw CancellationError() }
        job.remark(prepared.remarks)
        return prepared
    }

    /// The document as this printer accepts it, and the ticket that is left. Throws `DocumentProblem` where the printer
    /// cannot print it.
    private func prepare(_ document: PrintDocument, for engine: isolated PrintEngine) async throws -> PreparedDocument {
        guard let job = engine.jobs[id] else { throw CancellationError() }
        let (record, checked) = (job.record, job.checked)
        var ticket = record.job.ticket
        // Where copies are made one by one, each attempt makes one.
        if record.life.status.copiesMade != nil { ticket.copies = 1 }
        guard let preparation = engine.preparation, let state = engine.board.printers[printer.id],
            !engine.board.goesUnchanged(record.job, to: printer.id)
        else {
            if engine.board.isPrepared(document.format) { monitor.preparedFormat = document.format }
            let opensDrawer = ticket.drawer == true
            return PreparedDocument(
                document: document, ticket: ticket, remarks: opensDrawer ? [Self.drawerRemark] : [])
        }
        var target = state.preparationTarget
        target.printer = printer
        var document = document
        if document.length <= preparation.maximumLengthInMemory {
            document.body = .bytes(try await engine.documents.bytes(of: document.body))
        }
        let prepared = try await monitor.run { [target, document, ticket] in
            // Pages of pixels take milliseconds, for which no event loop is kept waiting.
            try await withTaskExecutorPreference(globalConcurrentExecutor) {
                try await preparation.prepare(
                    document, checked, with: ticket, isCopy: record.printsCopy, for: target)
            }
        }
        // A page count that was not known when the job was accepted, or that this printer's paper changes.
        if let limit = engine.registry.role(record.job.role)?.pageLimit, let pages = prepared.pages, pages > limit {
            throw DocumentProblem(
                .tooLarge, DocumentRemark(message: PageLimit.message(pages: pages, limit: limit)))
        }
        monitor.leftTicket = prepared.ticket
        engine.jobs[id]?.notePages(prepared.pages)
        monitor.rendering = prepared.document.rendering
        monitor.preparedFormat = prepared.document.format
        engine.trace.prepared(id, prepared.document, for: printer)
        engine.prepared(id)
        return prepared
    }

    /// No protocol has an attribute for drawers.
    private static let drawerRemark = "the drawer stays shut: only receipts in markup or JSON open it"

    private func send(
        _ delivery: Delivery, _ scale: DocumentScale, for engine: isolated PrintEngine
    ) async throws -> JobReport {
        let watchdog = watchForSilence(for: engine)
        defer { watchdog?.cancel() }
        var backoff = BusyBackoff(documentLength: delivery.document.length)
        var busyTime = Duration.zero
        while true {
            monitor.attemptBegins()
            engine.trace.delivers(delivery, of: id, to: printer)
            do {
                let report = try await monitor.run { [trace = engine.trace] in
                    try await transport.deliver(delivery, to: printer.target) { sent in
                        if case .sending(let bytes, _) = sent { monitor.noteRendered(bytesSent: bytes) }
                        let progress = scale.progress(sent)
                        if monitor.note(progress) {
                            trace.progressed(id, progress, at: printer)
                            if monitor.wasStopped || Self.isWorthShowing(progress) {
                                Task(executorPreference: transport.taskExecutor) { await showProgress(for: engine) }
                            }
                        }
                        // Most deliveries are over before the tick, and their report has the name.
                        if case .accepted = progress { engine.saveSoon(id) }
                    }
                }
                if report.remoteJob != monitor.remoteJob { takeName(for: engine) }
                // It was told to be busy, and is not any more.
                if busyTime >= Self.shownBusyPause { engine.contactSoon(printer.id) }
                return report
            } catch let sent as TransportError {
                takeName(for: engine)
                let error = scale.error(sent)
                // The printer may say so amid a stop, after which nothing is sent.
                guard FailureDecision(error) == .retrySoon, !Task.isCancelled else { throw error }
                let pause = backoff.next(notBefore: error.retryAfter)
                busyTime += pause
                let isEarly = busyTime < engine.configuration.failoverTimeout
                guard let waiting = engine.jobs[id]?.waiting, waiting.expiresAt > engine.clock.now(),
                    isEarly || !engine.board.hasAlternative(to: printer.id, for: waiting),
                    engine.apply(.wasBusy(busyMessage(error, pause)), to: id) == .sendAgainSoon
                else { throw error }
                if pause >= Self.shownBusyPause { showBusy(error, for: engine) }
                guard try await self.pause(pause, for: waiting, isEarly: isEarly, engine) else { throw error }
            } catch {
                // No transport throws such; what it does not say of the bytes counts as accepted.
                throw scale.error(
                    TransportError(
                        .protocolViolation, operation: "deliver", message: "\(printer.url): \(error)",
                        bytesAccepted: delivery.document.length
                    ))
            }
        }
    }

    // MARK: Busy printers

    /// The shortest pause that people are told of.
    private static let shownBusyPause = Duration.seconds(1)

    private func busyMessage(_ error: TransportError, _ pause: Duration) -> String? {
        pause < Self.shownBusyPause
            ? nil : "\(error.message); it is offered the job again in \(pause.components.seconds) s"
    }

    /// Says of the printer and of the job what the job waits for.
    private func showBusy(_ error: TransportError, for engine: isolated PrintEngine) {
        guard let job = engine.jobs[id], isCurrent(job) else { return }
        engine.hub.publish(.jobProgress, job: job.shown)
        guard engine.board.printers[printer.id]?.saved.target == printer.target else { return }
        engine.learn(of: printer.id, Availability(.busy, reasons: [.busyWithOthers], message: error.message))
    }

    /// Waits until a busy printer is to be offered the job again; false once another candidate could print it, or where
    /// the job has expired. `isEarly`: no other candidate is wanted yet.
    private func pause(
        _ pause: Duration, for waiting: WaitingJob, isEarly: Bool, _ engine: isolated PrintEngine
    ) async throws -> Bool {
        var left = pause
        while left > .zero {
            let step = min(left, Self.shownBusyPause)
            try await engine.clock.sleep(step)
            left -= step
            guard waiting.expiresAt > engine.clock.now() else { return false }
            if !isEarly, engine.board.hasAlternative(to: printer.id, for: waiting) { return false }
        }
        return true
    }

    /// Stops an attempt that gets no sign of life, where another candidate could print at once.
    private func watchForSilence(for engine: isolated PrintEngine) -> Task<Void, Never>? {
        guard let waiting = engine.jobs[id]?.waiting, engine.board.names(of: waiting.destination).count > 1 else {
            return nil
        }
        return Task { [clock = engine.clock, timeout = engine.configuration.failoverTimeout] in
            repeat {
                try? await clock.sleep(timeout)
                // Until all of a document is rendered that is sent as a whole, the printer is not silent.
            } while !Task.isCancelled && monitor.rendering?.isAwaited == true
            guard !Task.isCancelled, engine.board.hasAlternative(to: printer.id, for: waiting) else { return }
            if monitor.passOver() { engine.trace.passedOver(id, printer, after: timeout) }
        }
    }

    // MARK: Progress

    /// Whether a step lasts long enough for an event; whoever asks for the job sees every step.
    private static func isWorthShowing(_ progress: DeliveryProgress) -> Bool {
        switch progress {
        case .connecting, .printing, .accepted: false
        case .uploading, .converting, .stopped: true
        case .sending(_, let length): length > quietLength
        }
    }

    /// The length in bytes up to which a document is sent before anyone could look at its progress.
    private static let quietLength: Int64 = 256 * 1024

    private func showProgress(for engine: isolated PrintEngine) {
        guard let job = engine.jobs[id], isCurrent(job), job.stage.isOnItsWay else { return }
        if monitor.bytesSent > 0, job.stage == .contacting { _ = engine.apply(.acceptedBytes, to: id) }
        engine.hub.publish(.jobProgress, job: job.shown)
    }

    /// The delivery ended: the printer may have named the job meanwhile.
    private func takeName(for engine: isolated PrintEngine) {
        guard let job = engine.jobs[id], isCurrent(job) else { return }
        engine.takeName(of: job)
    }

    // MARK: At the printer

    /// The job has ended at the printer. A receipt that was aborted over its format goes there in another.
    private func settle(_ report: JobReport, for engine: isolated PrintEngine) async {
        let isCancelAgreed = await engine.agreedToCancel(id, report)
        engine.jobs[id]?.remark(report.remarks)
        if let why = report.unprintedAbort, let format = monitor.preparedFormat,
            let next = engine.nextFormat(after: format, of: id, on: printer, because: why)
        {
            engine.jobs[id]?.remark([next.remark])
            if why == .format, engine.jobs[id]?.stage == .following {
                return await engine.carryOut(
                    engine.apply(.formatRejected(next.remark), to: id), for: id, leaving: printer.id)
            }
        }
        await engine.carryOut(
            engine.apply(.ended(report, isCancelAgreed: isCancelAgreed), to: id), for: id, leaving: printer.id)
    }

    /// The printer took the job: follows it to its end.
    private func finish(_ report: JobReport, for engine: isolated PrintEngine) async throws {
        let isCancelAgreed = await engine.agreedToCancel(id, report)
        engine.jobs[id]?.remark(report.remarks)
        let decision = engine.apply(.accepted(report, isCancelAgreed: isCancelAgreed), to: id)
        guard case .follow(let remoteJob) = decision else {
            engine.sawPrinterWork(printer.id)
            return await engine.carryOut(decision, for: id, leaving: printer.id)
        }
        engine.noteChange(of: id, reported: report)
        try await followToEnd(remoteJob, for: engine)
    }

    /// Goes on with a job that the printer may have: after a crash, or after a connection that broke at a bad moment.
    func resume(for engine: isolated PrintEngine) async {
        do {
            guard let remoteJob = try await locate(for: engine) else {
                return await engine.carryOut(engine.apply(.notLocated, to: id), for: id, leaving: printer.id)
            }
            try await remarkOnTicket(of: remoteJob, for: engine)
            try await followToEnd(remoteJob, for: engine)
        } catch let error as TransportError {
            await failure.queryFailed(error, for: engine)
        } catch {
            await failure.interrupted(by: error, for: engine)
        }
    }

    /// The response that would have told what the printer takes of the ticket was lost: the printer is asked, and
    /// where it does not say, the job says so.
    private func remarkOnTicket(of remoteJob: RemoteJob, for engine: isolated PrintEngine) async throws {
        guard let job = engine.jobs[id], !job.stage.isWhole else { return }
        let delivery = query(about: job.record, for: engine)
        guard delivery.ticket != Ticket() else { return }
        let remarks: [String]
        do {
            remarks = try await monitor.run {
                try await transport.remarks(on: remoteJob, of: delivery, at: printer.target)
            }
        } catch let error as TransportError where error.code != .cancelled {
            remarks = ["whether \(printer.id) took all that the job asks for is not known, since its response was lost"]
        }
        engine.jobs[id]?.remark(remarks)
    }

    /// The delivery that the printer is asked about: without its document, and with that part of its ticket that the
    /// printer was to heed.
    private func query(about record: JobRecord, for engine: isolated PrintEngine) -> Delivery {
        var ticket = record.job.ticket
        if let left = engine.jobs[record.job.id]?.monitor?.leftTicket {
            ticket = left
        } else if record.job.format.isReceipt {
            // They are in the document.
            (ticket.copies, ticket.cut, ticket.drawer) = (nil, nil, nil)
        } else if !engine.board.goesUnchanged(record.job, to: printer.id) {
            // What of it was done in the document is not known after a restart.
            ticket = Ticket()
        } else if record.life.status.copiesMade != nil {
            ticket.copies = 1
        }
        return Delivery(
            jobID: engine.deliveryID(of: record), name: record.job.name, user: record.job.user, ticket: ticket,
            document: PrintDocument(format: record.job.format, body: .bytes([])), sentAt: record.life.status.sentAt)
    }

    private func locate(for engine: isolated PrintEngine) async throws -> RemoteJob? {
        guard let record = engine.jobs[id]?.record else { throw CancellationError() }
        if var known = record.job.remoteJob {
            // It was long ago, and the printer may have begun to count anew: the job's name has to prove that it is
            // ours.
            known.origin = RemoteJob.Origin(deliveryID: engine.deliveryID(of: record), user: record.job.user)
            engine.trace.asks(printer, for: id, as: known.identifier)
            return known
        }
        let delivery = query(about: record, for: engine)
        engine.trace.asks(printer, for: id, as: delivery.jobID)
        let found = try await transport.locate(delivery, on: printer.target)
        if let found, case .follow = engine.apply(.located(found), to: id) { engine.saveSoon(id) }
        return found
    }

    private func followToEnd(_ remoteJob: RemoteJob, for engine: isolated PrintEngine) async throws {
        let last = try await follow(remoteJob, for: engine)
        engine.sawPrinterWork(printer.id)
        if !last.remarks.isEmpty { engine.contactToLearn(of: printer.id) }
        await settle(last, for: engine)
    }

    private func follow(_ remoteJob: RemoteJob, for engine: isolated PrintEngine) async throws -> JobReport {
        let job = engine.jobs[id]
        if let job, job.record.isCancelRequested {
            job.requestCancel(as: remoteJob, on: printer, over: transport, engine.trace, engine.logger)
        }
        var remoteJob = remoteJob
        remoteJob.origin = remoteJob.origin ?? RemoteJob.Origin(user: job?.job.user)
        if let job, job.stage.isWhole { remoteJob.origin?.takenWholeSince = job.record.life.status.sentAt }
        do {
            return try await monitor.run { [remoteJob] in
                try await transport.follow(remoteJob, on: printer.target) { report in
                    Task(executorPreference: transport.taskExecutor) { await note(report, for: engine) }
                }
            }
        } catch var error as TransportError where error.code != .outcomeUnknown {
            // However the following failed, the printer has the job: it must never be taken for one that can be sent
            // again.
            error.remoteJob = remoteJob
            throw error
        } catch let error as TransportError {
            engine.contactToLearn(of: printer.id)
            throw error
        }
    }

    /// The printer reports how the job does; not final yet.
    private func note(_ report: JobReport, for engine: isolated PrintEngine) {
        guard let job = engine.jobs[id], isCurrent(job), job.stage.isAtPrinter, !report.state.isFinal else { return }
        job.unansweredQueries = 0
        if engine.apply(.reported(report), to: id) == .storeSoon { engine.noteChange(of: id, reported: report) }
    }
}

/// Loads a job's document for `DeliveryAttempt`, from memory, the database or the spool. Checks the digest of
/// documents that an earlier run or an earlier job stored. Holds no state of its own.
struct DocumentLoader: Sendable {
    let store: JobStore
    let spool: DocumentSpool
    let storage: StorageHealth

    /// The document of a job. Throws `document-lost` and `document-damaged`: a disk that cannot give the document back
    /// will not do so later, so the job ends and delays none behind it.
    func body(
        of record: JobRecord, inMemory document: [UInt8]?, isRestored: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> PrintDocument.Body {
        if record.documentFile == nil, let document { return .bytes(document) }
        do {
            return try await storedBody(of: record, isVerified: isRestored)
        } catch let error as EngineError where error.isAboutStorage {
            storage.note(error)
            throw EngineError(
                .documentDamaged, "the document of job \(record.job.id) cannot be read: \(error.message)")
        }
    }

    /// All bytes of a document that is prepared for its printer.
    func bytes(
        of body: PrintDocument.Body, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .file(let path, let length):
            try await spool.blocking { try AtomicFile.read(path, limit: Int(clamping: length)) }
        }
    }

    private func storedBody(
        of record: JobRecord, isVerified: Bool, isolation: isolated (any Actor)? = #isolation
    ) async throws -> PrintDocument.Body {
        if let file = record.documentFile {
            if isVerified { try verify(try await spool.digest(of: file), of: record) }
            return .file(path: spool.path(of: file), length: record.job.documentLength)
        }
        guard let bytes = try await store.document(of: record.job.id) else { throw Self.lost(record.job) }
        if isVerified { try verify(ContentDigest.hexadecimal(of: bytes), of: record) }
        return .bytes(bytes)
    }

    /// `digest`: nil where the file is gone.
    private func verify(_ digest: String?, of record: JobRecord) throws(EngineError) {
        guard let digest else { throw Self.lost(record.job) }
        guard digest == record.documentDigest ?? digest else {
            throw EngineError(
                .documentDamaged,
                "the document of job \(record.job.id) is not as it was received: the disk has damaged it; print it again"
            )
        }
    }

    private static func lost(_ job: Job) -> EngineError {
        EngineError(.documentLost, "the document of job \(job.id) is gone from the state directory; print it again")
    }
}
