internal import DurableFiles
internal import GRDB
internal import Logging
internal import PrintModel

extension JobStore {
    /// What a start finds.
    struct Opening: Sendable {
        var store: JobStore
        /// Every job that is not final, in order of acceptance.
        var records: [JobRecord]
        /// A queue that was set aside, now or before a crash, while documents that it named may still lie among ours.
        var unfinishedAside: String?
    }

    /// Opens the queue of a state folder. One that is damaged is set aside and kept, and what can be read of it is taken
    /// over into a new one. Blocks.
    ///
    /// A queue that the last process closed is believed to be as it was; after a crash or a power cut all of it is checked.
    static func open(in folder: String, at now: Timestamp, logger: Logger) throws -> Opening {
        let files = QueueFiles(folder: folder)
        try files.finishRecovery()
        do {
            let suspicion = files.suspicion
            let store = try JobStore(path: files.queue)
            if let suspicion {
                try store.check(afterDamage: suspicion == .damage)
                try files.trust()
            }
            return Opening(store: store, records: try store.readActiveJobs(), unfinishedAside: try files.asideWithoutDocuments())
        } catch let error as EngineError where error.code == .storageDamaged {
            logger.error("\(error.message)")
            let aside = try recover(files, at: now, logger: logger)
            let store = try JobStore(path: files.queue)
            return Opening(store: store, records: try store.readActiveJobs(), unfinishedAside: aside)
        }
    }

    private static func recover(_ files: QueueFiles, at now: Timestamp, logger: Logger) throws -> String {
        try files.beginRecovery()
        var salvage = QueueSalvage()
        do {
            let new = try JobStore(path: files.recovering)
            var configuration = Configuration()
            configuration.readonly = true
            try salvage.fill(new.pool, from: try? DatabaseQueue(path: files.queue, configuration: configuration), at: now)
            // All of it in the one file that takes the old one's place.
            try new.close()
        } catch let error as DatabaseError {
            throw EngineError.storage(error, doing: "recover the queue")
        }
        let aside = try files.replace(at: now)
        logger.error("the damaged queue is kept as \(aside); \(salvage.jobs) jobs were recovered, \(salvage.lost) rows were not")
        return aside
    }

    private func readActiveJobs() throws -> [JobRecord] {
        do {
            return try pool.read { try Row.fetchAll($0, sql: "SELECT * FROM job WHERE stage < 4 ORDER BY id").map(JobRecord.init(row:)) }
        } catch let error as DatabaseError {
            throw EngineError.storage(error, doing: "read the queue")
        }
    }
}
