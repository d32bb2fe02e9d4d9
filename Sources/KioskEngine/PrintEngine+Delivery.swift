internal import PrintModel

extension PrintEngine {
    /// One attempt to print one job: marks it durably, sends it, follows it, settles it.
    func deliver(_ id: Int64, to printer: PrinterID) async {
        guard active[id]?.isSettling != true else { return abandon(id, on: printer) }
        guard active[id] != nil, let saved = board.printers[printer]?.saved, let transport = transports[saved.url.scheme]
        else { return abandon(id, on: printer) }
        await leaving[printer]?.value
        let monitor = DeliveryMonitor(edits: edits[printer, default: 0])
        do {
            let document = try await beginSending(id, on: printer, monitor)
            guard let record = active[id]?.record else { return abandon(id, on: printer) }
            let delivery = delivery(of: record, document)
            let report = try await send(delivery, id, to: saved, over: transport, monitor)
            try await finish(id, on: saved, over: transport, report)
        } catch let error as TransportError {
            await attemptFailed(id, on: saved, over: transport, error, monitor)
        } catch {
            await attemptBroke(id, on: printer, error)
        }
    }

    /// A job or printer vanished between assignment and start.
    private func abandon(_ id: Int64, on printer: PrinterID) {
        if active[id]?.isSettling != false {
            // Canceled between its assignment and now.
            free(printer, from: id)
            return dispatch(printer)
        }
        backToWaiting(id, on: printer, message: nil)
    }

    /// Writes "a byte may reach paper from now on" to the disk before any can, and fetches the document meanwhile.
    private func beginSending(_ id: Int64, on printer: PrinterID, _ monitor: DeliveryMonitor) async throws -> PrintDocument {
        guard var entry = active[id] else { throw CancellationError() }
        entry.progress = monitor
        let isMarked = entry.record.stage == .sending  // since it was accepted
        if !isMarked, let saved = board.printers[printer]?.saved { entry.record.beginSending(to: saved, at: clock.now()) }
        active[id] = entry
        let record = entry.record
        async let mark: Void = isMarked ? () : saveDurably(record)
        let body = try await body(of: entry)
        try await mark
        if active[id]?.record.isCancelRequested != false { throw CancellationError() }
        return PrintDocument(format: entry.record.job.format, body: body)
    }

    private func body(of entry: ActiveJob) async throws -> PrintDocument.Body {
        if let file = entry.record.documentFile {
            return .file(path: spool.path(of: file), length: entry.record.job.documentLength)
        }
        if let bytes = entry.document { return .bytes(bytes) }
        guard let bytes = try await store.document(of: entry.record.job.id) else {
            throw EngineError(
                .documentLost, "the document of job \(entry.record.job.id) is gone from the state folder; print it again"
            )
        }
        return .bytes(bytes)
    }

    /// Unique to the attempt: what an earlier one left at the printer is not this one.
    func deliveryID(of record: JobRecord) -> String { "\(marker)-\(record.job.id)-\(record.job.attempts)" }

    func delivery(of record: JobRecord, _ document: PrintDocument) -> Delivery {
        Delivery(
            jobID: deliveryID(of: record), name: record.job.name, user: record.job.user, ticket: record.job.ticket,
            document: document, sentAt: record.sentAt
        )
    }

    private func send(
        _ delivery: Delivery, _ id: Int64, to printer: SavedPrinter, over transport: any Transport, _ monitor: DeliveryMonitor
    ) async throws -> JobReport {
        let watchdog = watchForSilence(id, on: printer.id, monitor)
        defer { watchdog?.cancel() }
        var backOff = Duration.milliseconds(2)
        let start = ContinuousClock.now
        while true {
            monitor.attemptBegins()
            do {
                return try await monitor.run {
                    try await transport.deliver(delivery, to: printer.target) { progress in
                        if monitor.note(progress), monitor.wasStopped || Self.isWorthShowing(progress) { Task { await self.showProgress(id, monitor) } }
                        if case .accepted(let job) = progress { Task { await self.accepted(id, as: job, monitor) } }
                    }
                }
            } catch let error as TransportError where FailureDecision(error) == .retrySoon {
                let isPatient = start.duration(to: .now) < configuration.failoverPatience
                guard let waiting = active[id]?.waiting(), waiting.expiresAt > clock.now(),
                    isPatient || !board.hasAlternative(to: printer.id, for: waiting)
                else { throw error }
                active[id]?.record.job.remoteJob = nil
                try await clock.sleep(backOff)
                backOff = min(backOff * 2, Self.longestBusyWait)
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
        guard let entry = active[id], entry.progress === monitor, entry.record.stage == .sending else { return }
        if case .sending(let bytes) = monitor.step { active[id]?.record.job.bytesSent = bytes }
        hub.publish(.jobProgress, job: active[id]?.shown)
    }

    /// The printer named the job: whatever happens now, it can be asked for.
    private func accepted(_ id: Int64, as job: RemoteJob, _ monitor: DeliveryMonitor) {
        guard var entry = active[id], entry.progress === monitor, entry.record.stage == .sending, entry.record.job.remoteJob != job else { return }
        entry.record.job.remoteJob = job
        active[id] = entry
        saveSoon(id)
    }

    /// The printer took the job: follow it to its end.
    func finish(
        _ id: Int64, on printer: SavedPrinter, over transport: any Transport, _ report: JobReport, isResumed: Bool = false
    ) async throws {
        guard let entry = active[id] else { return free(printer.id, from: id) }
        // The transport never said that it sent the whole document: the printer's word about the job is about what it got.
        let mayBeCut = entry.record.stage == .sending && isResumed
        if !isResumed { active[id]?.record.job.bytesSent = entry.record.job.documentLength }
        var last = report
        if !report.state.isFinal, let remoteJob = report.remoteJob {
            if let monitor = entry.progress { note(report, for: id, monitor) }
            last = try await follow(remoteJob, id, on: printer, over: transport)
        }
        sawPrinterWork(printer.id)
        if mayBeCut, let doubt = doubt(about: last, of: entry.record) {
            return await endUnconfirmed(id, on: printer.id, because: doubt)
        }
        await settle(id, on: printer.id, last)
    }

    /// Why the end of a job whose sending was cut off proves nothing; nil where it does.
    private func doubt(about report: JobReport, of record: JobRecord) -> String? {
        if record.isCancelRequested || active[record.job.id]?.record.isCancelRequested == true { return nil }
        let isKnownShort = (1..<record.job.documentLength).contains(record.job.bytesSent)
        guard report.state == .aborted || report.state == .canceled || isKnownShort else { return nil }
        return "The connection broke while the job was sent, and the printer ended it as \(report.state.rawValue)."
    }

    private func follow(
        _ remoteJob: RemoteJob, _ id: Int64, on printer: SavedPrinter, over transport: any Transport
    ) async throws -> JobReport {
        let monitor = active[id]?.progress ?? DeliveryMonitor(edits: edits[printer.id, default: 0])
        let user = active[id]?.record.job.user
        if active[id]?.record.isCancelRequested == true { tellPrinterToCancel(id, as: remoteJob, on: printer, over: transport) }
        var remoteJob = remoteJob
        remoteJob.origin = remoteJob.origin ?? RemoteJob.Origin(user: user)
        do {
            return try await monitor.run { [remoteJob] in
                try await transport.follow(remoteJob, on: printer.target) { report in
                    Task { await self.note(report, for: id, monitor) }
                }
            }
        } catch var error as TransportError where error.code != .outcomeUnknown {
            // However the watching failed, the printer has the job: it must never be taken for one that can be sent again.
            error.remoteJob = remoteJob
            throw error
        }
    }

    /// The printer says how the job does; not final yet.
    func note(_ report: JobReport, for id: Int64, _ monitor: DeliveryMonitor) {
        // A word that comes after the attempt has ended is about nothing any more.
        guard var entry = active[id], entry.progress === monitor, !entry.isSettling, !report.state.isFinal else { return }
        let isFirst = entry.record.stage != .following
        entry.record.stage = .following
        entry.record.job.remoteJob = report.remoteJob ?? entry.record.job.remoteJob
        entry.record.job.evidence = [entry.record.job.evidence, report.evidence].compactMap { $0 }.max()
        // The printer's own "pending" is our "processing": the job left our queue.
        entry.record.job.state = report.state == .processingStopped ? .processingStopped : .processing
        entry.record.job.stateReasons = report.reasons.isEmpty ? ["job-printing"] : report.reasons
        entry.record.job.message = report.message
        guard isFirst || entry.record != active[id]?.record else { return }
        active[id] = entry
        saveSoon(id)
        if report.state == .processingStopped, let printer = entry.record.job.printer { contactSoon(printer) }
    }
}
