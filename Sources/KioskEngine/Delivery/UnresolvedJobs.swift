import KioskPrintModel

/// The jobs that a printer may have, of which it cannot be asked any more: it was removed, or it does not come back.
/// Each ends as unconfirmed.
enum UnresolvedJobs {
    /// Ends jobs that a removed printer may have, and those that another kiosk had.
    static func endOrphans(for engine: isolated PrintEngine) async {
        for id in engine.jobs.ids {
            // Looked up each time: the one before may have taken a while to store.
            guard let job = engine.jobs[id], job.attempt == nil, job.stage.isInDoubt else { continue }
            guard let printer = job.job.printer else {
                await decide(id, because: job.job.message ?? "Another kiosk had accepted the job.", for: engine)
                continue
            }
            guard engine.registry.printer(printer) == nil else { continue }
            await end(id, job.record.destination, on: printer, removed(printer), for: engine)
        }
    }

    /// Stops waiting for printers that may have a job and do not come back: when the job is no longer worth printing,
    /// or at once when it is to be canceled.
    static func endUnanswered(at now: Timestamp, for engine: isolated PrintEngine) async {
        for id in engine.jobs.ids {
            // Looked up each time: meanwhile the printer may have come back, and be asked.
            guard let job = engine.jobs[id], job.attempt == nil, job.stage.isInDoubt, let printer = job.job.printer,
                engine.board.printers[printer]?.availability.isAvailable != true
            else { continue }
            let limit = job.record.life.status.sentAt?.advanced(by: maximumWait) ?? now
            guard job.record.isCancelRequested || now >= max(limit, job.job.expiresAt) else { continue }
            await end(
                id, job.record.destination, on: printer, "\(printer) had begun the job and does not come back.",
                for: engine)
        }
    }

    /// Lets the role decide about a job that another kiosk may have printed: no printer here can be asked for it.
    static func decide(_ id: Int64, because reason: String, for engine: isolated PrintEngine) async {
        await engine.carryOut(engine.apply(.cannotBeAsked(reason), to: id), for: id, leaving: nil)
    }

    private static func end(
        _ id: Int64, _ destination: WaitingJob.Destination, on printer: PrinterID, _ reason: String,
        for engine: isolated PrintEngine
    ) async {
        engine.board.remove(id, from: destination)
        await engine.carryOut(engine.apply(.cannotBeAsked(reason), to: id), for: id, leaving: printer)
    }

    /// Why nobody can be asked.
    static func removed(_ printer: PrinterID) -> String {
        "The printer \"\(printer)\" had begun the job and is no longer saved."
    }

    /// So long after sending began, a printer may come back.
    private static let maximumWait = Duration.seconds(300)
}
