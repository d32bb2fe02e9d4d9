import PrintModel

extension PrintEngine {
    /// One attempt to print one job: marks it durably, sends it, follows it, settles it.
    func deliver(_ id: Int64, to printer: PrinterID) async {
        guard let entry = active[id], !entry.isSettling else { return await carryOut(nil, for: id, leaving: printer) }
        await leaving[printer]?.value
        // From here on the attempt is one to this device, whatever is saved meanwhile.
        guard let saved = board.printers[printer]?.saved, let transport = transports[saved.url.scheme] else {
            // The printer vanished between assignment and start.
            return await carryOut(tell(id, .interrupted(nil)), for: id, leaving: printer)
        }
        let monitor = DeliveryMonitor(edits: edits[printer, default: 0])
        active[id]?.unanswered = 0
        do {
            guard let prepared = try await beginSending(id, to: saved, monitor), let record = active[id]?.record else {
                return
            }
            let scale = DocumentScale(of: record.job.documentLength, sentAs: prepared.document.length)
            let report = try await send(delivery(of: record, prepared), scale, id, to: saved, over: transport, monitor)
            try await finish(id, on: saved, over: transport, report)
        } catch let problem as DocumentProblem {
            await preparationFailed(id, on: saved, problem)
        } catch let error as TransportError {
            await attemptFailed(id, on: saved, error, monitor)
        } catch {
            await attemptBroke(id, on: printer, error)
        }
    }

    /// Writes "a byte may reach paper from now on" to the disk before any can, and fetches and prepares the document
    /// meanwhile. Nil where the job ended instead.
    private func beginSending(
        _ id: Int64, to saved: SavedPrinter, _ monitor: DeliveryMonitor
    ) async throws -> PreparedDocument? {
        let isMarked = active[id]?.record.stage == .contacting  // since it was accepted
        if !isMarked {
            guard active[id]?.record.stage == .routed else { throw CancellationError() }
            let decision = tell(id, .began(saved))
            guard decision == .send else {
                await carryOut(decision, for: id, leaving: saved.id)
                return nil
            }
        } else if active[id]?.record.life.facts.sentTo != saved.url {
            // It was marked for the device that the printer was when the job was accepted.
            throw CancellationError()
        }
        active[id]?.progress = monitor
        guard let entry = active[id] else { throw CancellationError() }
        // Before anybody else's turn, so that what is told of the job meanwhile is stored behind it.
        let mark = isMarked ? nil : handIn(entry.record)
        let document = PrintDocument(format: entry.record.job.format, body: try await readableBody(of: entry))
        let prepared = try await prepared(document, id, for: saved, monitor)
        if let mark { try await stored(mark) }
        if active[id]?.record.isCancelRequested != false { throw CancellationError() }
        active[id]?.record.life.remark(prepared.remarks)
        return prepared
    }

    /// A disk that cannot give the document back will not do so later: the job ends, and holds up none behind it.
    private func readableBody(of entry: ActiveJob) async throws -> PrintDocument.Body {
        do {
            return try await body(of: entry)
        } catch let error as EngineError where error.isAboutStorage {
            noteStorage(error)
            throw EngineError(
                .documentDamaged, "the document of job \(entry.record.job.id) cannot be read: \(error.message)")
        }
    }

    private func body(of entry: ActiveJob) async throws -> PrintDocument.Body {
        if let file = entry.record.documentFile {
            let path = spool.path(of: file)
            if entry.isRestored { try check(try await spool.digest(of: file), of: entry) }
            return .file(path: path, length: entry.record.job.documentLength)
        }
        if let bytes = entry.document { return .bytes(bytes) }
        guard let bytes = try await store.document(of: entry.record.job.id) else { throw Self.lost(entry.record.job) }
        if entry.isRestored { try check(ContentDigest.hexadecimal(of: bytes), of: entry) }
        return .bytes(bytes)
    }

    /// What a disk gave back after a power cut is looked at before it goes on paper. Nil: there is no such file.
    private func check(_ digest: String?, of entry: ActiveJob) throws(EngineError) {
        guard let digest else { throw Self.lost(entry.record.job) }
        guard digest == entry.record.documentDigest ?? digest else {
            throw EngineError(
                .documentDamaged,
                "the document of job \(entry.record.job.id) is not as it was taken in: the disk has damaged it; print it again"
            )
        }
    }

    private static func lost(_ job: Job) -> EngineError {
        EngineError(.documentLost, "the document of job \(job.id) is gone from the state folder; print it again")
    }

    /// Unique to the attempt: what an earlier one left at the printer is not this one.
    func deliveryID(of record: JobRecord) -> String { "\(marker)-\(record.job.id)-\(record.job.attempts)" }

    func delivery(of record: JobRecord, _ prepared: PreparedDocument) -> Delivery {
        Delivery(
            jobID: deliveryID(of: record), name: record.job.name, user: record.job.user, ticket: prepared.ticket,
            document: prepared.document, sentAt: record.life.facts.sentAt
        )
    }

    private func send(
        _ delivery: Delivery, _ scale: DocumentScale, _ id: Int64, to printer: SavedPrinter,
        over transport: any Transport, _ monitor: DeliveryMonitor
    ) async throws -> JobReport {
        let watchdog = watchForSilence(id, on: printer.id, monitor)
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
                            Task { await self.showProgress(id, monitor) }
                        }
                        if case .accepted(let job) = progress { Task { await self.accepted(id, as: job, monitor) } }
                    }
                }
            } catch let sent as TransportError {
                let error = scale.error(sent)
                guard FailureDecision(error) == .retrySoon else { throw error }
                let isPatient = start.duration(to: .now) < configuration.failoverPatience
                guard let waiting = active[id]?.waiting(), waiting.expiresAt > clock.now(),
                    isPatient || !board.hasAlternative(to: printer.id, for: waiting)
                else { throw error }
                guard tell(id, .wasBusy) == .sendAgainSoon else { throw error }
                try await clock.sleep(backOff)
                backOff = min(backOff * 2, Self.longestBusyWait)
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

    /// Whether it lasts long enough for an event; whoever asks for the job sees every step.
    private static func isWorthShowing(_ progress: DeliveryProgress) -> Bool {
        switch progress {
        case .connecting, .printing, .accepted: false
        case .uploading, .converting, .stopped: true
        case .sending(_, let length): length > quietLength
        }
    }

    /// A document of up to so many bytes is gone before anyone could look at its progress.
    private static let quietLength: Int64 = 256 * 1024

    /// A busy printer finishes something soon; waiting longer than this between questions would waste its time.
    private static let longestBusyWait = Duration.milliseconds(100)

    /// Stops an attempt that gets no sign of life, where another candidate could print at once.
    private func watchForSilence(_ id: Int64, on printer: PrinterID, _ monitor: DeliveryMonitor) -> Task<Void, Never>? {
        guard let waiting = active[id]?.waiting(), board.names(of: waiting.destination).count > 1 else { return nil }
        return Task { [clock, configuration] in
            try? await clock.sleep(configuration.failoverPatience)
            guard !Task.isCancelled, self.board.hasAlternative(to: printer, for: waiting) else { return }
            monitor.passOver()
        }
    }

    private func showProgress(_ id: Int64, _ monitor: DeliveryMonitor) {
        guard let entry = active[id], entry.progress === monitor, entry.record.stage.isOnItsWay else { return }
        noteBytes(id, monitor)
        hub.publish(.jobProgress, job: active[id]?.shown)
    }

    private func noteBytes(_ id: Int64, _ monitor: DeliveryMonitor) {
        guard monitor.bytesSent > 0, active[id]?.record.stage == .contacting else { return }
        _ = tell(id, .tookBytes)
    }

    /// The printer named the job: whatever happens now, it can be asked for.
    private func accepted(_ id: Int64, as job: RemoteJob, _ monitor: DeliveryMonitor) {
        guard let entry = active[id], entry.progress === monitor, entry.record.stage.isOnItsWay else { return }
        if tell(id, .named(job)) == .storeSoon { saveSoon(id) }
    }

    /// The printer took the job: follow it to its end.
    private func finish(
        _ id: Int64, on printer: SavedPrinter, over transport: any Transport, _ report: JobReport
    ) async throws {
        let isTakenBack = await wasTakenBack(id, report)
        active[id]?.record.life.remark(report.remarks)
        let decision = tell(id, .taken(report, isTakenBack: isTakenBack))
        guard case .follow(let remoteJob) = decision else {
            sawPrinterWork(printer.id)
            return await carryOut(decision, for: id, leaving: printer.id)
        }
        changed(id, asReported: report)
        try await followToEnd(remoteJob, id, on: printer, over: transport)
    }

    func followToEnd(
        _ remoteJob: RemoteJob, _ id: Int64, on printer: SavedPrinter, over transport: any Transport
    ) async throws {
        let last = try await follow(remoteJob, id, on: printer, over: transport)
        sawPrinterWork(printer.id)
        let isTakenBack = await wasTakenBack(id, last)
        await carryOut(tell(id, .ended(last, isTakenBack: isTakenBack)), for: id, leaving: printer.id)
    }

    private func follow(
        _ remoteJob: RemoteJob, _ id: Int64, on printer: SavedPrinter, over transport: any Transport
    ) async throws -> JobReport {
        let monitor = active[id]?.progress ?? DeliveryMonitor(edits: edits[printer.id, default: 0])
        let user = active[id]?.record.job.user
        if active[id]?.record.isCancelRequested == true {
            tellPrinterToCancel(id, as: remoteJob, on: printer, over: transport)
        }
        var remoteJob = remoteJob
        remoteJob.origin = remoteJob.origin ?? RemoteJob.Origin(user: user)
        do {
            return try await monitor.run { [remoteJob] in
                try await transport.follow(remoteJob, on: printer.target) { report in
                    Task { await self.note(report, for: id, monitor) }
                }
            }
        } catch var error as TransportError where error.code != .outcomeUnknown {
            // However the watching failed, the printer has the job: it must never be taken for one that can be sent
            // again.
            error.remoteJob = remoteJob
            throw error
        }
    }

    /// The printer says how the job does; not final yet.
    private func note(_ report: JobReport, for id: Int64, _ monitor: DeliveryMonitor) {
        // A word that comes after the attempt has ended is about nothing any more.
        guard let entry = active[id], entry.progress === monitor, entry.record.stage.isAtPrinter, !report.state.isFinal
        else { return }
        active[id]?.unanswered = 0
        if tell(id, .reported(report)) == .storeSoon { changed(id, asReported: report) }
    }

    func changed(_ id: Int64, asReported report: JobReport) {
        saveSoon(id)
        if report.state == .processingStopped, let printer = active[id]?.record.job.printer { contactSoon(printer) }
    }
}
