import Logging
import PrintModel

extension PrintEngine {
    /// Whether the printer agreed to cancel the job that it now calls done.
    func wasTakenBack(_ id: Int64, _ report: JobReport) async -> Bool {
        guard report.state == .completed, let canceling = active[id]?.canceling else { return false }
        return await canceling.value
    }

    /// Writes the final state, gives the printer its next job meanwhile, and tells whoever waits once it is on disk.
    ///
    /// The next job's mark is handed in right behind this one's end, so both usually share a commit.
    func close(_ id: Int64, next printer: PrinterID?) async {
        guard let record = active[id]?.record else { return }
        let end = handIn(record)
        if let printer { dispatch(printer) }
        do {
            try await stored(end)
        } catch {
            // What happened on paper is true though it is not stored yet. Until it is, the job stays known here; a
            // restart before that asks the printer again.
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
        noteFinal(entry.record)
    }
}
