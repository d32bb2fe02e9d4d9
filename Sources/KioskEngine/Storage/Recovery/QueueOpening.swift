import GRDB
import KioskDurableFiles
import KioskPrintModel
import Logging

/// The queue of a state directory as a start finds it.
struct QueueOpening: Sendable {
    var store: JobStore
    /// Every job that is not final, in order of acceptance.
    var records: [JobRecord]
    var marker: String
    /// The names of all documents that jobs have in files.
    var documentFiles: Set<String>
    var contacts: [PrinterID: JobStore.RememberedContact]
    /// A queue that was set aside, now or before a crash, while documents that it named may still lie among ours.
    var unfinishedAside: String?
    /// Whether the whole queue was checked.
    var isChecked = true

    /// Opens the queue of a state directory. A damaged queue is set aside and kept, and its readable rows are copied to
    /// a new one. Blocks.
    ///
    /// A queue that the last process closed is trusted; after a crash or a power cut all of it is checked.
    static func open(in folder: String, at now: Timestamp, logger: Logger) throws -> QueueOpening {
        let files = QueueFiles(folder: folder)
        try files.finishRecovery()
        do {
            return try openBelieved(files, at: now, logger: logger)
        } catch let error as EngineError where error.code == .storageDamaged {
            logger.error("\(error.message)")
            try recover(files, at: now, logger: logger)
            return try open(files, at: now, logger: logger)
        }
    }

    private static func openBelieved(_ files: QueueFiles, at now: Timestamp, logger: Logger) throws -> QueueOpening {
        guard !files.isGone else {
            throw EngineError(.storageDamaged, "the queue's file \(files.queue) is gone or empty")
        }
        let suspicion = files.suspicion
        let outline = SchemaCopy.read(files.outline)
        let file = try ReadableFile.open(files.queue)
        let pages = try DatabasePages(files.queue, pageSize: outline?.pageSize, file: file)
        // SQLite would use the log up to its first damage, and lose every commit behind it.
        guard pages.log?.isDamaged != true else {
            throw EngineError(.storageDamaged, "the log of the queue \(files.queue) is damaged amid its commits")
        }
        // It would also trust whatever the first page says, and write accordingly.
        if let outline, SchemaCopy(of: pages) != outline { throw QueueCheck.differsFromSchemaCopy(files) }
        var opening = try open(files, file: file, at: now, logger: logger) { store in
            guard let suspicion else { return }
            try QueueCheck(store: store).run(afterDamage: suspicion == .damage, logger: logger)
            try files.trust()
        }
        opening.isChecked = suspicion != nil
        return opening
    }

    private static func open(
        _ files: QueueFiles, file: ReadableFile? = nil, at now: Timestamp, logger: Logger,
        checking check: (JobStore) throws -> Void = { _ in }
    ) throws -> QueueOpening {
        // Cut off behind a migration, the next start would find other tables than the copy tells of.
        let store = try JobStore(path: files.queue, file: file) { try files.forgetOutline() }
        files.note(version: Schema.version)
        try check(store)
        try RememberedJobs(files: files).restore(to: store, at: now, logger: logger)
        do {
            let marker = try store.pool.write { try JobStore.marker(in: $0) }
            let opening = try store.pool.read { db in
                QueueOpening(
                    store: store, records: try JobFiling.openJobs(in: db), marker: marker,
                    documentFiles: try JobStore.documentFiles(in: db),
                    contacts: try JobStore.rememberedContacts(in: db),
                    unfinishedAside: try files.asideWithoutDocuments())
            }
            try SchemaCopy(of: DatabasePages(files.queue, pageSize: nil, file: store.file))?.write(
                to: files.outline)
            return opening
        } catch let error as DatabaseError {
            throw EngineError.storage(error, doing: "read the queue")
        }
    }

    private static func recover(_ files: QueueFiles, at now: Timestamp, logger: Logger) throws {
        // However this ends, the queue is not trusted before it is replaced.
        try files.suspect()
        try files.beginRecovery()
        var salvage = QueueSalvage()
        do {
            let outline = SchemaCopy.read(files.outline)
            let new = try JobStore(path: files.recovering)
            try salvage.fill(
                new.pool,
                from: try DatabaseRows(DatabasePages(files.queue, pageSize: outline?.pageSize), outline: outline),
                at: now)
            // All of it in the one file that takes the old one's place.
            try new.close()
        } catch let error as DatabaseError {
            throw EngineError.storage(error, doing: "recover the queue")
        }
        let report = salvage.report(with: RememberedJobs(files: files).numbers)
        let aside = try files.replace(at: now, report: report)
        logger.error(
            "the damaged queue is kept as \(aside): \(report.summary); \(salvage.unreadable) rows cannot be read")
    }
}
