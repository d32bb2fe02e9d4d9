import DurableFiles
import Logging
import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// The folder's parts, opened by one engine at a time.
    static func openState(
        in configuration: EngineConfiguration, at now: Timestamp, logger: Logger
    ) async throws -> (FolderLock, JobStore.Opening, DocumentSpool) {
        let folder = configuration.stateDirectory
        let spool = DocumentSpool(folder: "\(folder)/documents", logger: logger)
        return try await spool.blocking {
            try Folder.create(folder, permissions: 0o700)
            try Folder.create(spool.folder, permissions: 0o700)
            return (try lock(folder), try JobStore.open(in: folder, at: now, logger: logger), spool)
        }
    }

    private static func lock(_ folder: String) throws -> FolderLock {
        do throws(FileError) {
            return try FolderLock(folder: folder)
        } catch  where error.isTaken {
            throw EngineError(.stateFolderInUse, error.message)
        }
    }

    /// Takes up what the last run left: waiting jobs wait again, jobs that a printer may have are asked for.
    func restore(_ opening: JobStore.Opening) async throws {
        let records = rebased(opening.records)
        for record in records { active[record.job.id] = ActiveJob(record: record, isRestored: true) }
        let files = opening.documentFiles
        try await spool.blocking { [spool] in
            if let aside = opening.unfinishedAside {
                try spool.setAsideOrphans(of: aside, keeping: files)
            } else {
                try spool.removeOrphans(keeping: files)
            }
        }
        remembered = opening.contacts
        if !records.isEmpty { logger.info("\(records.count) jobs are taken up from the last run") }
    }

    /// Puts the restored jobs on the board, once the registry is known.
    func takeUpRestored() {
        for id in active.keys.sorted() {
            guard let record = active[id]?.record else { continue }
            if record.stage == .waiting { enqueue(id) }
            if record.stage.isInDoubt, let printer = record.job.printer { board.addResumption(of: id, on: printer) }
        }
    }
}

extension FileError {
    /// EWOULDBLOCK on Linux: another process holds the lock.
    fileprivate var isTaken: Bool { operation == "lock" && errno == 11 }
}
