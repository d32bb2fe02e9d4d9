import KioskAsyncPrimitives
import KioskDurableFiles
import KioskPrintModel
import KioskPrinterRegistry
import Logging
import Synchronization

/// Keeps the history of final jobs within its limits: those of each role, and the engine's own.
final class HistoryTrimmer: Sendable {
    /// Raised to start a pass before its time.
    let wanted: AsyncSignal
    private let store: JobStore
    private let spool: DocumentSpool
    private let registry: CurrentRegistry
    private let storage: StorageHealth
    private let configuration: EngineConfiguration
    private let clock: EngineClock
    private let logger: Logger
    /// Jobs that became final since the last pass began, and the number of passes.
    private let finished = Mutex((jobs: 0, bytes: Int64(0), passes: 0))

    init(
        wanted: AsyncSignal, store: JobStore, spool: DocumentSpool, registry: CurrentRegistry, storage: StorageHealth,
        configuration: EngineConfiguration, clock: EngineClock, logger: Logger
    ) {
        self.wanted = wanted
        self.store = store
        self.spool = spool
        self.registry = registry
        self.storage = storage
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
    }

    /// Trims now and then, and sooner after much was printed, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            finished.withLock { $0 = (0, 0, $0.passes + 1) }
            do {
                try await trim()
            } catch is CancellationError {
                return
            } catch {
                if let error = error as? EngineError {
                    storage.note(error)
                } else {
                    logger.error("the history could not be trimmed: \(error)")
                }
                // The failed disk may have raised the signal, and would at once again.
                do { try await clock.sleep(StorageHealth.retryInterval) } catch { return }
            }
            let reminder = Task { [clock, wanted] in
                // Cancelled, it does not raise the signal: the loop is awake.
                do { try await clock.sleep(Self.interval) } catch { return }
                wanted.raise()
            }
            await wanted.wait()
            reminder.cancel()
        }
    }

    /// How many passes began.
    var passes: Int { finished.withLock(\.passes) }

    /// A job's final state is on disk.
    func noteFinal(_ record: JobRecord) {
        let length = record.job.documentLength
        let isMuch = finished.withLock { finished in
            finished.jobs += 1
            finished.bytes += length
            return finished.jobs >= Self.earlyJobs || finished.bytes >= Self.earlyBytes
        }
        let leavesFile =
            record.documentFile != nil && registry.retention(of: record.job.role).effectiveDocuments == 0
        if leavesFile || isMuch { wanted.raise() }
    }

    private static let interval = Duration.seconds(60)
    /// After so many final jobs, or bytes of their documents, a pass starts before its time.
    private static let earlyJobs = 256
    private static let earlyBytes: Int64 = 16_000_000

    /// Removes what is past its role's limits and the engine's own, in batches with their own commits.
    func trim() async throws {
        while true {
            if let generation = store.times.generation {
                try await trim(in: generation)
                if store.times.generation == generation { return }
            }
            // The clock was set meanwhile: what is too old is chosen anew, once the rows go by it too.
            try await clock.sleep(.milliseconds(10))
        }
    }

    private func trim(in generation: Int) async throws {
        let now = clock.now()
        await shrinkLog()
        try await store.fileJobs()
        for role in try await store.rolesOfHistory() {
            let keep = registry.retention(of: role.flatMap(RoleName.init(rawValue:)))
            // None kept: what became final in this very millisecond goes too.
            let documentLimit =
                keep.effectiveDocuments == 0
                ? Timestamp(millisecondsSince1970: .max) : now.advanced(bySeconds: -keep.effectiveDocuments)
            try await removePages(in: generation) { try await $0.documents(of: role, finalBefore: documentLimit) }
            try await removePages(in: generation) {
                try await $0.documents(of: .some(role), beyond: keep.effectiveSize)
            }
            let jobLimit = now.advanced(bySeconds: -keep.effectiveJobs)
            try await removePages(jobs: true, in: generation) {
                try await $0.jobs(of: role, finalBefore: jobLimit, at: now)
            }
        }
        let (size, count) = (configuration.keptDocumentBytes, configuration.historyLength)
        try await removePages(in: generation) { try await $0.documents(beyond: size) }
        try await makeRoom()
        await shrinkLog()
        try await removePages(jobs: true, in: generation) { try await $0.jobs(beyond: count, at: now) }
    }

    /// Where the disk is about to be full, the log's room is given back: every write makes the log longer, those that
    /// make room too, and by itself it begins anew only once it is megabytes long.
    private func shrinkLog() async {
        do {
            guard try await diskSpace() < StateDirectoryInspection.minimumFreeBytes else { return }
            try await spool.blocking { [store] in try store.shrinkLog() }
        } catch {
            // Documents may have to go first, and who writes next finds out whether there is room.
            logger.info("the room of the queue's log cannot be given back yet: \(error)")
        }
    }

    private func diskSpace() async throws -> Int64 {
        let folder = configuration.stateDirectory
        return try await spool.blocking { try FileSystemState(of: folder).freeBytes }
    }

    /// Where the disk is about to be full, jobs to come are worth more than documents of old ones: the oldest go, until
    /// there is room or none is left.
    private func makeRoom() async throws {
        while !Task.isCancelled {
            let free = try await diskSpace()
            // Pages of the queue that are free are used before the file grows.
            guard try await free + store.freeBytes() < StateDirectoryInspection.minimumFreeBytes else { return }
            let ids = try await store.oldestDocuments()
            guard !ids.isEmpty else { return }
            let files = try await store.giveUp(ids, jobs: false)
            try await spool.removeNow(files)
            logger.info("the disk is almost full: the documents of \(ids.count) final jobs are given up")
        }
    }

    private func removePages(
        jobs: Bool = false, in generation: Int, _ page: (JobStore) async throws -> [Job.ID]
    ) async throws {
        while !Task.isCancelled, store.times.generation == generation {
            let ids = try await page(store)
            guard !ids.isEmpty else { return }
            for start in stride(from: 0, to: ids.count, by: JobStore.trimBatch) {
                let batch = Array(ids[start..<min(start + JobStore.trimBatch, ids.count)])
                for file in try await store.giveUp(batch, jobs: jobs, in: generation) { spool.remove(file) }
            }
            guard ids.count == JobStore.trimPage else { return }
        }
    }
}
