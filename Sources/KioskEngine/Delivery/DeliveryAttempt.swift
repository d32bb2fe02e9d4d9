import PrintModel

/// One attempt to print one job on one printer: marks it durably, sends it and follows it to its end. What comes of it
/// goes to the engine, which decides what is next.
struct DeliveryAttempt: Sendable {
    let id: Int64
    /// The printer as it was saved when the attempt began, whatever is saved meanwhile.
    let printer: SavedPrinter
    let transport: any Transport
    let monitor: DeliveryMonitor

    /// Whether the job is still at work in this attempt; what a transport says after its end concerns nothing any more.
    private func isCurrent(_ job: ActiveJob) -> Bool { job.monitor === monitor }

    // MARK: Sending

    /// Sends the job and follows it.
    func deliver(for engine: isolated PrintEngine) async {
        do {
            guard let prepared = try await begin(for: engine), let record = engine.jobs[id]?.record else { return }
            let delivery = Delivery(
                jobID: engine.deliveryID(of: record), name: record.job.name, user: record.job.user,
                ticket: prepared.ticket, document: prepared.document, sentAt: record.life.status.sentAt)
            let scale = DocumentScale(of: record.job.documentLength, sentAs: prepared.document.length)
            try await finish(try await send(delivery, scale, for: engine), for: engine)
        } catch let problem as DocumentProblem {
            await engine.preparationFailed(id, on: printer, problem)
        } catch let error as TransportError {
            await engine.deliveryFailed(id, on: printer, error, monitor)
        } catch {
            await engine.attemptFailed(id, on: printer.id, error)
        }
    }

    /// Writes "a byte may reach paper from now on" to the disk before any can, and meanwhile reads and prepares the
    /// document. Nil where the job ended instead.
    private func begin(for engine: isolated PrintEngine) async throws -> PreparedDocument? {
        guard let job = engine.jobs[id] else { throw CancellationError() }
        let isMarked = job.stage == .contacting  // since it was accepted
        if !isMarked {
            guard job.stage == .routed else { throw CancellationError() }
            let decision = engine.apply(.began(printer), to: id)
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
        guard let preparation = engine.preparation, preparation.formats.contains(document.format),
            let state = engine.board.printers[printer.id]
        else {
            return PreparedDocument(document: document, ticket: record.job.ticket)
        }
        var target = state.preparationTarget
        target.printer = printer
        let bytes = try await engine.documents.bytes(of: document.body)
        let prepared = try await monitor.run { [target] in
            try await preparation.prepare(
                bytes, checked, as: document.format, with: record.job.ticket, isCopy: record.printsCopy, for: target)
        }
        engine.prepared(id)
        return prepared
    }

    private func send(
        _ delivery: Delivery, _ scale: DocumentScale, for engine: isolated PrintEngine
    ) async throws -> JobReport {
        let watchdog = watchForSilence(for: engine)
        defer { watchdog?.cancel() }
        var backOff = Duration.milliseconds(2)
        let start = ContinuousClock.now
        while true {
            monitor.attemptBegins()
            do {
                return try await monitor.run {
                    try await transport.deliver(delivery, to: printer.target) { sent in
                        let progress = scale.progress(sent)
                        if monitor.note(progress), monitor.wasStopped || Self.isWorthShowing(progress) {
                            Task { await showProgress(for: engine) }
                        }
                        if case .accepted(let job) = progress { Task { await accepted(as: job, for: engine) } }
                    }
                }
            } catch let sent as TransportError {
                let error = scale.error(sent)
                guard FailureDecision(error) == .retrySoon else { throw error }
                let isEarly = start.duration(to: .now) < engine.configuration.failoverTimeout
                guard let waiting = engine.jobs[id]?.waiting, waiting.expiresAt > engine.clock.now(),
                    isEarly || !engine.board.hasAlternative(to: printer.id, for: waiting),
                    engine.apply(.wasBusy, to: id) == .sendAgainSoon
                else { throw error }
                try await engine.clock.sleep(backOff)
                backOff = min(backOff * 2, Self.longestBusyPause)
            } catch {
                // No transport throws such; what it does not say of the bytes counts as taken.
                throw scale.error(
                    TransportError(
                        .protocolViolation, operation: "deliver", message: "\(printer.url): \(error)",
                        bytesAccepted: delivery.document.length
                    ))
            }
        }
    }

    /// A busy printer finishes something soon; waiting longer than this between requests would waste its time.
    private static let longestBusyPause = Duration.milliseconds(100)

    /// Stops an attempt that gets no sign of life, where another candidate could print at once.
    private func watchForSilence(for engine: isolated PrintEngine) -> Task<Void, Never>? {
        guard let waiting = engine.jobs[id]?.waiting, engine.board.names(of: waiting.destination).count > 1 else {
            return nil
        }
        return Task { [clock = engine.clock, timeout = engine.configuration.failoverTimeout] in
            try? await clock.sleep(timeout)
            guard !Task.isCancelled, engine.board.hasAlternative(to: printer.id, for: waiting) else { return }
            monitor.passOver()
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

    /// In bytes: a document of up to this length is sent before anyone could look at its progress.
    private static let quietLength: Int64 = 256 * 1024

    private func showProgress(for engine: isolated PrintEngine) {
        guard let job = engine.jobs[id], isCurrent(job), job.stage.isOnItsWay else { return }
        if monitor.bytesSent > 0, job.stage == .contacting { _ = engine.apply(.tookBytes, to: id) }
        engine.hub.publish(.jobProgress, job: job.shown)
    }

    /// The printer named the job: whatever happens now, it can be asked for.
    private func accepted(as remoteJob: RemoteJob, for engine: isolated PrintEngine) {
        guard let job = engine.jobs[id], isCurrent(job), job.stage.isOnItsWay else { return }
        if engine.apply(.named(remoteJob), to: id) == .storeSoon { engine.saveSoon(id) }
    }

    // MARK: At the printer

    /// The printer took the job: follows it to its end.
    private func finish(_ report: JobReport, for engine: isolated PrintEngine) async throws {
        let isTakenBack = await engine.wasTakenBack(id, report)
        engine.jobs[id]?.remark(report.remarks)
        let decision = engine.apply(.taken(report, isTakenBack: isTakenBack), to: id)
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
            try await followToEnd(remoteJob, for: engine)
        } catch let error as TransportError {
            await engine.resumptionFailed(id, on: printer, error, monitor)
        } catch {
            await engine.attemptFailed(id, on: printer.id, error)
        }
    }

    private func locate(for engine: isolated PrintEngine) async throws -> RemoteJob? {
        guard let record = engine.jobs[id]?.record else { throw CancellationError() }
        if var known = record.job.remoteJob {
            // It was long ago, and the printer may have begun to count anew: the job's name has to prove that it is
            // ours.
            known.origin = RemoteJob.Origin(deliveryID: engine.deliveryID(of: record), user: record.job.user)
            return known
        }
        let document = PrintDocument(format: record.job.format, body: .bytes([]))
        let delivery = Delivery(
            jobID: engine.deliveryID(of: record), name: record.job.name, user: record.job.user,
            ticket: record.job.ticket, document: document, sentAt: record.life.status.sentAt)
        let found = try await transport.locate(delivery, on: printer.target)
        if let found, case .follow = engine.apply(.located(found), to: id) { engine.saveSoon(id) }
        return found
    }

    private func followToEnd(_ remoteJob: RemoteJob, for engine: isolated PrintEngine) async throws {
        let last = try await follow(remoteJob, for: engine)
        engine.sawPrinterWork(printer.id)
        let isTakenBack = await engine.wasTakenBack(id, last)
        await engine.carryOut(
            engine.apply(.ended(last, isTakenBack: isTakenBack), to: id), for: id, leaving: printer.id)
    }

    private func follow(_ remoteJob: RemoteJob, for engine: isolated PrintEngine) async throws -> JobReport {
        let job = engine.jobs[id]
        if let job, job.record.isCancelRequested {
            engine.requestCancel(of: job, as: remoteJob, on: printer, over: transport)
        }
        var remoteJob = remoteJob
        remoteJob.origin = remoteJob.origin ?? RemoteJob.Origin(user: job?.job.user)
        do {
            return try await monitor.run { [remoteJob] in
                try await transport.follow(remoteJob, on: printer.target) { report in
                    Task { await note(report, for: engine) }
                }
            }
        } catch var error as TransportError where error.code != .outcomeUnknown {
            // However the following failed, the printer has the job: it must never be taken for one that can be sent
            // again.
            error.remoteJob = remoteJob
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
