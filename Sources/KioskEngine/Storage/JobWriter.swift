import PrintModel
import Synchronization

/// Writes job records to the queue, in the order of their changes, and publishes each once it is on disk.
final class JobWriter: Sendable {
    private let commits: CommitQueue
    private let hub: EventHub
    private let registry: CurrentRegistry
    private let storage: StorageHealth
    private let clock: EngineClock
    /// Jobs whose latest change is stored with the next tick.
    private let unsaved = Mutex<Set<Int64>>([])

    init(
        commits: CommitQueue, hub: EventHub, registry: CurrentRegistry, storage: StorageHealth, clock: EngineClock
    ) {
        self.commits = commits
        self.hub = hub
        self.registry = registry
        self.storage = storage
        self.clock = clock
    }

    /// Stores a change without waiting for the disk.
    func save(_ record: JobRecord) {
        let (hub, storage, now) = (hub, storage, clock.now())
        commits.enqueue { db in
            try JobStore.update(record, at: now, in: db)
        } completion: { result in
            switch result {
            case .success:
                storage.noteSuccess()
                hub.publish(.jobChanged, job: record.job)
            case .failure(let error): storage.note(error, doing: "store the job")
            }
        }
    }

    /// Hands in a change, behind all that were handed in before; `stored` waits for it.
    func handIn(_ record: JobRecord) -> HandedWrite {
        let (hub, storage, now) = (hub, storage, clock.now())
        // A large document is a file, which is removed when its row no longer names it.
        let isLastUse =
            record.stage == .done && record.documentFile == nil
            && registry.retention(of: record.job.role).effectiveDocuments == 0
        return commits.handIn { db in
            if isLastUse { try JobStore.forgetDocument(of: record.job.id, in: db) }
            try JobStore.update(record, at: now, in: db)
        } whenStored: {
            storage.noteSuccess()
            hub.publish(.jobChanged, job: record.job)
        }
    }

    /// Returns once the change is on disk.
    func stored(_ change: HandedWrite, isolation: isolated (any Actor)? = #isolation) async throws {
        try await change.wait()
    }

    /// Stores a change; it is on disk, and published, when this returns.
    func saveDurably(_ record: JobRecord, isolation: isolated (any Actor)? = #isolation) async throws {
        try await stored(handIn(record))
    }

    // MARK: Changes that wait for the next tick

    /// Notes that a job's latest change is to be stored with the next tick. Only for what a restart can ask the printer
    /// for.
    func saveWithNextTick(_ id: Int64) { _ = unsaved.withLock { $0.insert(id) } }

    var hasUnsaved: Bool { unsaved.withLock { !$0.isEmpty } }

    /// The noted jobs, which are noted no more.
    func takeUnsaved() -> Set<Int64> {
        unsaved.withLock { unsaved in
            defer { unsaved = [] }
            return unsaved
        }
    }
}
