internal import Logging
internal import PrintModel

extension PrintEngine {
    /// The printer said the last word.
    func settle(_ id: Int64, on printer: PrinterID, _ report: JobReport) async {
        if await wasTakenBack(id, report) { return await settleCanceled(id, on: printer) }
        guard var entry = active[id] else { return free(printer, from: id) }
        // A transport that cannot follow says its most at once.
        entry.record.job.state = report.state.isFinal ? report.state : .completed
        entry.record.job.evidence = [entry.record.job.evidence, report.evidence].compactMap { $0 }.max()
        entry.record.job.remoteJob = report.remoteJob ?? entry.record.job.remoteJob
        entry.record.job.message = report.message
        entry.record.job.stateReasons = report.reasons.isEmpty ? Self.finalReasons(of: entry.record.job.state) : report.reasons
        if entry.record.job.state == .aborted, report.message == nil {
            entry.record.job.message = "\(printer) gave the job up; look at the paper and the printer, then print it again"
        }
        free(printer, from: id)
        await close(id, entry.record, next: printer)
    }

    /// A spooler that tells no more than that a job is gone, and agreed to cancel it, has canceled it.
    private func wasTakenBack(_ id: Int64, _ report: JobReport) async -> Bool {
        guard report.state == .completed, report.evidence <= .accepted, let canceling = active[id]?.canceling else { return false }
        return await canceling.value
    }

    /// RFC 8011 §5.3.8's words, for a printer that gave none.
    private static func finalReasons(of state: JobState) -> [String] {
        switch state {
        case .completed: ["job-completed-successfully"]
        case .canceled: ["job-canceled-at-device"]
        default: ["aborted-by-system"]
        }
    }

    func settleCanceled(_ id: Int64, on printer: PrinterID) async {
        guard var entry = active[id] else { return free(printer, from: id) }
        entry.record.job.state = .canceled
        entry.record.job.stateReasons = ["job-canceled-by-user"]
        entry.record.job.message = nil
        free(printer, from: id)
        await close(id, entry.record, next: printer)
    }

    func settleAborted(_ id: Int64, on printer: PrinterID?, reason: String, message: String) async {
        guard var entry = active[id], !entry.isSettling else {
            guard let printer else { return }
            free(printer, from: id)
            return dispatch(printer)
        }
        entry.record.job.state = .aborted
        entry.record.job.stateReasons = [reason]
        entry.record.job.message = message
        logger.warning("job \(id) is aborted: \(message.withoutControlCharacters)")
        if let printer { free(printer, from: id) }
        await close(id, entry.record, next: printer)
    }

    /// Writes the final state, gives the printer its next job meanwhile, and tells whoever waits once it is on disk.
    ///
    /// The next job's mark is handed in right behind this one's end, so both usually share a commit.
    func close(_ id: Int64, _ record: JobRecord, next printer: PrinterID?) async {
        var record = record
        record.stage = .done
        record.job.completedAt = clock.now()
        if record.job.printer == nil { record.job.printer = printer }
        guard var entry = active[id], !entry.isSettling else {
            // Somebody else ends it; the printer is free all the same.
            if let printer { dispatch(printer) }
            return
        }
        entry.isSettling = true
        entry.record = record
        active[id] = entry
        async let saved: Void = saveDurably(record)
        if let printer { dispatch(printer) }
        do {
            try await saved
        } catch {
            // What happened on paper is true though it is not stored yet. Until it is, the job stays known here; a restart
            // before that asks the printer again.
            waiters.settle(record.job)
            active[id]?.task = Task { await saveEventually(record, after: error) }
            return
        }
        forget(id)
        waiters.settle(record.job)
    }

    private func saveEventually(_ record: JobRecord, after error: any Error) async {
        noteStorage(error as? EngineError ?? EngineError.storage(error, doing: "store the job"))
        while !isShuttingDown {
            try? await clock.sleep(Self.storageRetryInterval)
            do {
                try await saveDurably(record)
                return forget(record.job.id)
            } catch {
                continue
            }
        }
    }

    private func forget(_ id: Int64) {
        guard let entry = active.removeValue(forKey: id) else { return }
        if let document = entry.document { cachedDocumentBytes -= document.count }
        if let file = entry.record.documentFile { spool.remove(file) }
        finishedSinceTrim += 1
        if finishedSinceTrim >= Self.trimInterval {
            finishedSinceTrim = 0
            Task { [store, configuration, logger] in
                do {
                    try await store.trimHistory(to: configuration.historyLength)
                } catch {
                    logger.error("the history could not be trimmed: \(error)")
                }
            }
        }
    }

    /// The history may grow by this many jobs beyond its bound before it is cut.
    private static let trimInterval = 256
}
